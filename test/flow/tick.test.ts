import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../shared/core/actor.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { deleteJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { asking, body, range } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import {
  START,
  type TestScheduler,
  type TestSchedulerOptions,
  type TestSchedulerWorld,
} from '../support/test-scheduler.ts'
import { schedulersOfThisFile } from '../support/test-schedulers.ts'

const firstOf = (job: StoredJob): number => job.versions[0].activeFrom - START

const begin = schedulersOfThisFile()

/** Every instant has been claimed once, none early. */
function expectAll(scheduler: TestScheduler, name: string, from: number, to: number): void {
  expect(scheduler.seconds(name).filter((second) => second >= from && second <= to)).toEqual(range(from, to))
  expect(scheduler.sent.filter(({ atMs, second }) => atMs < second * 1000)).toEqual([])
}

describe('the chain', () => {
  test('sends every second once, on the second and never early', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(20)
    expectAll(scheduler, 'each', 4, 20)
    expect(scheduler.sent.every(({ atMs, second }) => atMs < second * 1000 + 500)).toBe(true)
    expect(scheduler.errors).toEqual([])
    expect(scheduler.warnings().filter((line) => !/minute rule|wake/.test(line))).toEqual([])
  })

  test.each(['fence', 'read', 'changes', 'put'])(
    'misses no second where one call of a link fails: %s',
    async (call) => {
      let isArmed = false
      let failed = 0
      const see = (world: TestSchedulerWorld): TestSchedulerWorld =>
        beforeEveryCall(world, async (_, name) => {
          if (!isArmed || name !== call) return
          isArmed = false
          failed += 1
          throw new Error('the service is away for a moment')
        })
      const scheduler = begin({ see })
      await scheduler.run(2)
      await saveBody(scheduler.world, body('each'), asking)
      await scheduler.run(8)
      for (const second of [10, 13, 16, 19]) {
        isArmed = true
        await scheduler.run(second)
      }
      await scheduler.run(25)
      expect(failed).toBeGreaterThan(0)
      expectAll(scheduler, 'each', 4, 24)
      expect(scheduler.sent.every(({ atMs, second }) => atMs < second * 1000 + 1000)).toBe(true)
    },
  )

  test('stops a job without instants that was not stopped at its last one, and leaves one alone that only others trigger', async () => {
    let isAway = false
    const see = (world: TestSchedulerWorld): TestSchedulerWorld =>
      beforeEveryCall(world, async (_, name) => {
        if (isAway && name === 'commit') throw new Error('the store takes no edits for a moment')
      })
    const scheduler = begin({ see })
    await scheduler.run(2)
    const { job: each } = await saveBody(scheduler.world, body('each'), asking)
    const { job: twice } = await saveBody(scheduler.world, body('twice', { maxRuns: 2 }), asking)
    const { job: triggered } = await saveBody(scheduler.world, body('triggered', { schedules: [] }), asking)
    isAway = true
    await scheduler.run(10)
    const stoppedBy = async () =>
      (await scheduler.world.jobs.readMany([each.id, twice.id, triggered.id])).map(({ stopped }) => stopped?.code)
    expect(scheduler.seconds('twice')).toHaveLength(2)
    expect(await stoppedBy()).toEqual([undefined, undefined, undefined])
    isAway = false
    await scheduler.run(30)
    expect(await stoppedBy()).toEqual([undefined, 'NO_INSTANT_LEFT', undefined])
  })

  test('serves many shards side by side', async () => {
    const scheduler = begin({ shardCount: 8 })
    await scheduler.run(2)
    for (const n of range(1, 20)) await saveBody(scheduler.world, body(`job-${n}`), asking)
    await scheduler.run(12)
    for (const n of range(1, 20)) expectAll(scheduler, `job-${n}`, 5, 12)
  })

  test('of links that serve five seconds each sends every second once', async () => {
    const scheduler = begin({ hopSeconds: 5 })
    await scheduler.run(2)
    await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(30)
    expectAll(scheduler, 'each', 10, 30)
    expect(scheduler.ticked.length).toBeLessThan(10)
  })

  test('of links that serve five seconds each stops every job at its last instant, and counts all that it sent', async () => {
    const scheduler = begin({ hopSeconds: 5 })
    await scheduler.run(2)
    const names = range(10, 14).map((second) => `at-${second}`)
    const jobs = await Promise.all(
      range(10, 14).map(async (second) => {
        const schedules = [{ at: formatInstant(START + second) }]
        return (await saveBody(scheduler.world, body(`at-${second}`, { schedules }), asking)).job
      }),
    )
    await scheduler.run(60)
    expect(names.flatMap((name) => scheduler.seconds(name))).toEqual(range(10, 14))
    const stored = await scheduler.world.jobs.readMany(jobs.map(({ id }) => id))
    expect(stored.map(({ stopped }) => stopped?.code)).toEqual(jobs.map(() => 'NO_INSTANT_LEFT'))
    const runs = scheduler.ticked.reduce((sum, each) => sum + ('runs' in each ? each.runs : 0), 0)
    expect(runs).toBe(5)
  })

  test('sends two thousand runs of one second, and again ten seconds later', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    await Promise.all(
      range(1, 2000).map((n) => saveBody(scheduler.world, body(`job-${n}`, { schedules: [{ every: 10 }] }), asking)),
    )
    await scheduler.run(22)
    expect(scheduler.sent.filter(({ second }) => second === START + 10)).toHaveLength(2000)
    expect(scheduler.sent.filter(({ second }) => second === START + 20)).toHaveLength(2000)
  })

  test('keeps the minutes that leave the shard item, and the item stays small', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(400)
    const minutes = await scheduler.world.shards.minutes(0, Math.floor(START / 3600))
    expect(minutes.length).toBeGreaterThanOrEqual(5)
    expect(minutes[2]).toMatchObject({ fires: 60 })
    expect(minutes[2].depths.size).toBe(60)
    expect((await scheduler.world.shards.read(0))?.depths.size).toBeLessThan(250)
    expectAll(scheduler, 'each', 4, 400)
  })
})

describe('a bus that', () => {
  const everyone = async (deliveries: TestSchedulerOptions['deliveries']) => {
    const scheduler = begin(deliveries === undefined ? {} : { deliveries })
    await scheduler.run(2)
    await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(60)
    return scheduler
  }

  test('doubles every event changes nothing', async () => {
    const scheduler = await everyone(() => [150, 250])
    expectAll(scheduler, 'each', 4, 60)
    const refused = scheduler.ticked.filter(({ end }) => end === 'stale' || end === 'lost')
    expect(refused.length).toBeGreaterThan(20)
  })

  test('delivers events again after seconds and minutes forks no chain', async () => {
    const scheduler = await everyone(() => [200, 3000, 30_000])
    expectAll(scheduler, 'each', 4, 60)
    const last = scheduler.ticked.filter((result) => 'second' in result && result.second === START + 50)
    expect(last).toHaveLength(1)
  })

  test('is slow makes runs late and loses none', async () => {
    const scheduler = await everyone(() => [2500])
    expectAll(scheduler, 'each', 4, 55)
  })

  test('drops every tenth event loses nothing', async () => {
    let events = 0
    const scheduler = await everyone(() => {
      events += 1
      return events % 10 === 0 ? [] : [200]
    })
    expectAll(scheduler, 'each', 4, 45)
  })
})

describe('a ticker that is killed', () => {
  const points = range(1, 45).flatMap((call) => [
    { call, when: 'before' as const },
    { call, when: 'after' as const },
  ])

  test.each(points)('at call $call, $when its effect, is replaced and nothing is lost', async (point) => {
    const scheduler = begin({ killTick: (environment) => (environment === 1 ? point : undefined) })
    await scheduler.run(0)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(40)
    expectAll(scheduler, 'each', firstOf(job), 38)
    const late = scheduler.sent.map(({ atMs, second }) => atMs - second * 1000)
    expect(Math.max(...late)).toBeLessThanOrEqual(10_000)
  })

  test('and comes back as a zombie after another took over changes nothing', async () => {
    for (const call of range(5, 40, 3)) {
      // The first ticker stands still for 20 s at one of its calls and then goes on as if nothing had happened.
      const scheduler: TestScheduler = begin({
        see: (world, environment) => (environment === 1 ? stalled(world, () => scheduler, call) : world),
      })
      await scheduler.run(0)
      const { job } = await saveBody(scheduler.world, body('each'), asking)
      await scheduler.run(45)
      expectAll(scheduler, 'each', firstOf(job), 43)
    }
  })
})

/** A world in which one call takes twenty seconds. */
const stalled = (world: TestSchedulerWorld, scheduler: () => TestScheduler, stalls: number): TestSchedulerWorld =>
  beforeEveryCall(world, async (call) => {
    if (call === stalls) await scheduler().time.until(scheduler().time.nowMs() + 20_000)
  })

describe('a queue', () => {
  test('that is wiped heals within thirty seconds', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(10)
    scheduler.isExecuting = false
    await scheduler.run(20)
    await scheduler.fast.purge()
    const wipedMs = scheduler.time.nowMs()
    scheduler.isExecuting = true
    await scheduler.run(60)
    expectAll(scheduler, 'each', 4, 60)
    const healed = scheduler.sent.filter(({ second }) => second > START + 10 && second <= START + 20)
    expect(Math.max(...healed.map(({ atMs }) => atMs)) - wipedMs).toBeLessThanOrEqual(30_000)
  })

  test('with a slow backlog is not filled with copies of itself', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    await saveBody(scheduler.world, body('each', { schedules: [{ every: 10 }] }), asking)
    scheduler.isExecuting = false
    await scheduler.run(300)
    const { visible } = await scheduler.fast.counts()
    // Thirty instants, each sent again at most at the ages of 20, 80 and 320 s.
    expect(visible).toBeLessThanOrEqual(30 * 3 + 3)
    scheduler.isExecuting = true
    await scheduler.run(310)
    expect(scheduler.seconds('each').filter((second) => second <= 300)).toEqual(range(10, 300, 10))
  })

  test('that takes nothing for five minutes gets all of it afterwards', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(10)
    const { send } = scheduler.fast
    scheduler.fast.send = async (messages) => ({ unsent: messages, refused: [] })
    await scheduler.run(310)
    scheduler.fast.send = send
    await scheduler.run(360)
    expectAll(scheduler, 'each', firstOf(job), 350)
    expect(scheduler.errors).toEqual([])
  })

  test('that acknowledges nothing now and then is given it again, and no second is skipped', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    await saveBody(scheduler.world, body('each'), asking)
    const { send } = scheduler.fast
    let refusals = 0
    scheduler.fast.send = async (messages) => {
      refusals += 1
      return refusals % 3 === 0 ? { unsent: messages, refused: [] } : send.call(scheduler.fast, messages)
    }
    await scheduler.run(40)
    expectAll(scheduler, 'each', 4, 39)
    expect(scheduler.warnings().some((line) => line.includes('not acknowledged'))).toBe(true)
  })
})

describe('an edit', () => {
  const moments = range(0, 1000, 100)

  test.each(moments)('that stops a job %d ms into a second lets no instant pass from its time on', async (ms) => {
    const scheduler = begin()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.time.run((START + 10) * 1000 + ms)
    const { job: stopped } = await stopJob(scheduler.world, job.definition, { code: 'BY_HAND', reason: 'stop' }, asking)
    const from = stopped.versions[1].activeFrom - START
    await scheduler.run(30)
    expect(scheduler.seconds('each')).toEqual(range(firstOf(job), from - 1))
    expect(from).toBeLessThanOrEqual(13)
  })

  test.each(moments)('that deletes a job %d ms into a second ends it just so', async (ms) => {
    const scheduler = begin()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.time.run((START + 10) * 1000 + ms)
    const { job: gone } = await deleteJob(scheduler.world, job.definition, asking)
    await scheduler.run(30)
    expect(scheduler.seconds('each')).toEqual(range(firstOf(job), gone.versions[1].activeFrom - START - 1))
  })

  test.each(moments)('of a schedule %d ms into a second holds from its time on', async (ms) => {
    const scheduler = begin()
    await scheduler.run(1)
    const { job: first } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.time.run((START + 10) * 1000 + ms)
    const { job } = await saveBody(scheduler.world, body('each', { schedules: [{ every: 5 }] }), asking)
    const from = job.versions[1].activeFrom - START
    await scheduler.run(30)
    expect(scheduler.seconds('each')).toEqual([
      ...range(firstOf(first), from - 1),
      ...range(Math.ceil(from / 5) * 5, 30, 5),
    ])
  })

  test('of a one-time job: one that is due in a second fires two seconds from now', async () => {
    const scheduler = begin()
    await scheduler.run(3)
    const at = formatInstant(START + 5)
    const { job } = await saveBody(scheduler.world, body('soon', { schedules: [{ at }] }), asking)
    const due = job.versions[0].activeFrom - START
    expect(due).toBe(5)
    await scheduler.run(10)
    expect(scheduler.seconds('soon')).toEqual([due])
    const stored = await scheduler.world.jobs.read(job.id)
    expect(stored).toMatchObject({ stopped: { reason: 'no instant left', by: SYSTEM } })
  })

  test('that moves a one-time job in its last seconds fires it once', async () => {
    for (const ms of moments) {
      const scheduler = begin()
      await scheduler.run(1)
      await saveBody(scheduler.world, body('moved', { schedules: [{ at: formatInstant(START + 12) }] }), asking)
      await scheduler.time.run((START + 8) * 1000 + ms)
      await saveBody(scheduler.world, body('moved', { schedules: [{ at: formatInstant(START + 20) }] }), asking)
      await scheduler.run(30)
      expect(scheduler.seconds('moved')).toEqual([20])
    }
  })
})

describe('stops and restarts by schedule', () => {
  test('travel beside the runs of their second', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    const schedules = [{ every: 10 }, { kind: 'stop', every: 20 }, { kind: 'restart', every: 30 }]
    const { job } = await saveBody(scheduler.world, body('kinds', { schedules }), asking)
    await scheduler.run(65)
    const at = (second: number) =>
      scheduler.sent
        .filter((each) => each.second === START + second)
        .map(({ trigger }) => trigger)
        .sort()
    expect(at(10)).toEqual(['SCHEDULE'])
    expect(at(20)).toEqual(['SCHEDULE'])
    expect(at(30)).toEqual(['RESTART'])
    expect(at(60)).toEqual(['RESTART'])
    const stopped = await Promise.all([20, 40, 60].map((second) => scheduler.entryOf(`${job.id}~`, START + second)))
    expect(stopped.map((entry) => entry?.status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'])
  })
})

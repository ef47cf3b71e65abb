// The chain on dynoxide and fauxqs with a clock that the test drives: what takes hours, or must happen at one exact call.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { deleteJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import type { Message } from '../../shared/ports.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { asking, body, range } from '../support/job-body.ts'
import { ALL_TAKEN } from '../support/memory/queue.ts'
import { RecordingHandlers } from '../support/recording-handlers.ts'
import { saveBody } from '../support/save.ts'
import { type RealEngines, realEngines, whyNoRealEngines } from '../support/scheduler-engines.ts'
import { mostAtOnce } from '../support/sweep.ts'
import { START, TestScheduler, type TestSchedulerOptions } from '../support/test-scheduler.ts'

const THEN_MEND = [{ on: 'failure', job: 'default/mend' }]

const firstOf = (job: StoredJob): number => job.versions[0].activeFrom - START

describe.skipIf(whyNoRealEngines() !== null)('on dynoxide and fauxqs, in driven time', () => {
  let engines: RealEngines
  const schedulers: TestScheduler[] = []

  beforeAll(async () => {
    engines = await realEngines()
  })
  afterAll(async () => {
    await engines.stop()
  })
  afterEach(async () => {
    for (const scheduler of schedulers.splice(0)) await scheduler.close()
  })

  async function begin(
    options: Omit<TestSchedulerOptions, 'engines'> = {},
    queueAttributes: Record<string, string> = {},
  ): Promise<TestScheduler> {
    const scheduler = new TestScheduler({ ...options, engines: await engines.make(queueAttributes) })
    schedulers.push(scheduler)
    scheduler.rig.start()
    return scheduler
  }

  function expectAll(scheduler: TestScheduler, name: string, from: number, to: number): void {
    expect(scheduler.seconds(name).filter((second) => second >= from && second <= to)).toEqual(range(from, to))
    expect(scheduler.sent.filter(({ atMs, second }) => atMs < second * 1000)).toEqual([])
  }

  test('a job whose message is larger than its queue takes fails, and those beside it miss nothing', async () => {
    const scheduler = await begin({}, { MaximumMessageSize: '2048' })
    await scheduler.run(0)
    const large = await saveBody(scheduler.world, body('large', { payload: 'é'.repeat(500), then: THEN_MEND }), asking)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await saveBody(scheduler.world, body('mend', { schedules: [{ every: 86_400 }] }), asking)
    await scheduler.run(40)
    expectAll(scheduler, 'each', firstOf(job), 39)
    expect(scheduler.seconds('large')).toEqual([])
    expect((await scheduler.entryOf(large.job.id, START + 20))?.status).toBe('FAILED')
    expect(scheduler.seconds('mend')).toContain(20)
    const [detail] = await scheduler.world.ledger.readDetails([{ jobId: large.job.id, second: START + 20 }])
    expect(detail?.reason).toMatch(/^the fast queue will never take its message \(.* shorter than 2048 bytes/)
    expect((await scheduler.world.shards.read(0))?.sentThrough).toBeGreaterThanOrEqual(START + 38)
    expect(await scheduler.world.open.due(0, (START + 1000) * 1000, 10)).toEqual([])
  })

  const kills = range(2, 34, 2).map((call) => ({
    call,
    when: call % 4 === 0 ? ('before' as const) : ('after' as const),
  }))

  test.each(kills)(
    'a ticker killed at call $call, $when its effect, is replaced and nothing is lost',
    async (point) => {
      const scheduler = await begin({ killTick: (environment) => (environment === 1 ? point : undefined) })
      await scheduler.run(0)
      const { job } = await saveBody(scheduler.world, body('each'), asking)
      await scheduler.run(25)
      expectAll(scheduler, 'each', firstOf(job), 24)
    },
  )

  test.each([8, 14, 20, 26])('a zombie that resumes at call %d after a take-over changes nothing', async (stalls) => {
    const scheduler: TestScheduler = await begin({
      see: (world, environment) =>
        environment !== 1
          ? world
          : beforeEveryCall(world, async (call) => {
              if (call === stalls) await scheduler.time.until(scheduler.time.nowMs() + 20_000)
            }),
    })
    await scheduler.run(0)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(35)
    expectAll(scheduler, 'each', firstOf(job), 34)
  })

  test.each([
    { name: 'doubles', deliveries: () => [150, 250] },
    { name: 'delays', deliveries: () => [2500] },
    { name: 'repeats much later', deliveries: () => [200, 9000] },
  ])('a bus that $name events loses and doubles nothing', async ({ deliveries }) => {
    const scheduler = await begin({ deliveries })
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(30)
    expectAll(scheduler, 'each', firstOf(job), 25)
  })

  test('a bus that drops events loses nothing', async () => {
    let events = 0
    const deliveries = () => {
      events += 1
      return events % 12 === 0 ? [] : [200]
    }
    const scheduler = await begin({ deliveries })
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(45)
    expectAll(scheduler, 'each', firstOf(job), 32)
  })

  test('a purged queue heals within thirty seconds', async () => {
    const scheduler = await begin()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(8)
    scheduler.isExecuting = false
    await scheduler.run(14)
    await scheduler.fast.purge()
    const purgedMs = scheduler.time.nowMs()
    scheduler.isExecuting = true
    await scheduler.run(50)
    expectAll(scheduler, 'each', firstOf(job), 50)
    const healed = scheduler.sent.filter(({ second }) => second > START + 8 && second <= START + 14)
    expect(Math.max(...healed.map(({ atMs }) => atMs)) - purgedMs).toBeLessThanOrEqual(30_000)
  })

  test.each(range(0, 900, 300))('edits, stops and deletes %d ms into a second hold from their time on', async (ms) => {
    const scheduler = await begin()
    await scheduler.run(1)
    const [stopped, deleted, edited] = await Promise.all(
      ['stopped', 'deleted', 'edited'].map(async (name) => (await saveBody(scheduler.world, body(name), asking)).job),
    )
    await scheduler.time.run((START + 6) * 1000 + ms)
    const { job: stop } = await stopJob(
      scheduler.world,
      stopped.definition,
      { code: 'BY_HAND', reason: 'stop' },
      asking,
    )
    const { job: gone } = await deleteJob(scheduler.world, deleted.definition, asking)
    const { job: edit } = await saveBody(scheduler.world, body('edited', { schedules: [{ every: 5 }] }), asking)
    await scheduler.run(20)
    const endOf = (job: StoredJob) => job.versions[1].activeFrom - START - 1
    expect(scheduler.seconds('stopped')).toEqual(range(firstOf(stopped), endOf(stop)))
    expect(scheduler.seconds('deleted')).toEqual(range(firstOf(deleted), endOf(gone)))
    expect(scheduler.seconds('edited')).toEqual([...range(firstOf(edited), endOf(edit)), 10, 15, 20])
  })

  test('a one-time job a second ahead fires', async () => {
    const scheduler = await begin()
    await scheduler.run(1)
    const { job } = await saveBody(
      scheduler.world,
      body('once', { schedules: [{ at: formatInstant(START + 2) }] }),
      asking,
    )
    await scheduler.run(6)
    expect(scheduler.seconds('once')).toEqual([firstOf(job)])
  })

  describe('two hours away and back', () => {
    const away = async (misfire: object) => {
      const scheduler = await begin()
      await scheduler.run(1)
      const { job } = await saveBody(scheduler.world, body('job', { schedules: [{ every: 60 }], misfire }), asking)
      await scheduler.run(62)
      scheduler.time.skip(7200)
      await scheduler.run(62 + 7200 + 130)
      const missed = await scheduler.world.ledger.missedOf(job.id, START, START + 9000)
      const of = (trigger: string) =>
        scheduler.sent.filter((each) => each.trigger === trigger).map(({ second }) => second - START)
      return { missed: missed.reduce((sum, { count }) => sum + count, 0), of }
    }
    const live = [60, 7260, 7320, 7380]

    test('FIRE_ONCE_NOW fires the newest missed instant', async () => {
      const { missed, of } = await away({ policy: 'FIRE_ONCE_NOW' })
      expect([of('SCHEDULE'), of('MISFIRE'), missed]).toEqual([live, [7200], 118])
    })

    test('DO_NOTHING fires none', async () => {
      const { missed, of } = await away({ policy: 'DO_NOTHING' })
      expect([of('SCHEDULE'), of('MISFIRE'), missed]).toEqual([live, [], 119])
    })

    test('CATCH_UP fires what lies in its window', async () => {
      const { missed, of } = await away({ policy: 'CATCH_UP', window: 1800 })
      expect(of('SCHEDULE')).toEqual(live)
      // Between runs that arrive together the first to come is the first to start.
      expect(of('CATCH_UP').sort((a, b) => a - b)).toEqual(range(5520, 7200, 60))
      expect(missed + of('CATCH_UP').length).toBe(119)
    })
  })

  test('a shard sleeps, is woken by a job, and sleeps again', async () => {
    const scheduler = await begin()
    await scheduler.run(10)
    expect((await scheduler.world.shards.read(0))?.sleepUntil).not.toBeNull()
    await saveBody(scheduler.world, body('soon', { schedules: [{ at: formatInstant(START + 20) }] }), asking)
    await scheduler.run(30)
    expect(scheduler.seconds('soon')).toEqual([20])
    expect((await scheduler.world.shards.read(0))?.sleepUntil).not.toBeNull()
  })

  describe('executors', () => {
    const recording = new RecordingHandlers()
    const beginRecorded = (options: Omit<TestSchedulerOptions, 'engines'> = {}) =>
      begin({ handlers: (scheduler) => recording.handlers(scheduler), ...options })
    const take = (name: string, part: object) => body(name, { target: { type: 'handler', handler: 'take' }, ...part })
    const startedOnce = (scheduler: TestScheduler) => {
      const starts = scheduler.sent.map(({ runId, attempt }) => `${runId} ${attempt}`)
      expect(new Set(starts).size).toBe(starts.length)
    }

    test.each(range(1, 19, 3))('one that is killed at call %d is replaced, and its runs end', async (call) => {
      const when = call % 2 === 0 ? 'before' : 'after'
      const scheduler = await beginRecorded({
        killExecutor: (n) => (n === 1 ? { call, when } : undefined),
        executors: 2,
      })
      await scheduler.run(0)
      const retry = { attempts: 1, delay: 5, maxDelay: 5 }
      const part = { schedules: [{ every: 30 }], timeout: 4, payload: { ms: 300 }, retry }
      const jobs = await Promise.all(
        range(1, 4).map(async (n) => (await saveBody(scheduler.world, take(`job-${n}`, part), asking)).job),
      )
      await scheduler.run(125)
      for (const { id } of jobs) {
        const ends = await Promise.all([30, 60].map((second) => scheduler.entryOf(id, START + second)))
        expect(ends.map((entry) => entry?.status)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
        expect(await scheduler.world.locks.read(id)).toEqual({ holders: [], waiting: [] })
      }
      startedOnce(scheduler)
    })

    test('start everything once when every message is delivered ten times, the last one first', async () => {
      const scheduler = await beginRecorded()
      const { send } = scheduler.fast
      scheduler.fast.send = (messages) =>
        send.call(scheduler.fast, [...range(1, 10).flatMap(() => [...messages])].reverse())
      await scheduler.run(0)
      const { job } = await saveBody(scheduler.world, take('dense', { timeout: 4, payload: { ms: 200 } }), asking)
      await saveBody(scheduler.world, take('rare', { schedules: [{ every: 10 }], timeout: 2 }), asking)
      await scheduler.run(25)
      expect(scheduler.seconds('dense').filter((second) => second <= 20)).toEqual(range(firstOf(job), 20))
      expect(scheduler.seconds('rare')).toEqual([10, 20])
      startedOnce(scheduler)
      expect(mostAtOnce(recording.of(job.id))).toBe(1)
    })

    test('let a message that is an hour late start what may still start, once', async () => {
      const scheduler = await beginRecorded()
      const { send, counts } = scheduler.fast
      const late: Message[] = []
      scheduler.fast.send = async (messages) => {
        late.push(...messages)
        return ALL_TAKEN
      }
      scheduler.fast.counts = async () => ({ visible: 1, inFlight: 0, delayed: 0 })
      await scheduler.run(0)
      const schedules = [{ at: formatInstant(START + 10) }]
      const usual = await saveBody(scheduler.world, take('usual', { schedules }), asking)
      const expires = await saveBody(scheduler.world, take('expires', { schedules, maxLateness: 60 }), asking)
      await scheduler.run(20)
      scheduler.time.skip(3600)
      Object.assign(scheduler.fast, { send, counts })
      await scheduler.fast.send(late)
      await scheduler.run(3660)
      expect((await scheduler.entryOf(usual.job.id, START + 10))?.status).toBe('SUCCEEDED')
      expect(['EXPIRED', 'MISSED']).toContain((await scheduler.entryOf(expires.job.id, START + 10))?.status)
      expect(scheduler.seconds('usual')).toEqual([10])
    })
  })
})

// The chain on dynoxide and fauxqs with a clock that the test drives: what takes hours, or must happen at one exact call.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { deleteJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import type { Message } from '../../shared/ports.ts'
import { asking, body, range } from '../support/job-body.ts'
import { ALL_TAKEN } from '../support/memory/queue.ts'
import { saveBody } from '../support/save.ts'
import { Stage } from '../support/stage.ts'
import { mostAtOnce } from '../support/sweep.ts'
import { START, Town, type TownOptions } from '../support/town.ts'
import { type RealEngines, realEngines, whyNoRealTown } from '../support/town-engines.ts'
import { beforeEveryCall } from '../support/worlds/every-call.ts'

const THEN_MEND = [{ on: 'failure', job: 'default/mend' }]

const firstOf = (job: StoredJob): number => job.versions[0].activeFrom - START

describe.skipIf(whyNoRealTown() !== null)('on dynoxide and fauxqs, in driven time', () => {
  let engines: RealEngines
  const towns: Town[] = []

  beforeAll(async () => {
    engines = await realEngines()
  })
  afterAll(async () => {
    await engines.stop()
  })
  afterEach(async () => {
    for (const town of towns.splice(0)) await town.close()
  })

  async function begin(
    options: Omit<TownOptions, 'engines'> = {},
    queueAttributes: Record<string, string> = {},
  ): Promise<Town> {
    const town = new Town({ ...options, engines: await engines.make(queueAttributes) })
    towns.push(town)
    town.rig.start()
    return town
  }

  function expectAll(town: Town, name: string, from: number, to: number): void {
    expect(town.seconds(name).filter((second) => second >= from && second <= to)).toEqual(range(from, to))
    expect(town.sent.filter(({ atMs, second }) => atMs < second * 1000)).toEqual([])
  }

  test('a job whose message is larger than its queue takes fails, and those beside it miss nothing', async () => {
    const town = await begin({}, { MaximumMessageSize: '2048' })
    await town.run(0)
    const large = await saveBody(town.world, body('large', { payload: 'é'.repeat(500), then: THEN_MEND }), asking)
    const { job } = await saveBody(town.world, body('each'), asking)
    await saveBody(town.world, body('mend', { schedules: [{ every: 86_400 }] }), asking)
    await town.run(40)
    expectAll(town, 'each', firstOf(job), 39)
    expect(town.seconds('large')).toEqual([])
    expect((await town.entryOf(large.job.id, START + 20))?.status).toBe('FAILED')
    expect(town.seconds('mend')).toContain(20)
    const [detail] = await town.world.ledger.readDetails([{ jobId: large.job.id, second: START + 20 }])
    expect(detail?.reason).toMatch(/^the fast queue will never take its message \(.* shorter than 2048 bytes/)
    expect((await town.world.shards.read(0))?.sentThrough).toBeGreaterThanOrEqual(START + 38)
    expect(await town.world.open.due(0, (START + 1000) * 1000, 10)).toEqual([])
  })

  const kills = range(2, 34, 2).map((call) => ({
    call,
    when: call % 4 === 0 ? ('before' as const) : ('after' as const),
  }))

  test.each(kills)(
    'a ticker killed at call $call, $when its effect, is replaced and nothing is lost',
    async (point) => {
      const town = await begin({ killTick: (environment) => (environment === 1 ? point : undefined) })
      await town.run(0)
      const { job } = await saveBody(town.world, body('each'), asking)
      await town.run(25)
      expectAll(town, 'each', firstOf(job), 24)
    },
  )

  test.each([8, 14, 20, 26])('a zombie that resumes at call %d after a take-over changes nothing', async (stalls) => {
    const town: Town = await begin({
      see: (world, environment) =>
        environment !== 1
          ? world
          : beforeEveryCall(world, async (call) => {
              if (call === stalls) await town.time.until(town.time.nowMs() + 20_000)
            }),
    })
    await town.run(0)
    const { job } = await saveBody(town.world, body('each'), asking)
    await town.run(35)
    expectAll(town, 'each', firstOf(job), 34)
  })

  test.each([
    { name: 'doubles', deliveries: () => [150, 250] },
    { name: 'delays', deliveries: () => [2500] },
    { name: 'repeats much later', deliveries: () => [200, 9000] },
  ])('a bus that $name events loses and doubles nothing', async ({ deliveries }) => {
    const town = await begin({ deliveries })
    await town.run(1)
    const { job } = await saveBody(town.world, body('each'), asking)
    await town.run(30)
    expectAll(town, 'each', firstOf(job), 25)
  })

  test('a bus that drops events loses nothing', async () => {
    let events = 0
    const deliveries = () => {
      events += 1
      return events % 12 === 0 ? [] : [200]
    }
    const town = await begin({ deliveries })
    await town.run(1)
    const { job } = await saveBody(town.world, body('each'), asking)
    await town.run(45)
    expectAll(town, 'each', firstOf(job), 32)
  })

  test('a purged queue heals within thirty seconds', async () => {
    const town = await begin()
    await town.run(1)
    const { job } = await saveBody(town.world, body('each'), asking)
    await town.run(8)
    town.isExecuting = false
    await town.run(14)
    await town.fast.purge()
    const purgedMs = town.time.nowMs()
    town.isExecuting = true
    await town.run(50)
    expectAll(town, 'each', firstOf(job), 50)
    const healed = town.sent.filter(({ second }) => second > START + 8 && second <= START + 14)
    expect(Math.max(...healed.map(({ atMs }) => atMs)) - purgedMs).toBeLessThanOrEqual(30_000)
  })

  test.each(range(0, 900, 300))('edits, stops and deletes %d ms into a second hold from their time on', async (ms) => {
    const town = await begin()
    await town.run(1)
    const [stopped, deleted, edited] = await Promise.all(
      ['stopped', 'deleted', 'edited'].map(async (name) => (await saveBody(town.world, body(name), asking)).job),
    )
    await town.time.run((START + 6) * 1000 + ms)
    const { job: stop } = await stopJob(town.world, stopped.definition, { code: 'BY_HAND', reason: 'stop' }, asking)
    const { job: gone } = await deleteJob(town.world, deleted.definition, asking)
    const { job: edit } = await saveBody(town.world, body('edited', { schedules: [{ every: 5 }] }), asking)
    await town.run(20)
    const endOf = (job: StoredJob) => job.versions[1].activeFrom - START - 1
    expect(town.seconds('stopped')).toEqual(range(firstOf(stopped), endOf(stop)))
    expect(town.seconds('deleted')).toEqual(range(firstOf(deleted), endOf(gone)))
    expect(town.seconds('edited')).toEqual([...range(firstOf(edited), endOf(edit)), 10, 15, 20])
  })

  test('a one-time job a second ahead fires', async () => {
    const town = await begin()
    await town.run(1)
    const { job } = await saveBody(town.world, body('once', { schedules: [{ at: formatInstant(START + 2) }] }), asking)
    await town.run(6)
    expect(town.seconds('once')).toEqual([firstOf(job)])
  })

  describe('two hours away and back', () => {
    const away = async (misfire: object) => {
      const town = await begin()
      await town.run(1)
      const { job } = await saveBody(town.world, body('job', { schedules: [{ every: 60 }], misfire }), asking)
      await town.run(62)
      town.time.skip(7200)
      await town.run(62 + 7200 + 130)
      const missed = await town.world.ledger.missedOf(job.id, START, START + 9000)
      const of = (trigger: string) =>
        town.sent.filter((each) => each.trigger === trigger).map(({ second }) => second - START)
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
    const town = await begin()
    await town.run(10)
    expect((await town.world.shards.read(0))?.sleepUntil).not.toBeNull()
    await saveBody(town.world, body('soon', { schedules: [{ at: formatInstant(START + 20) }] }), asking)
    await town.run(30)
    expect(town.seconds('soon')).toEqual([20])
    expect((await town.world.shards.read(0))?.sleepUntil).not.toBeNull()
  })

  describe('executors', () => {
    const stage = new Stage()
    const beginStaged = (options: Omit<TownOptions, 'engines'> = {}) =>
      begin({ handlers: (town) => stage.handlers(town), ...options })
    const take = (name: string, part: object) => body(name, { target: { type: 'handler', handler: 'take' }, ...part })
    const startedOnce = (town: Town) => {
      const starts = town.sent.map(({ runId, attempt }) => `${runId} ${attempt}`)
      expect(new Set(starts).size).toBe(starts.length)
    }

    test.each(range(1, 19, 3))('one that is killed at call %d is replaced, and its runs end', async (call) => {
      const when = call % 2 === 0 ? 'before' : 'after'
      const town = await beginStaged({ killExecutor: (n) => (n === 1 ? { call, when } : undefined), executors: 2 })
      await town.run(0)
      const retry = { attempts: 1, delay: 5, maxDelay: 5 }
      const part = { schedules: [{ every: 30 }], timeout: 4, payload: { ms: 300 }, retry }
      const jobs = await Promise.all(
        range(1, 4).map(async (n) => (await saveBody(town.world, take(`job-${n}`, part), asking)).job),
      )
      await town.run(125)
      for (const { id } of jobs) {
        const ends = await Promise.all([30, 60].map((second) => town.entryOf(id, START + second)))
        expect(ends.map((entry) => entry?.status)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
        expect(await town.world.locks.read(id)).toEqual({ holders: [], waiting: [] })
      }
      startedOnce(town)
    })

    test('start everything once when every message is delivered ten times, the last one first', async () => {
      const town = await beginStaged()
      const { send } = town.fast
      town.fast.send = (messages) => send.call(town.fast, [...range(1, 10).flatMap(() => [...messages])].reverse())
      await town.run(0)
      const { job } = await saveBody(town.world, take('dense', { timeout: 4, payload: { ms: 200 } }), asking)
      await saveBody(town.world, take('rare', { schedules: [{ every: 10 }], timeout: 2 }), asking)
      await town.run(25)
      expect(town.seconds('dense').filter((second) => second <= 20)).toEqual(range(firstOf(job), 20))
      expect(town.seconds('rare')).toEqual([10, 20])
      startedOnce(town)
      expect(mostAtOnce(stage.of(job.id))).toBe(1)
    })

    test('let a message that is an hour late start what may still start, once', async () => {
      const town = await beginStaged()
      const { send, counts } = town.fast
      const late: Message[] = []
      town.fast.send = async (messages) => {
        late.push(...messages)
        return ALL_TAKEN
      }
      town.fast.counts = async () => ({ visible: 1, inFlight: 0, delayed: 0 })
      await town.run(0)
      const schedules = [{ at: formatInstant(START + 10) }]
      const usual = await saveBody(town.world, take('usual', { schedules }), asking)
      const expires = await saveBody(town.world, take('expires', { schedules, maxLateness: 60 }), asking)
      await town.run(20)
      town.time.skip(3600)
      Object.assign(town.fast, { send, counts })
      await town.fast.send(late)
      await town.run(3660)
      expect((await town.entryOf(usual.job.id, START + 10))?.status).toBe('SUCCEEDED')
      expect(['EXPIRED', 'MISSED']).toContain((await town.entryOf(expires.job.id, START + 10))?.status)
      expect(town.seconds('usual')).toEqual([10])
    })
  })
})

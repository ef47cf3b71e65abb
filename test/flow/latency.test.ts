// A store whose every call takes a while: then a link is still busy when the next event comes, and another environment takes it.

import { describe, expect, test } from 'vitest'
import { writeDepths } from '../../shared/aws/depth-text.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import type { States } from '../../shared/ports.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { asking, body, range } from '../support/job-body.ts'
import { saveAll, saveBody } from '../support/save.ts'
import { START, type TestScheduler, type TestSchedulerOptions } from '../support/test-scheduler.ts'
import { schedulersOfThisFile } from '../support/test-schedulers.ts'

const begin = schedulersOfThisFile()
const HOURS = 7200

/** Every call of every process takes so many milliseconds. */
function beginSlow(latencyMs: number, options: TestSchedulerOptions = {}): TestScheduler {
  const scheduler: TestScheduler = begin({
    ...options,
    see: (world) =>
      beforeEveryCall(world, async () => {
        // The first calls are made before the scheduler is there.
        await Promise.resolve()
        await scheduler.time.until(scheduler.time.nowMs() + latencyMs)
      }),
  })
  return scheduler
}

const everyMinute = (name: string, part: object = {}) => body(name, { schedules: [{ every: 60 }], ...part })

async function away(scheduler: TestScheduler, at: number): Promise<void> {
  await scheduler.run(at)
  scheduler.time.skip(HOURS)
}

describe('with a store that takes its time', () => {
  test('every second is sent once, by environments in turn', async () => {
    const scheduler = beginSlow(110)
    await scheduler.run(3)
    const { job } = await saveBody(scheduler.world, body('each'), asking)
    await scheduler.run(60)
    const first = job.versions[0].activeFrom - START
    expect(scheduler.seconds('each').filter((second) => second <= 58)).toEqual(range(first, 58))
    expect(scheduler.ticked.filter((each) => 'isCold' in each && each.isCold).length).toBeGreaterThan(1)
  })

  test('a gap of two hours and a thousand jobs is worked off to its end, and the shard sleeps again', async () => {
    const scheduler = beginSlow(20)
    await scheduler.run(3)
    await saveAll(
      scheduler.world,
      range(1, 1000).map((n) => body(`job-${n}`, { schedules: [{ cron: '0 * * * *' }] })),
      asking,
    )
    await away(scheduler, 30)
    await scheduler.run(30 + HOURS + 120)
    const fired = scheduler.sent.filter(({ trigger }) => trigger === 'MISFIRE')
    expect(fired).toHaveLength(1000)
    expect(new Set(fired.map(({ name }) => name)).size).toBe(1000)
    const item = await scheduler.world.shards.read(0)
    expect(item?.backlog).toEqual([])
    expect(item?.sleepUntil).not.toBeNull()
  })

  test('what is caught up is caught up once, and its cursors go', async () => {
    const scheduler = beginSlow(8)
    await scheduler.run(3)
    const misfire = { policy: 'CATCH_UP', window: HOURS * 2 }
    const { job } = await saveBody(scheduler.world, body('late', { schedules: [{ every: 20 }], misfire }), asking)
    await away(scheduler, 40)
    await scheduler.run(40 + HOURS + 60)
    const caughtUp = scheduler.sent.filter(({ trigger }) => trigger === 'CATCH_UP').map(({ second }) => second - START)
    expect(caughtUp).toEqual(range(caughtUp[0], caughtUp[caughtUp.length - 1], 20))
    expect(caughtUp.length).toBeGreaterThan(350)
    expect((await scheduler.world.states.read(job.id)).catchUp).toEqual([])
  })

  test('a one-time job of a gap is not forgotten when the ticker starts from cold', async () => {
    const scheduler = beginSlow(20)
    await scheduler.run(3)
    await saveAll(
      scheduler.world,
      range(1, 300).map((n) => everyMinute(`job-${n}`)),
      asking,
    )
    await saveBody(scheduler.world, body('once', { schedules: [{ at: formatInstant(START + 3000) }] }), asking)
    await away(scheduler, 30)
    await scheduler.run(30 + HOURS + 2)
    scheduler.rig.ticks.kill()
    await scheduler.run(30 + HOURS + 200)
    expect(scheduler.seconds('once')).toEqual([3000])
  })
})

describe('a queue that takes a third of a second for everything', () => {
  test('holds up no chain', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    await saveAll(
      scheduler.world,
      range(1, 200).map((n) => body(`job-${n}`)),
      asking,
    )
    const { send } = scheduler.fast
    scheduler.fast.send = async (messages) => {
      await scheduler.time.until(scheduler.time.nowMs() + 350)
      return send.call(scheduler.fast, messages)
    }
    await scheduler.run(60)
    expect(scheduler.seconds('job-7').filter((second) => second >= 10 && second <= 55)).toEqual(range(10, 55))
    const item = await scheduler.world.shards.read(0)
    expect(item?.sentThrough).toBeGreaterThan(START + 50)
  })
})

describe('a job whose state cannot be read', () => {
  test('holds up neither the audit nor the other jobs', async () => {
    const scheduler: TestScheduler = begin()
    await scheduler.run(2)
    const misfire = { policy: 'CATCH_UP', window: HOURS }
    const { job } = await saveBody(scheduler.world, everyMinute('poison', { misfire }), asking)
    await saveBody(scheduler.world, body('each'), asking)
    const { read, change } = scheduler.world.states
    const fails = (): Promise<never> => Promise.reject(new Error('the item cannot be read'))
    scheduler.world.states.read = (jobId) => (jobId === job.id ? fails() : read.call(scheduler.world.states, jobId))
    scheduler.world.states.change = ((jobId, decide) =>
      jobId === job.id ? fails() : change.call(scheduler.world.states, jobId, decide)) as States['change']
    await away(scheduler, 60)
    await scheduler.run(60 + HOURS + 300)
    const item = await scheduler.world.shards.read(0)
    expect(item?.auditedThrough).toBeGreaterThan(START + HOURS + 300)
    expect(item?.depths.size).toBeLessThan(300)
    expect(scheduler.warnings().length).toBeGreaterThan(0)
  })
})

describe('a shard that sleeps', () => {
  test('has runs that an executor must come back to sent again', async () => {
    const scheduler = begin()
    await scheduler.run(10)
    const open = {
      shard: 0,
      dueMs: (START + 300) * 1000,
      runId: 'AAAAAAAAAAA.1',
      times: 0,
      beatMs: null,
      lane: 'slow',
      attempt: 2,
    } as const
    scheduler.isExecuting = false
    await scheduler.world.open.put({ ...open, message: '{}' })
    await scheduler.run(400)
    expect((await scheduler.slow.counts()).visible).toBeGreaterThanOrEqual(1)
  })

  test('wakes for a one-time job although the minute rule paused for some minutes', async () => {
    const scheduler = begin({ hasMinuteRule: false })
    await scheduler.rig.runMinuteRule()
    await scheduler.run(5)
    await saveBody(scheduler.world, body('once', { schedules: [{ at: formatInstant(START + 2000) }] }), asking)
    for (const minute of range(1, 28)) {
      await scheduler.run(minute * 60)
      await scheduler.rig.runMinuteRule()
    }
    await scheduler.run(2200)
    await scheduler.rig.runMinuteRule()
    await scheduler.run(2260)
    expect(scheduler.seconds('once')).toEqual([2000])
  })

  test('of one job that is due once a month keeps a small item', async () => {
    const scheduler = begin({ hasMinuteRule: false })
    await scheduler.rig.runMinuteRule()
    await scheduler.run(5)
    await saveBody(scheduler.world, body('monthly', { schedules: [{ at: formatInstant(START + 2_592_000) }] }), asking)
    await scheduler.run(30)
    scheduler.time.skip(2_592_000 - 60)
    await scheduler.rig.runMinuteRule()
    await scheduler.run(2_592_030)
    expect(scheduler.seconds('monthly')).toEqual([2_592_000])
    const item = await scheduler.world.shards.read(0)
    expect(writeDepths(item?.depths ?? new Map()).length).toBeLessThan(500)
  })
})

describe('a job with an end', () => {
  test('is not stopped before what it missed is caught up', async () => {
    const scheduler = begin()
    await scheduler.run(2)
    const misfire = { policy: 'CATCH_UP', window: HOURS * 2 }
    await saveAll(
      scheduler.world,
      range(1, 2000).map((n) => everyMinute(`job-${n}`, { misfire: { policy: 'DO_NOTHING' } })),
      asking,
    )
    const { job } = await saveBody(
      scheduler.world,
      body('ends', { schedules: [{ every: 30 }], endAt: formatInstant(START + HOURS + 65), misfire }),
      asking,
    )
    await away(scheduler, 60)
    await scheduler.run(60 + HOURS + 200)
    const caughtUp = scheduler.sent.filter(({ name, trigger }) => name === 'ends' && trigger === 'CATCH_UP')
    expect(caughtUp.length).toBeGreaterThan(230)
    expect((await scheduler.world.jobs.read(job.id))?.stopped).toMatchObject({ reason: 'no instant left' })
  })
})

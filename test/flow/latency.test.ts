// A store whose every call takes a while: then a link is still busy when the next event comes, and another environment takes it.

import { describe, expect, test } from 'vitest'
import { writeDepths } from '../../shared/aws/depth-text.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import type { States } from '../../shared/ports.ts'
import { asking, body, range } from '../support/job-body.ts'
import { saveAll, saveBody } from '../support/save.ts'
import { START, type Town, type TownOptions } from '../support/town.ts'
import { townsOfThisFile } from '../support/towns.ts'
import { beforeEveryCall } from '../support/worlds/every-call.ts'

const begin = townsOfThisFile()
const HOURS = 7200

/** Every call of every process takes so many milliseconds. */
function beginSlow(latencyMs: number, options: TownOptions = {}): Town {
  const town: Town = begin({
    ...options,
    see: (world) =>
      beforeEveryCall(world, async () => {
        // The first calls are made before the town is there.
        await Promise.resolve()
        await town.time.until(town.time.nowMs() + latencyMs)
      }),
  })
  return town
}

const everyMinute = (name: string, part: object = {}) => body(name, { schedules: [{ every: 60 }], ...part })

async function away(town: Town, at: number): Promise<void> {
  await town.run(at)
  town.time.skip(HOURS)
}

describe('with a store that takes its time', () => {
  test('every second is sent once, by environments in turn', async () => {
    const town = beginSlow(110)
    await town.run(3)
    const { job } = await saveBody(town.world, body('each'), asking)
    await town.run(60)
    const first = job.versions[0].activeFrom - START
    expect(town.seconds('each').filter((second) => second <= 58)).toEqual(range(first, 58))
    expect(town.ticked.filter((each) => 'isCold' in each && each.isCold).length).toBeGreaterThan(1)
  })

  test('a gap of two hours and a thousand jobs is worked off to its end, and the shard sleeps again', async () => {
    const town = beginSlow(20)
    await town.run(3)
    await saveAll(
      town.world,
      range(1, 1000).map((n) => body(`job-${n}`, { schedules: [{ cron: '0 * * * *' }] })),
      asking,
    )
    await away(town, 30)
    await town.run(30 + HOURS + 120)
    const fired = town.sent.filter(({ trigger }) => trigger === 'MISFIRE')
    expect(fired).toHaveLength(1000)
    expect(new Set(fired.map(({ name }) => name)).size).toBe(1000)
    const item = await town.world.shards.read(0)
    expect(item?.backlog).toEqual([])
    expect(item?.sleepUntil).not.toBeNull()
  })

  test('what is caught up is caught up once, and its cursors go', async () => {
    const town = beginSlow(8)
    await town.run(3)
    const misfire = { policy: 'CATCH_UP', window: HOURS * 2 }
    const { job } = await saveBody(town.world, body('late', { schedules: [{ every: 20 }], misfire }), asking)
    await away(town, 40)
    await town.run(40 + HOURS + 60)
    const caughtUp = town.sent.filter(({ trigger }) => trigger === 'CATCH_UP').map(({ second }) => second - START)
    expect(caughtUp).toEqual(range(caughtUp[0], caughtUp[caughtUp.length - 1], 20))
    expect(caughtUp.length).toBeGreaterThan(350)
    expect((await town.world.states.read(job.id)).catchUp).toEqual([])
  })

  test('a one-time job of a gap is not forgotten when the ticker starts from cold', async () => {
    const town = beginSlow(20)
    await town.run(3)
    await saveAll(
      town.world,
      range(1, 300).map((n) => everyMinute(`job-${n}`)),
      asking,
    )
    await saveBody(town.world, body('once', { schedules: [{ at: formatInstant(START + 3000) }] }), asking)
    await away(town, 30)
    await town.run(30 + HOURS + 2)
    town.rig.ticks.kill()
    await town.run(30 + HOURS + 200)
    expect(town.seconds('once')).toEqual([3000])
  })
})

describe('a queue that takes a third of a second for everything', () => {
  test('holds up no chain', async () => {
    const town = begin()
    await town.run(2)
    await saveAll(
      town.world,
      range(1, 200).map((n) => body(`job-${n}`)),
      asking,
    )
    const { send } = town.fast
    town.fast.send = async (messages) => {
      await town.time.until(town.time.nowMs() + 350)
      return send.call(town.fast, messages)
    }
    await town.run(60)
    expect(town.seconds('job-7').filter((second) => second >= 10 && second <= 55)).toEqual(range(10, 55))
    const item = await town.world.shards.read(0)
    expect(item?.sentThrough).toBeGreaterThan(START + 50)
  })
})

describe('a job whose state cannot be read', () => {
  test('holds up neither the audit nor the other jobs', async () => {
    const town: Town = begin()
    await town.run(2)
    const misfire = { policy: 'CATCH_UP', window: HOURS }
    const { job } = await saveBody(town.world, everyMinute('poison', { misfire }), asking)
    await saveBody(town.world, body('each'), asking)
    const { read, change } = town.world.states
    const fails = (): Promise<never> => Promise.reject(new Error('the item cannot be read'))
    town.world.states.read = (jobId) => (jobId === job.id ? fails() : read.call(town.world.states, jobId))
    town.world.states.change = ((jobId, decide) =>
      jobId === job.id ? fails() : change.call(town.world.states, jobId, decide)) as States['change']
    await away(town, 60)
    await town.run(60 + HOURS + 300)
    const item = await town.world.shards.read(0)
    expect(item?.auditedThrough).toBeGreaterThan(START + HOURS + 300)
    expect(item?.depths.size).toBeLessThan(300)
    expect(town.warnings().length).toBeGreaterThan(0)
  })
})

describe('a shard that sleeps', () => {
  test('has runs that somebody must come back to sent again', async () => {
    const town = begin()
    await town.run(10)
    const open = {
      shard: 0,
      dueMs: (START + 300) * 1000,
      runId: 'AAAAAAAAAAA.1',
      times: 0,
      beatMs: null,
      lane: 'slow',
      attempt: 2,
    } as const
    town.isExecuting = false
    await town.world.open.put({ ...open, message: '{}' })
    await town.run(400)
    expect((await town.slow.counts()).visible).toBeGreaterThanOrEqual(1)
  })

  test('wakes for a one-time job although the minute rule paused for some minutes', async () => {
    const town = begin({ hasMinuteRule: false })
    await town.rig.runMinuteRule()
    await town.run(5)
    await saveBody(town.world, body('once', { schedules: [{ at: formatInstant(START + 2000) }] }), asking)
    for (const minute of range(1, 28)) {
      await town.run(minute * 60)
      await town.rig.runMinuteRule()
    }
    await town.run(2200)
    await town.rig.runMinuteRule()
    await town.run(2260)
    expect(town.seconds('once')).toEqual([2000])
  })

  test('of one job that is due once a month keeps a small item', async () => {
    const town = begin({ hasMinuteRule: false })
    await town.rig.runMinuteRule()
    await town.run(5)
    await saveBody(town.world, body('monthly', { schedules: [{ at: formatInstant(START + 2_592_000) }] }), asking)
    await town.run(30)
    town.time.skip(2_592_000 - 60)
    await town.rig.runMinuteRule()
    await town.run(2_592_030)
    expect(town.seconds('monthly')).toEqual([2_592_000])
    const item = await town.world.shards.read(0)
    expect(writeDepths(item?.depths ?? new Map()).length).toBeLessThan(500)
  })
})

describe('a job with an end', () => {
  test('is not stopped before what it missed is caught up', async () => {
    const town = begin()
    await town.run(2)
    const misfire = { policy: 'CATCH_UP', window: HOURS * 2 }
    await saveAll(
      town.world,
      range(1, 2000).map((n) => everyMinute(`job-${n}`, { misfire: { policy: 'DO_NOTHING' } })),
      asking,
    )
    const { job } = await saveBody(
      town.world,
      body('ends', { schedules: [{ every: 30 }], endAt: formatInstant(START + HOURS + 65), misfire }),
      asking,
    )
    await away(town, 60)
    await town.run(60 + HOURS + 200)
    const caughtUp = town.sent.filter(({ name, trigger }) => name === 'ends' && trigger === 'CATCH_UP')
    expect(caughtUp.length).toBeGreaterThan(230)
    expect((await town.world.jobs.read(job.id))?.stopped).toMatchObject({ reason: 'no instant left' })
  })
})

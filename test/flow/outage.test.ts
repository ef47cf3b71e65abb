import { describe, expect, test } from 'vitest'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { asking, body as jobBody, range } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { START, type TestScheduler } from '../support/test-scheduler.ts'
import { schedulersOfThisFile } from '../support/test-schedulers.ts'

const HOURS = 7200
/** Every minute. */
const body = (name: string, part: object = {}) => jobBody(name, { schedules: [{ every: 60 }], ...part })

const begin = schedulersOfThisFile()

/** Ticks for five minutes, is away for two hours, and comes back. */
async function twoHoursAway(part: object, backFor = 300): Promise<{ scheduler: TestScheduler; job: StoredJob }> {
  const scheduler = begin()
  await scheduler.run(1)
  const { job } = await saveBody(scheduler.world, body('job', part), asking)
  await scheduler.run(300)
  scheduler.time.skip(HOURS)
  await scheduler.run(300 + HOURS + backFor)
  return { scheduler, job }
}

const missedOf = async (scheduler: TestScheduler, job: StoredJob) => {
  const missed = await scheduler.world.ledger.missedOf(job.id, START, START + 3 * HOURS)
  return missed.reduce((sum, { count }) => sum + count, 0)
}
const byTrigger = (scheduler: TestScheduler, trigger: string) =>
  scheduler.sent.filter((each) => each.trigger === trigger).map(({ second }) => second - START)

describe('two hours away and back', () => {
  const live = [...range(60, 300, 60), ...range(7500, 7800, 60)]

  test('FIRE_ONCE_NOW fires the newest missed instant once, and counts the others', async () => {
    const { scheduler, job } = await twoHoursAway({ misfire: { policy: 'FIRE_ONCE_NOW' } })
    expect(byTrigger(scheduler, 'SCHEDULE')).toEqual(live)
    expect(byTrigger(scheduler, 'MISFIRE')).toEqual([7440])
    expect(await missedOf(scheduler, job)).toBe(118)
  })

  test('DO_NOTHING fires nothing late, and counts what it left out', async () => {
    const { scheduler, job } = await twoHoursAway({ misfire: { policy: 'DO_NOTHING' } })
    expect(byTrigger(scheduler, 'SCHEDULE')).toEqual(live)
    expect(byTrigger(scheduler, 'MISFIRE')).toEqual([])
    expect(await missedOf(scheduler, job)).toBe(119)
  })

  test('CATCH_UP runs all that lie in its window, oldest first, and counts the rest', async () => {
    const { scheduler, job } = await twoHoursAway({ misfire: { policy: 'CATCH_UP', window: 3600 } })
    const caughtUp = byTrigger(scheduler, 'CATCH_UP')
    expect(caughtUp).toEqual(range(3960, 7440, 60))
    expect(await missedOf(scheduler, job)).toBe(119 - caughtUp.length)
    expect((await scheduler.world.states.read(job.id)).catchUp).toEqual([])
  })

  test('CATCH_UP takes the newest where there is a maximum, and only the latest where that is said', async () => {
    const most = await twoHoursAway({ misfire: { policy: 'CATCH_UP', window: 7200, max: 10 } })
    expect(byTrigger(most.scheduler, 'CATCH_UP')).toEqual(range(6900, 7440, 60))
    const latest = await twoHoursAway({ misfire: { policy: 'CATCH_UP', window: 7200, overlap: 'latest' } })
    expect(byTrigger(latest.scheduler, 'CATCH_UP')).toEqual([7440])
  })

  test('catches up at most fifty runs a second, while what is due on time is on time', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    const misfire = { policy: 'CATCH_UP', window: 7200 }
    for (const n of range(1, 20, 1)) await saveBody(scheduler.world, body(`catch-${n}`, { misfire }), asking)
    await saveBody(scheduler.world, body('live', { schedules: [{ every: 1 }] }), asking)
    await scheduler.run(300)
    scheduler.time.skip(HOURS)
    await scheduler.run(300 + HOURS + 120)
    const caughtUp = scheduler.sent.filter(({ trigger }) => trigger === 'CATCH_UP')
    expect(caughtUp).toHaveLength(20 * 119)
    const perSecond = new Map<number, number>()
    for (const { atMs } of caughtUp)
      perSecond.set(Math.floor(atMs / 1000), (perSecond.get(Math.floor(atMs / 1000)) ?? 0) + 1)
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(55)
    const onTime = scheduler.sent.filter(
      ({ name, second, trigger }) => name === 'live' && trigger === 'SCHEDULE' && second > START + 7515,
    )
    expect(onTime).toHaveLength(300 + HOURS + 120 - 7515)
    expect(Math.max(...onTime.map(({ atMs, second }) => atMs - second * 1000))).toBeLessThan(1000)
  })

  test('is worked off to the end when the ticker dies in the middle of it', async () => {
    for (const call of [30, 40, 50, 60, 80, 120]) {
      const scheduler = begin({ killTick: (environment) => (environment === 2 ? { call, when: 'after' } : undefined) })
      await scheduler.run(1)
      const jobs: StoredJob[] = []
      for (const n of range(1, 5, 1)) jobs.push((await saveBody(scheduler.world, body(`job-${n}`), asking)).job)
      await scheduler.run(100)
      scheduler.rig.ticks.kill()
      scheduler.time.skip(HOURS)
      await scheduler.run(100 + HOURS + 120)
      const fired = scheduler.sent.filter(({ trigger }) => trigger === 'MISFIRE')
      expect(fired.map(({ name }) => name).sort()).toEqual(range(1, 5, 1).map((n) => `job-${n}`))
      for (const job of jobs) expect(await missedOf(scheduler, job)).toBe(HOURS / 60 - 1)
    }
  })
})

describe('a new job', () => {
  test('with a catch-up window catches up nothing from before it was there', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    scheduler.time.skip(HOURS)
    await scheduler.run(HOURS + 10)
    await saveBody(scheduler.world, body('new', { misfire: { policy: 'CATCH_UP', window: 86_400 } }), asking)
    await scheduler.run(HOURS + 20)
    scheduler.rig.ticks.kill()
    await scheduler.run(HOURS + 200)
    expect(byTrigger(scheduler, 'CATCH_UP')).toEqual([])
    expect(byTrigger(scheduler, 'SCHEDULE')).toEqual([7260, 7320, 7380])
  })

  test('that is stopped while it is caught up goes on with it when it is started again', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    const misfire = { policy: 'CATCH_UP', window: 7200 }
    const { job } = await saveBody(scheduler.world, body('paused', { schedules: [{ every: 5 }], misfire }), asking)
    await scheduler.run(60)
    scheduler.time.skip(3000)
    await scheduler.run(3065)
    await stopJob(scheduler.world, job.definition, { code: 'BY_HAND', reason: 'pause' }, asking)
    await scheduler.run(3100)
    const sofar = byTrigger(scheduler, 'CATCH_UP').length
    expect(sofar).toBeGreaterThan(0)
    expect(sofar).toBeLessThan(600)
    await scheduler.run(3200)
    expect(byTrigger(scheduler, 'CATCH_UP')).toHaveLength(sofar)
    await startJob(scheduler.world, job.definition, asking)
    await scheduler.run(3300)
    const all = byTrigger(scheduler, 'CATCH_UP')
    expect(all).toEqual(range(all[0], all[all.length - 1], 5))
    expect(all[all.length - 1]).toBe(3050)
  })
})

describe('a chain', () => {
  test('that is killed twenty times is back within eight seconds each time, and nothing is missed', async () => {
    const scheduler = begin({ hasMinuteRule: false })
    await scheduler.rig.runMinuteRule()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('each', { schedules: [{ every: 1 }] }), asking)
    const gapsMs: number[] = []
    for (let kill = 0; kill < 20; kill++) {
      await scheduler.time.run(scheduler.time.nowMs() + 12_000 + kill * 137)
      const before = (await scheduler.world.shards.read(0))?.fence ?? 0
      scheduler.rig.ticks.kill()
      const killedMs = scheduler.time.nowMs()
      while (((await scheduler.world.shards.read(0))?.fence ?? 0) <= before)
        await scheduler.time.run(scheduler.time.nowMs() + 50)
      gapsMs.push(scheduler.time.nowMs() - killedMs)
    }
    await scheduler.time.run(scheduler.time.nowMs() + 30_000)
    console.log(`a killed chain was back after ${(Math.max(...gapsMs) / 1000).toFixed(1)} s at worst, over 20 kills`)
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(8000)
    const last = Math.floor(scheduler.time.nowMs() / 1000) - START - 2
    const first = job.versions[0].activeFrom - START
    expect(scheduler.seconds('each').filter((second) => second <= last)).toEqual(range(first, last, 1))
  })
})

import { describe, expect, test } from 'vitest'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { asking, body as jobBody, range } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { START, type Town } from '../support/town.ts'
import { townsOfThisFile } from '../support/towns.ts'

const HOURS = 7200
/** Every minute. */
const body = (name: string, part: object = {}) => jobBody(name, { schedules: [{ every: 60 }], ...part })

const begin = townsOfThisFile()

/** Ticks for five minutes, is away for two hours, and comes back. */
async function twoHoursAway(part: object, backFor = 300): Promise<{ town: Town; job: StoredJob }> {
  const town = begin()
  await town.run(1)
  const { job } = await saveBody(town.world, body('job', part), asking)
  await town.run(300)
  town.time.skip(HOURS)
  await town.run(300 + HOURS + backFor)
  return { town, job }
}

const missedOf = async (town: Town, job: StoredJob) => {
  const missed = await town.world.ledger.missedOf(job.id, START, START + 3 * HOURS)
  return missed.reduce((sum, { count }) => sum + count, 0)
}
const byTrigger = (town: Town, trigger: string) =>
  town.sent.filter((each) => each.trigger === trigger).map(({ second }) => second - START)

describe('two hours away and back', () => {
  const live = [...range(60, 300, 60), ...range(7500, 7800, 60)]

  test('FIRE_ONCE_NOW fires the newest missed instant once, and counts the others', async () => {
    const { town, job } = await twoHoursAway({ misfire: { policy: 'FIRE_ONCE_NOW' } })
    expect(byTrigger(town, 'SCHEDULE')).toEqual(live)
    expect(byTrigger(town, 'MISFIRE')).toEqual([7440])
    expect(await missedOf(town, job)).toBe(118)
  })

  test('DO_NOTHING fires nothing late, and counts what it left out', async () => {
    const { town, job } = await twoHoursAway({ misfire: { policy: 'DO_NOTHING' } })
    expect(byTrigger(town, 'SCHEDULE')).toEqual(live)
    expect(byTrigger(town, 'MISFIRE')).toEqual([])
    expect(await missedOf(town, job)).toBe(119)
  })

  test('CATCH_UP runs all that lie in its window, oldest first, and counts the rest', async () => {
    const { town, job } = await twoHoursAway({ misfire: { policy: 'CATCH_UP', window: 3600 } })
    const caughtUp = byTrigger(town, 'CATCH_UP')
    expect(caughtUp).toEqual(range(3960, 7440, 60))
    expect(await missedOf(town, job)).toBe(119 - caughtUp.length)
    expect((await town.world.states.read(job.id)).catchUp).toEqual([])
  })

  test('CATCH_UP takes the newest where there is a maximum, and only the latest where that is said', async () => {
    const most = await twoHoursAway({ misfire: { policy: 'CATCH_UP', window: 7200, max: 10 } })
    expect(byTrigger(most.town, 'CATCH_UP')).toEqual(range(6900, 7440, 60))
    const latest = await twoHoursAway({ misfire: { policy: 'CATCH_UP', window: 7200, overlap: 'latest' } })
    expect(byTrigger(latest.town, 'CATCH_UP')).toEqual([7440])
  })

  test('catches up at most fifty runs a second, while what is due on time is on time', async () => {
    const town = begin()
    await town.run(1)
    const misfire = { policy: 'CATCH_UP', window: 7200 }
    for (const n of range(1, 20, 1)) await saveBody(town.world, body(`catch-${n}`, { misfire }), asking)
    await saveBody(town.world, body('live', { schedules: [{ every: 1 }] }), asking)
    await town.run(300)
    town.time.skip(HOURS)
    await town.run(300 + HOURS + 120)
    const caughtUp = town.sent.filter(({ trigger }) => trigger === 'CATCH_UP')
    expect(caughtUp).toHaveLength(20 * 119)
    const perSecond = new Map<number, number>()
    for (const { atMs } of caughtUp)
      perSecond.set(Math.floor(atMs / 1000), (perSecond.get(Math.floor(atMs / 1000)) ?? 0) + 1)
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(55)
    const onTime = town.sent.filter(
      ({ name, second, trigger }) => name === 'live' && trigger === 'SCHEDULE' && second > START + 7515,
    )
    expect(onTime).toHaveLength(300 + HOURS + 120 - 7515)
    expect(Math.max(...onTime.map(({ atMs, second }) => atMs - second * 1000))).toBeLessThan(1000)
  })

  test('is worked off to the end when the ticker dies in the middle of it', async () => {
    for (const call of [30, 40, 50, 60, 80, 120]) {
      const town = begin({ killTick: (environment) => (environment === 2 ? { call, when: 'after' } : undefined) })
      await town.run(1)
      const jobs: StoredJob[] = []
      for (const n of range(1, 5, 1)) jobs.push((await saveBody(town.world, body(`job-${n}`), asking)).job)
      await town.run(100)
      town.rig.ticks.kill()
      town.time.skip(HOURS)
      await town.run(100 + HOURS + 120)
      const fired = town.sent.filter(({ trigger }) => trigger === 'MISFIRE')
      expect(fired.map(({ name }) => name).sort()).toEqual(range(1, 5, 1).map((n) => `job-${n}`))
      for (const job of jobs) expect(await missedOf(town, job)).toBe(HOURS / 60 - 1)
    }
  })
})

describe('a new job', () => {
  test('with a catch-up window catches up nothing from before it was there', async () => {
    const town = begin()
    await town.run(1)
    town.time.skip(HOURS)
    await town.run(HOURS + 10)
    await saveBody(town.world, body('new', { misfire: { policy: 'CATCH_UP', window: 86_400 } }), asking)
    await town.run(HOURS + 20)
    town.rig.ticks.kill()
    await town.run(HOURS + 200)
    expect(byTrigger(town, 'CATCH_UP')).toEqual([])
    expect(byTrigger(town, 'SCHEDULE')).toEqual([7260, 7320, 7380])
  })

  test('that is stopped while it is caught up goes on with it when it is started again', async () => {
    const town = begin()
    await town.run(1)
    const misfire = { policy: 'CATCH_UP', window: 7200 }
    const { job } = await saveBody(town.world, body('paused', { schedules: [{ every: 5 }], misfire }), asking)
    await town.run(60)
    town.time.skip(3000)
    await town.run(3065)
    await stopJob(town.world, job.definition, { code: 'BY_HAND', reason: 'pause' }, asking)
    await town.run(3100)
    const sofar = byTrigger(town, 'CATCH_UP').length
    expect(sofar).toBeGreaterThan(0)
    expect(sofar).toBeLessThan(600)
    await town.run(3200)
    expect(byTrigger(town, 'CATCH_UP')).toHaveLength(sofar)
    await startJob(town.world, job.definition, asking)
    await town.run(3300)
    const all = byTrigger(town, 'CATCH_UP')
    expect(all).toEqual(range(all[0], all[all.length - 1], 5))
    expect(all[all.length - 1]).toBe(3050)
  })
})

describe('a chain', () => {
  test('that is killed twenty times is back within eight seconds each time, and nothing is missed', async () => {
    const town = begin({ hasMinuteRule: false })
    await town.rig.runMinuteRule()
    await town.run(1)
    const { job } = await saveBody(town.world, body('each', { schedules: [{ every: 1 }] }), asking)
    const gapsMs: number[] = []
    for (let kill = 0; kill < 20; kill++) {
      await town.time.run(town.time.nowMs() + 12_000 + kill * 137)
      const before = (await town.world.shards.read(0))?.fence ?? 0
      town.rig.ticks.kill()
      const killedMs = town.time.nowMs()
      while (((await town.world.shards.read(0))?.fence ?? 0) <= before) await town.time.run(town.time.nowMs() + 50)
      gapsMs.push(town.time.nowMs() - killedMs)
    }
    await town.time.run(town.time.nowMs() + 30_000)
    console.log(`a killed chain was back after ${(Math.max(...gapsMs) / 1000).toFixed(1)} s at worst, over 20 kills`)
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(8000)
    const last = Math.floor(town.time.nowMs() / 1000) - START - 2
    const first = job.versions[0].activeFrom - START
    expect(town.seconds('each').filter((second) => second <= last)).toEqual(range(first, last, 1))
  })
})

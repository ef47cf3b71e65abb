import { describe, expect, test } from 'vitest'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { asking, body as jobBody } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { START, type Town } from '../support/town.ts'
import { townsOfThisFile } from '../support/towns.ts'
import { beforeEveryCall } from '../support/worlds/every-call.ts'

const body = (name: string, schedule: object) => jobBody(name, { schedules: [schedule] })

const begin = townsOfThisFile()

const isAsleep = async (town: Town) => (await town.world.shards.read(0))?.sleepUntil !== null

describe('a shard with nothing to do', () => {
  test('stops ticking, and the minute rule wakes it in time for what is due', async () => {
    const town = begin()
    await town.run(1)
    await saveBody(town.world, body('hourly', { every: 3600 }), asking)
    await town.run(300)
    expect(await isAsleep(town)).toBe(true)
    const ticks = town.ticked.length
    await town.run(3000)
    expect(town.ticked.length - ticks).toBeLessThan(5)
    await town.run(7300)
    expect(town.seconds('hourly')).toEqual([3600, 7200])
    expect(town.sent.every(({ atMs, second }) => atMs - second * 1000 < 500)).toBe(true)
    // Awake for some minutes around each fire, asleep for the rest of two hours.
    expect(town.ticked.length).toBeLessThan(800)
  })

  test('is woken by a job that is due soon, and goes back to sleep', async () => {
    const town = begin()
    await town.run(100)
    expect(await isAsleep(town)).toBe(true)
    await saveBody(town.world, body('soon', { at: formatInstant(START + 110) }), asking)
    await town.run(130)
    expect(town.seconds('soon')).toEqual([110])
    await town.run(400)
    expect(await isAsleep(town)).toBe(true)
  })

  test('is woken by the minute rule for a one-time job that was saved long before', async () => {
    const town = begin()
    await town.run(10)
    await saveBody(town.world, body('later', { at: formatInstant(START + 5000) }), asking)
    await town.run(1000)
    expect(await isAsleep(town)).toBe(true)
    await town.run(5100)
    expect(town.seconds('later')).toEqual([5000])
    expect(town.sent[0].atMs).toBeLessThan((START + 5001) * 1000)
  })

  test('has its last seconds audited while it sleeps', async () => {
    const town = begin()
    await town.run(10)
    await saveBody(town.world, body('once', { at: formatInstant(START + 20) }), asking)
    town.isExecuting = false
    await town.run(25)
    await town.fast.purge()
    town.isExecuting = true
    await town.run(300)
    expect(town.seconds('once')).toEqual([20])
    const item = await town.world.shards.read(0)
    expect(item?.auditedThrough).toBeGreaterThanOrEqual(START + 20)
  })
})

describe('no wake-up is lost', () => {
  const calls = Array.from({ length: 14 }, (_, n) => n + 1)

  test.each(calls)('when a job is saved at call %d of a link that goes to sleep', async (call) => {
    let isSaved = false
    const town: Town = begin({
      hasMinuteRule: false,
      see: (world, environment) =>
        environment === 0
          ? world
          : beforeEveryCall(world, async (made) => {
              if (isSaved || made !== call) return
              isSaved = true
              await saveBody(town.world, body('soon', { every: 6 }), asking)
            }),
    })
    await town.rig.runMinuteRule()
    await town.run(30)
    expect(isSaved).toBe(true)
    await town.run(90)
    const seconds = town.seconds('soon')
    expect(seconds.filter((second) => second > 35)).toEqual([36, 42, 48, 54, 60, 66, 72, 78, 84, 90])
    const late = town.sent.map(({ atMs, second }) => atMs - second * 1000)
    expect(Math.max(...late)).toBeLessThanOrEqual(10_000)
  })

  test.each(calls)('when the ticker that goes to sleep is killed at call %d', async (call) => {
    const town = begin({ killTick: (environment) => (environment === 1 ? { call, when: 'after' } : undefined) })
    await town.run(20)
    await saveBody(town.world, body('soon', { every: 6 }), asking)
    await town.run(150)
    expect(town.seconds('soon').filter((second) => second > 90)).toEqual([
      96, 102, 108, 114, 120, 126, 132, 138, 144, 150,
    ])
  })
})

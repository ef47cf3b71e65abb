import { describe, expect, test } from 'vitest'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { asking, body as jobBody } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { START, type TestScheduler } from '../support/test-scheduler.ts'
import { schedulersOfThisFile } from '../support/test-schedulers.ts'

const body = (name: string, schedule: object) => jobBody(name, { schedules: [schedule] })

const begin = schedulersOfThisFile()

const isAsleep = async (scheduler: TestScheduler) => (await scheduler.world.shards.read(0))?.sleepUntil !== null

describe('a shard with nothing to do', () => {
  test('stops ticking, and the minute rule wakes it in time for what is due', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    await saveBody(scheduler.world, body('hourly', { every: 3600 }), asking)
    await scheduler.run(300)
    expect(await isAsleep(scheduler)).toBe(true)
    const ticks = scheduler.ticked.length
    await scheduler.run(3000)
    expect(scheduler.ticked.length - ticks).toBeLessThan(5)
    await scheduler.run(7300)
    expect(scheduler.seconds('hourly')).toEqual([3600, 7200])
    expect(scheduler.sent.every(({ atMs, second }) => atMs - second * 1000 < 500)).toBe(true)
    // Awake for some minutes around each fire, asleep for the rest of two hours.
    expect(scheduler.ticked.length).toBeLessThan(800)
  })

  test('is woken by a job that is due soon, and goes back to sleep', async () => {
    const scheduler = begin()
    await scheduler.run(100)
    expect(await isAsleep(scheduler)).toBe(true)
    await saveBody(scheduler.world, body('soon', { at: formatInstant(START + 110) }), asking)
    await scheduler.run(130)
    expect(scheduler.seconds('soon')).toEqual([110])
    await scheduler.run(400)
    expect(await isAsleep(scheduler)).toBe(true)
  })

  test('is woken by the minute rule for a one-time job that was saved long before', async () => {
    const scheduler = begin()
    await scheduler.run(10)
    await saveBody(scheduler.world, body('later', { at: formatInstant(START + 5000) }), asking)
    await scheduler.run(1000)
    expect(await isAsleep(scheduler)).toBe(true)
    await scheduler.run(5100)
    expect(scheduler.seconds('later')).toEqual([5000])
    expect(scheduler.sent[0].atMs).toBeLessThan((START + 5001) * 1000)
  })

  test('has its last seconds audited while it sleeps', async () => {
    const scheduler = begin()
    await scheduler.run(10)
    await saveBody(scheduler.world, body('once', { at: formatInstant(START + 20) }), asking)
    scheduler.isExecuting = false
    await scheduler.run(25)
    await scheduler.fast.purge()
    scheduler.isExecuting = true
    await scheduler.run(300)
    expect(scheduler.seconds('once')).toEqual([20])
    const item = await scheduler.world.shards.read(0)
    expect(item?.auditedThrough).toBeGreaterThanOrEqual(START + 20)
  })
})

describe('no wake-up is lost', () => {
  const calls = Array.from({ length: 14 }, (_, n) => n + 1)

  test.each(calls)('when a job is saved at call %d of a link that goes to sleep', async (call) => {
    let isSaved = false
    const scheduler: TestScheduler = begin({
      hasMinuteRule: false,
      see: (world, environment) =>
        environment === 0
          ? world
          : beforeEveryCall(world, async (made) => {
              if (isSaved || made !== call) return
              isSaved = true
              await saveBody(scheduler.world, body('soon', { every: 6 }), asking)
            }),
    })
    await scheduler.rig.runMinuteRule()
    await scheduler.run(30)
    expect(isSaved).toBe(true)
    await scheduler.run(90)
    const seconds = scheduler.seconds('soon')
    expect(seconds.filter((second) => second > 35)).toEqual([36, 42, 48, 54, 60, 66, 72, 78, 84, 90])
    const late = scheduler.sent.map(({ atMs, second }) => atMs - second * 1000)
    expect(Math.max(...late)).toBeLessThanOrEqual(10_000)
  })

  test.each(calls)('when the ticker that goes to sleep is killed at call %d', async (call) => {
    const scheduler = begin({ killTick: (environment) => (environment === 1 ? { call, when: 'after' } : undefined) })
    await scheduler.run(20)
    await saveBody(scheduler.world, body('soon', { every: 6 }), asking)
    await scheduler.run(150)
    expect(scheduler.seconds('soon').filter((second) => second > 90)).toEqual([
      96, 102, 108, 114, 120, 126, 132, 138, 144, 150,
    ])
  })
})

// Stops with an end, and saves that broke off: what users see afterwards.

import { describe, expect, test } from 'vitest'
import { statusAt, stopAt } from '../../shared/core/job/stored.ts'
import { rescheduleJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { triggerJob } from '../../shared/flow/trigger-job.ts'
import type { Message } from '../../shared/ports.ts'
import { ANNA, asking, body } from '../support/job-body.ts'
import { recordedSchedulersOfThisFile } from '../support/recorded-schedulers.ts'
import { saveBody } from '../support/save.ts'
import { START } from '../support/test-scheduler.ts'
import { schedulersOfThisFile } from '../support/test-schedulers.ts'

const { begin, save, statuses, detailOf } = recordedSchedulersOfThisFile()
const beginScheduler = schedulersOfThisFile()

const UNTIL = { code: 'BY_HAND', reason: 'pause', until: START + 60, queued: 'cancel' } as const

describe('a stop that cancels what is queued and has an end', () => {
  test('cancels what was due before it, and nothing that is due after its end', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 10 }], timeout: 8, payload: { ms: 9000 } })
    await recorded.scheduler.run(22)
    recorded.scheduler.isExecuting = false
    await recorded.scheduler.run(32)
    const { job: stopped } = await stopJob(recorded.scheduler.world, job.definition, UNTIL, asking)
    recorded.scheduler.isExecuting = true
    await recorded.scheduler.run(100)
    const known = await statuses(recorded, job, 95)
    expect(known.get(30)).toBe('CANCELLED')
    expect((await detailOf(recorded, job, 30))?.reason).toBe('its job was stopped: pause')
    expect([40, 50].map((second) => known.has(second))).toEqual([false, false])
    expect([60, 70, 80].map((second) => known.get(second))).toEqual(['TIMED_OUT', 'TIMED_OUT', 'TIMED_OUT'])
    expect([START + 59, START + 60].map((second) => statusAt(stopped, second))).toEqual(['STOPPED', 'RUNNING'])
    expect(stopAt(stopped, START + 60)).toBeNull()
  })

  test('lets what follows another job start again from its end on', async () => {
    const recorded = await begin()
    const next = await save(recorded, 'next', 'take', { schedules: [] })
    const then = [{ on: 'success', job: 'default/next' }]
    await save(recorded, 'first', 'take', { schedules: [{ every: 20 }], timeout: 5, then })
    await stopJob(recorded.scheduler.world, next.definition, UNTIL, asking)
    await recorded.scheduler.run(90)
    expect(recorded.scheduler.seconds('next')).toEqual([60, 80])
    const skipped = await recorded.scheduler.world.ledger.runsOf(next.id, START, START + 59, 10)
    expect(skipped.map(({ entry }) => entry.status)).toEqual(['SKIPPED', 'SKIPPED'])
  })
})

describe('a job whose next fire is skipped', () => {
  test('does not run at that instant, and at every other', async () => {
    const scheduler = beginScheduler()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('often', { schedules: [{ every: 10 }] }), asking)
    await scheduler.run(14)
    const { job: skipping } = await rescheduleJob(scheduler.world, job.definition, null, asking)
    expect(skipping.versions.at(-1)?.moves).toEqual([{ from: START + 20, to: -1 }])
    await scheduler.run(45)
    expect(scheduler.seconds('often')).toEqual([10, 30, 40])
    await rescheduleJob(scheduler.world, job.definition, START + 55, asking)
    await rescheduleJob(scheduler.world, job.definition, null, asking)
    await scheduler.run(85)
    expect(scheduler.seconds('often')).toEqual([10, 30, 40, 60, 70, 80])
  })

  test('has none to skip while it is stopped', async () => {
    const scheduler = beginScheduler()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('often', { schedules: [{ every: 10 }] }), asking)
    await stopJob(scheduler.world, job.definition, { code: 'BY_HAND', reason: 'pause' }, asking)
    await expect(rescheduleJob(scheduler.world, job.definition, null, asking)).rejects.toMatchObject({
      faults: [{ path: '/at', code: 'job.stopped' }],
    })
  })
})

test('a save that broke off before it woke its shard is healed by the same save again', async () => {
  const scheduler = beginScheduler()
  await scheduler.run(100)
  expect((await scheduler.world.shards.read(0))?.sleepUntil).not.toBeNull()
  const deaf = {
    ...scheduler.world,
    watch: { ...scheduler.world.watch, send: async (all: readonly Message[]) => ({ unsent: all, refused: [] }) },
  }
  const soon = body('soon', { schedules: [{ every: 10 }] })
  await expect(saveBody(deaf, soon, asking)).rejects.toThrow('could not be woken. Save the job again')
  const { result, job } = await saveBody(scheduler.world, soon, asking)
  expect([result, job.version]).toEqual(['UNCHANGED', 1])
  await scheduler.run(125)
  expect(scheduler.seconds('soon')).toEqual([110, 120])
})

test('a run by hand starts though the job that it comes after has not succeeded', async () => {
  const recorded = await begin()
  await save(recorded, 'load', 'take', { schedules: [{ every: 86_400 }] })
  const after = [{ job: 'default/load', within: 60 }]
  const job = await save(recorded, 'report', 'take', { schedules: [{ every: 20 }], timeout: 5, after })
  const { runId } = await triggerJob(recorded.scheduler.world, job, { by: ANNA, request: null })
  await recorded.scheduler.run(25)
  expect(recorded.scheduler.sent.map((sent) => sent.runId)).toEqual([runId])
  expect((await statuses(recorded, job, 24)).get(20)).toBe('SKIPPED')
})

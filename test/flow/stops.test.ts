// Stops with an end, and saves that broke off: what users see afterwards.

import { describe, expect, test } from 'vitest'
import { statusAt, stopAt } from '../../shared/core/job/stored.ts'
import { rescheduleJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { triggerJob } from '../../shared/flow/trigger-job.ts'
import type { Message } from '../../shared/ports.ts'
import { ANNA, asking, body } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { stagesOfThisFile } from '../support/stages.ts'
import { START } from '../support/town.ts'
import { townsOfThisFile } from '../support/towns.ts'

const { begin, save, statuses, detailOf } = stagesOfThisFile()
const beginTown = townsOfThisFile()

const UNTIL = { code: 'BY_HAND', reason: 'pause', until: START + 60, queued: 'cancel' } as const

describe('a stop that cancels what is queued and has an end', () => {
  test('cancels what was due before it, and nothing that is due after its end', async () => {
    const staged = await begin()
    const job = await save(staged, 'job', 'take', { schedules: [{ every: 10 }], timeout: 8, payload: { ms: 9000 } })
    await staged.town.run(22)
    staged.town.isExecuting = false
    await staged.town.run(32)
    const { job: stopped } = await stopJob(staged.town.world, job.definition, UNTIL, asking)
    staged.town.isExecuting = true
    await staged.town.run(100)
    const known = await statuses(staged, job, 95)
    expect(known.get(30)).toBe('CANCELLED')
    expect((await detailOf(staged, job, 30))?.reason).toBe('its job was stopped: pause')
    expect([40, 50].map((second) => known.has(second))).toEqual([false, false])
    expect([60, 70, 80].map((second) => known.get(second))).toEqual(['TIMED_OUT', 'TIMED_OUT', 'TIMED_OUT'])
    expect([START + 59, START + 60].map((second) => statusAt(stopped, second))).toEqual(['STOPPED', 'RUNNING'])
    expect(stopAt(stopped, START + 60)).toBeNull()
  })

  test('lets what follows another job start again from its end on', async () => {
    const staged = await begin()
    const next = await save(staged, 'next', 'take', { schedules: [] })
    const then = [{ on: 'success', job: 'default/next' }]
    await save(staged, 'first', 'take', { schedules: [{ every: 20 }], timeout: 5, then })
    await stopJob(staged.town.world, next.definition, UNTIL, asking)
    await staged.town.run(90)
    expect(staged.town.seconds('next')).toEqual([60, 80])
    const skipped = await staged.town.world.ledger.runsOf(next.id, START, START + 59, 10)
    expect(skipped.map(({ entry }) => entry.status)).toEqual(['SKIPPED', 'SKIPPED'])
  })
})

describe('a job whose next fire is skipped', () => {
  test('does not run at that instant, and at every other', async () => {
    const town = beginTown()
    await town.run(1)
    const { job } = await saveBody(town.world, body('often', { schedules: [{ every: 10 }] }), asking)
    await town.run(14)
    const { job: skipping } = await rescheduleJob(town.world, job.definition, null, asking)
    expect(skipping.versions.at(-1)?.moves).toEqual([{ from: START + 20, to: -1 }])
    await town.run(45)
    expect(town.seconds('often')).toEqual([10, 30, 40])
    await rescheduleJob(town.world, job.definition, START + 55, asking)
    await rescheduleJob(town.world, job.definition, null, asking)
    await town.run(85)
    expect(town.seconds('often')).toEqual([10, 30, 40, 60, 70, 80])
  })

  test('has none to skip while it is stopped', async () => {
    const town = beginTown()
    await town.run(1)
    const { job } = await saveBody(town.world, body('often', { schedules: [{ every: 10 }] }), asking)
    await stopJob(town.world, job.definition, { code: 'BY_HAND', reason: 'pause' }, asking)
    await expect(rescheduleJob(town.world, job.definition, null, asking)).rejects.toMatchObject({
      faults: [{ path: '/at', code: 'job.stopped' }],
    })
  })
})

test('a save that broke off before it woke its shard is healed by the same save again', async () => {
  const town = beginTown()
  await town.run(100)
  expect((await town.world.shards.read(0))?.sleepUntil).not.toBeNull()
  const deaf = {
    ...town.world,
    watch: { ...town.world.watch, send: async (all: readonly Message[]) => ({ unsent: all, refused: [] }) },
  }
  const soon = body('soon', { schedules: [{ every: 10 }] })
  await expect(saveBody(deaf, soon, asking)).rejects.toThrow('could not be woken. Save the job again')
  const { result, job } = await saveBody(town.world, soon, asking)
  expect([result, job.version]).toEqual(['UNCHANGED', 1])
  await town.run(125)
  expect(town.seconds('soon')).toEqual([110, 120])
})

test('a run by hand starts though the job that it comes after has not succeeded', async () => {
  const staged = await begin()
  await save(staged, 'load', 'take', { schedules: [{ every: 86_400 }] })
  const after = [{ job: 'default/load', within: 60 }]
  const job = await save(staged, 'report', 'take', { schedules: [{ every: 20 }], timeout: 5, after })
  const { runId } = await triggerJob(staged.town.world, job, { by: ANNA, request: null })
  await staged.town.run(25)
  expect(staged.town.sent.map((sent) => sent.runId)).toEqual([runId])
  expect((await statuses(staged, job, 24)).get(20)).toBe('SKIPPED')
})

import { expect, test } from 'vitest'
import { jobIdOf } from '../../shared/core/job/id.ts'
import { jobSchema } from '../../shared/core/job/job.ts'
import { revise, writeOf } from '../../shared/core/job/revise.ts'
import { ANNA, asking, body } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { START, TestScheduler } from '../support/test-scheduler.ts'

/** Jobs that are due once a year, put in as they would lie in the store. */
async function fill(scheduler: TestScheduler, jobs: number): Promise<void> {
  const moment = { nowMs: (START - 100) * 1000, activeFrom: START - 98, auditedThrough: 0 }
  const resolved = { template: null, calendars: [] }
  for (let n = 0; n < jobs; n++) {
    const name = `idle-${n}`
    const schedules = [{ cron: `${n % 60} ${n % 24} ${1 + (n % 28)} 6 *` }]
    const definition = jobSchema.parse(body(name, { schedules, timeout: 60 }))
    const id = jobIdOf('default', name)
    const state = { status: 'RUNNING', stopped: null, managedBy: null } as const
    const job = revise({ id, old: null, definition, resolved, ...state, ...moment })
    const audited = { id: name, by: ANNA, action: 'job.create', reason: null, requestId: null } as const
    await scheduler.world.jobs.commit(writeOf(job, null, 0, (START - 7200) * 1000, audited))
  }
}

interface Cost {
  readonly calls: readonly string[]
  readonly tickMs: number
}

async function costOfATick(idleJobs: number): Promise<Cost> {
  const scheduler = new TestScheduler()
  await fill(scheduler, idleJobs)
  scheduler.rig.start()
  await scheduler.run(1)
  await saveBody(scheduler.world, body('due', { timeout: 60 }), asking)
  await scheduler.run(20)
  const ticker = scheduler.tickers.reduce((busiest, each) =>
    each.calls.length > busiest.calls.length ? each : busiest,
  )
  const before = ticker.calls.length
  const started = performance.now()
  await scheduler.run(29)
  const tickMs = (performance.now() - started) / 9
  await scheduler.close()
  return { calls: ticker.calls.slice(before).sort(), tickMs }
}

test('a tick with 100,000 idle jobs makes the same calls as one with 100, in about the same time', async () => {
  const few = await costOfATick(100)
  const many = await costOfATick(100_000)
  console.log(
    `a tick with 100 idle jobs: ${few.tickMs.toFixed(2)} ms; with 100,000: ${many.tickMs.toFixed(2)} ms; ${many.calls.length / 9} calls each`,
  )
  expect(many.calls).toEqual(few.calls)
  // Without the index a look at every job would take a hundred times as long; time itself is too noisy to be held closer.
  expect(many.tickMs).toBeLessThan(few.tickMs * 20 + 20)
}, 240_000)

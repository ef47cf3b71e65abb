// Runs something again that has ended: a new run by hand, for the same instant and with the same payload, by the definition that is
// in force now.

import type { StoredJob } from '../../core/job/stored.ts'
import { isTerminal } from '../../core/run/status.ts'
import type { Jobs } from '../../ports.ts'
import { Refusal } from '../refusals.ts'
import { startByHand, type Triggered, type Triggering, type TriggerWorld } from '../trigger-job.ts'
import type { FoundRun } from './find-run.ts'
import { statusOfRun } from './view.ts'

export function refuseIfOpen(run: FoundRun): void {
  if (isTerminal(statusOfRun(run))) return
  throw new Refusal('run-open', `the run is ${statusOfRun(run)}. Cancel it, or wait for its end, before you retry it`)
}

export async function retryRun(
  world: TriggerWorld & { readonly jobs: Jobs },
  run: FoundRun,
  job: StoredJob,
  asked: Omit<Triggering, 'payload' | 'instant'>,
): Promise<Triggered> {
  refuseIfOpen(run)
  const payload = await payloadOf(world.jobs, run)
  const cause = { retryOf: run.runId, run: null, operation: null, by: asked.by }
  const root = run.detail.root ?? run.runId
  return startByHand(
    world,
    job,
    { ...asked, payload, instant: run.instant },
    { letter: 'r', action: 'run.retry', cause, root },
  )
}

/** Its own, or else that of the version that it ran with; undefined where that is not kept any more. */
export async function payloadOf(
  jobs: Jobs,
  { detail, id, version }: Pick<FoundRun, 'detail' | 'id' | 'version'>,
): Promise<unknown> {
  if (detail.payload !== undefined) return detail.payload
  const saved = await jobs.definition(id.jobId, version)
  if (saved === null || saved.bodyVersion === null) return saved?.definition.payload
  return (await jobs.bodies([{ jobId: id.jobId, version: saved.bodyVersion }]))[0]
}

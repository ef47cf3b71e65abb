// Cancels a run on request. The audit is written before the act, so that no cancel is without its line; one that then fails leaves
// a line about an attempt.

import type { Actor } from '../../core/actor.ts'
import { hashOfId, shardOf } from '../../core/job/id.ts'
import { isTerminal } from '../../core/run/status.ts'
import type { AuditTrail, Ledger } from '../../ports.ts'
import { cancelRun as cancel } from '../execute/cancel.ts'
import { Refusal, tooBusy } from '../refusals.ts'
import { type FoundRun, findRun } from './find-run.ts'
import { type RunsWorld, statusOfRun } from './view.ts'

export interface CancelWorld extends RunsWorld {
  readonly ledger: Ledger
  readonly audit: AuditTrail
  newId(): string
}

export interface Cancelling {
  readonly by: Actor
  readonly requestId: string | null
}

const ended = (run: FoundRun): Refusal =>
  new Refusal('run-ended', `the run has ended as ${statusOfRun(run)}. Only a run that has not ended can be cancelled`)

export function refuseIfEnded(run: FoundRun): void {
  if (isTerminal(statusOfRun(run))) throw ended(run)
}

export async function cancelRun(world: CancelWorld, run: FoundRun, { by, requestId }: Cancelling): Promise<FoundRun> {
  refuseIfEnded(run)
  const { namespace } = run.job.definition
  await world.audit.put({
    id: world.newId(),
    atMs: world.clock.nowMs(),
    by,
    action: 'run.cancel',
    namespace,
    target: run.runId,
    reason: null,
    operation: null,
    versionBefore: null,
    versionAfter: null,
    changes: [],
    requestId,
  })
  const shard = shardOf(hashOfId(run.id.jobId), world.shardCount)
  const { runId, depth, trigger } = run
  const done = await cancel(world.ledger, shard, { runId, depth, trigger }, `cancelled by ${by.onBehalfOf ?? by.name}`)
  const found = (await findRun(world, runId)) ?? run
  if (done === 'ended') throw ended(found)
  if (done !== 'cancelled') throw tooBusy('the run')
  return found
}

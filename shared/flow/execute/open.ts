// The list of open runs, as an executor uses it: a run that waits, is tried again, takes long or has something to follow it is
// put there first, and taken out when all of that is done.

import type { GateRun } from '../../core/gate/state.ts'
import { type TicketJob, writeTicketJob } from '../../core/run/message.ts'
import { COMES_BACK_AFTER_SECONDS } from '../../core/timings.ts'
import type { Life, Listed } from './life.ts'
import { messageFor, type Sender } from './send-again.ts'
import type { EndingWorld } from './world.ts'

/** The run with its place in the list; one that is there already stays where it is. */
export async function putOpen(
  world: EndingWorld,
  sender: Sender,
  life: Life,
  { fromMs, notBefore = null }: { readonly fromMs: number; readonly notBefore?: number | null },
): Promise<Life> {
  if (life.run.openMs !== null) return life
  const dueMs = Math.round(fromMs) + COMES_BACK_AFTER_SECONDS * 1000
  await listRun(world, sender, life, dueMs, notBefore)
  return { ...life, run: { ...life.run, openMs: dueMs }, opens: [...life.opens, { dueMs, attempt: life.run.attempt }] }
}

/** Puts a run into the list under a time. */
export async function listRun(
  world: EndingWorld,
  sender: Sender,
  { run, job }: { readonly run: GateRun; readonly job: TicketJob },
  dueMs: number,
  notBefore: number | null,
): Promise<void> {
  const { shard, lane } = sender
  const { runId, attempt } = run
  const message = messageFor(sender, run, writeTicketJob(job), notBefore)
  await world.open.put({ shard, dueMs, runId, times: 0, lane, attempt, message })
}

/** Takes a run out of the list, or all of its items but the one that is still needed. */
export async function removeOpen(
  world: EndingWorld,
  { shard }: Sender,
  { run, opens }: Life,
  kept: number | null = null,
): Promise<void> {
  const isKept = ({ dueMs, attempt }: Listed) => dueMs === kept && attempt === run.attempt
  for (const listed of opens) if (!isKept(listed)) await world.open.remove({ shard, runId: run.runId, ...listed })
}

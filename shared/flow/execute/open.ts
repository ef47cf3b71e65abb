// The list of open runs, as an executor uses it: a run that waits, is tried again, takes long or has something to follow it is
// put there first, and taken out when all of that is done.

import type { GateRun } from '../../core/gate/state.ts'
import type { TicketJob } from '../../core/run/message.ts'
import type { Life } from './life.ts'
import { messageFor, type Sender } from './send-again.ts'
import type { ExecuteWorld } from './world.ts'

/** Somebody comes back to a run this long after the time at which it should have gone on by itself. */
const COMES_BACK_AFTER_MS = 20_000

/** The run with its place in the list; one that is there already stays where it is. */
export async function putOpen(
  world: ExecuteWorld,
  sender: Sender,
  life: Life,
  { fromMs, notBefore = null }: { readonly fromMs: number; readonly notBefore?: number | null },
): Promise<Life> {
  if (life.run.openMs !== null) return life
  const dueMs = await listRun(world, sender, life, { fromMs, notBefore })
  return { ...life, run: { ...life.run, openMs: dueMs }, opens: [...life.opens, dueMs] }
}

/** Puts a run into the list and returns the time under which it is there. */
export async function listRun(
  world: ExecuteWorld,
  sender: Sender,
  { run, job }: { readonly run: GateRun; readonly job: TicketJob },
  { fromMs, notBefore }: { readonly fromMs: number; readonly notBefore: number | null },
): Promise<number> {
  const { shard, lane } = sender
  const { runId, attempt } = run
  const dueMs = Math.round(fromMs) + COMES_BACK_AFTER_MS
  const message = messageFor(sender, run, job, notBefore)
  await world.open.put({ shard, dueMs, runId, times: 0, lane, attempt, message })
  return dueMs
}

/** Takes a run out of the list, or all of its items but the one that is still needed. */
export async function removeOpen(
  world: ExecuteWorld,
  { shard }: Sender,
  { run, opens }: Life,
  kept: number | null = null,
): Promise<void> {
  for (const dueMs of opens) if (dueMs !== kept) await world.open.remove({ shard, dueMs, runId: run.runId })
}

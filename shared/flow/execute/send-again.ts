// Sends a run once more: where it was given the lock, is tried again, or came too early. What is lost on the way comes
// back from the list of open runs.

import type { GateRun } from '../../core/gate/state.ts'
import type { Lane } from '../../core/lanes.ts'
import { pageKeyOfJob } from '../../core/pages/page.ts'
import { type TicketJob, withOpen, writePageMessage, writeRunMessage, writeTicketJob } from '../../core/run/message.ts'
import { parseRunId } from '../../core/run/run.ts'
import { LONGEST_DELAY_SECONDS } from '../../core/timings.ts'
import type { EndingWorld } from './world.ts'

const MOST_TRIES = 3

/** What a message of a run repeats from the message that brought it or its neighbour. */
export interface Sender {
  readonly shard: number
  readonly lane: Lane
  readonly changesReadAtMs: number
}

/** `job` is what an executor needs to know of it, as text. */
export function messageFor(
  { shard, lane, changesReadAtMs }: Sender,
  run: GateRun,
  job: string,
  notBefore: number | null,
): string {
  const { runId, trigger, nominal, attempt, depth } = run
  if (depth === null)
    return writeRunMessage({ shard, runId, lane, trigger, nominal, changesReadAtMs, attempt, notBefore }, job)
  const { jobId, second } = parseRunId(runId)
  const kind = trigger === 'RESTART' ? 'restart' : 'start'
  const ticket = { id: jobId, kind, nominal: nominal ?? second, lockHint: 'check', attempt, notBefore, job } as const
  return writePageMessage({ ...pageKeyOfJob(shard, { jobId, second }, depth), lane }, changesReadAtMs, [ticket])
}

/** Where the run is in the list of open runs, the message says at which time, so that the executor that ends it takes it out there. */
export const listedMessageFor = (sender: Sender, run: GateRun, job: string, notBefore: number | null): string => {
  const text = messageFor(sender, run, job, notBefore)
  return run.openMs === null ? text : withOpen(text, run.openMs)
}

/** A failure to send is no harm: the run is open, and is sent again from there. What is refused for good ends there. */
export async function sendRun(
  world: EndingWorld,
  sender: Sender,
  run: GateRun,
  job: TicketJob,
  at: { readonly inSeconds: number; readonly notBefore: number | null },
): Promise<void> {
  if (at.inSeconds > LONGEST_DELAY_SECONDS && run.openMs !== null) return
  const body = listedMessageFor(sender, run, writeTicketJob(job), at.notBefore)
  const delaySeconds = Math.min(LONGEST_DELAY_SECONDS, Math.max(0, at.inSeconds))
  const message = { body, ...(delaySeconds > 0 ? { delaySeconds } : {}) }
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const { unsent, refused } = await world.queues[sender.lane].send([message])
    for (const { reason } of refused)
      world.warn('a queue refused a run, which is ended later', { runId: run.runId, reason })
    if (unsent.length === 0) return
  }
  world.warn('a run was not sent again and comes back later', { runId: run.runId })
}

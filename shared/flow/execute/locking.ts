// What executors do with a job's lock when a run has ended: they give it on, and send the runs that hold it and have not started.

import { type Release, type ReleaseAt, release } from '../../core/gate/release.ts'
import { FREE, NEW_STATE } from '../../core/gate/state.ts'
import type { TicketJob } from '../../core/run/message.ts'
import { COMES_BACK_AFTER_SECONDS, START_WITHIN_SECONDS } from '../../core/timings.ts'
import { nowOf } from '../tick-world.ts'
import type { Life } from './life.ts'
import { listRun } from './open.ts'
import { type Sender, sendRun } from './send-again.ts'
import type { EndingWorld } from './world.ts'

/** Only a job that catches up keeps its live runs behind that, so only its state needs to be read. */
export async function releaseAt(world: EndingWorld, jobId: string, job: TicketJob): Promise<ReleaseAt> {
  const now = nowOf(world)
  const state = job.misfire.policy === 'CATCH_UP' ? await world.states.read(jobId) : NEW_STATE
  const openMs = now * 1000 + COMES_BACK_AFTER_SECONDS * 1000
  return { now, startBy: now + START_WITHIN_SECONDS, openMs, block: job.block, state }
}

/**
 * Sends the runs that hold the lock and have not started. The one that was just given it is listed anew: after a long wait the audit
 * looks at a run rarely, and if its message is lost the audit must come back to it soon.
 */
export async function sendReleased(
  world: EndingWorld,
  sender: Sender,
  job: TicketJob,
  { send, promoted }: Pick<Release, 'send' | 'promoted'>,
): Promise<void> {
  for (const run of send) {
    if (run.runId === promoted?.runId) await listRun(world, sender, { run, job }, run.openMs as number, null)
    await sendRun(world, sender, run, job, { inSeconds: 0, notBefore: null })
  }
  const isListedAnew = send.some(({ runId, openMs }) => runId === promoted?.runId && openMs !== promoted.openMs)
  if (promoted !== null && promoted.openMs !== null && isListedAnew) {
    const { runId, attempt, openMs: dueMs } = promoted
    await world.open.remove({ shard: sender.shard, dueMs, runId, attempt })
  }
}

/** Frees the lock that this attempt of a run may hold, and sends the run that gets it. */
export async function releaseOwnLock(
  world: EndingWorld,
  sender: Sender,
  { jobId, run, job, holds }: Life,
): Promise<void> {
  const at = await releaseAt(world, jobId, job)
  const [released] = await world.locks.change([
    {
      jobId,
      believed: holds === null ? FREE : { holders: [holds], waiting: [] },
      decide: (lock) => {
        const isMine = lock.holders.some(({ runId, attempt }) => runId === run.runId && attempt === run.attempt)
        const result = release(lock, run.runId, at)
        return isMine ? { lock: result.lock, result } : { lock: null, result: { lock, send: [], promoted: null } }
      },
    },
  ])
  await sendReleased(world, sender, job, released)
}

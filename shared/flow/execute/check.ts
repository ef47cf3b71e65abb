// Looks, after the claim, for what changed since the ticker planned the run: a stop or an edit that was committed in between
// must hold. A run that its job no longer has at that instant is skipped; any other goes on with what is in force now.

import { isLaneNotice, type StoredJob, statusAt } from '../../core/job/stored.ts'
import { isDueAt } from '../../core/planner/due.ts'
import { ticketJobOf } from '../../core/run/message.ts'
import { secondOf } from '../../core/time/units.ts'
import { CHANGES_OVERLAP_SECONDS } from '../../core/timings.ts'
import type { FreshChanges } from './fresh-changes.ts'
import { type Batch, endedAs, goingOn, isGoing, type Life } from './life.ts'
import type { ExecuteWorld } from './world.ts'

/** The log keeps an hour; what is older asks the jobs themselves. */
const LOG_TRUSTED_MS = 30 * 60_000

export async function check(world: ExecuteWorld, changes: FreshChanges, batch: Batch): Promise<Batch> {
  const going = batch.lives.filter(isGoing)
  if (going.length === 0) return batch
  const nowMs = world.clock.nowMs()
  const changed = await changedJobs(world, changes, batch, going)
  const found = changed.size === 0 ? [] : await world.jobs.readMany([...changed])
  const stored = new Map(found.map((job) => [job.id, job]))
  const judged = goingOn(batch, (life) =>
    changed.has(life.jobId) ? judge(life, stored.get(life.jobId) ?? null, nowMs) : life,
  )
  return goingOn(judged, (life) => withStop(life, nowMs))
}

async function changedJobs(
  world: ExecuteWorld,
  changes: FreshChanges,
  { shard, changesReadAtMs }: Batch,
  going: readonly Life[],
): Promise<Set<string>> {
  if (world.clock.nowMs() - changesReadAtMs > LOG_TRUSTED_MS) return new Set(going.map(({ jobId }) => jobId))
  const log = await changes.since(shard, changesReadAtMs - CHANGES_OVERLAP_SECONDS * 1000)
  const newest = new Map<string, number>()
  for (const change of log) {
    if (!isLaneNotice(change)) newest.set(change.jobId, Math.max(change.version, newest.get(change.jobId) ?? 0))
  }
  const isOutdated = ({ jobId, job }: Life) => (newest.get(jobId) ?? 0) > job.version
  return new Set(going.filter(isOutdated).map(({ jobId }) => jobId))
}

function judge(life: Life, stored: StoredJob | null, nowMs: number): Life {
  if (stored === null) return endedAs(life, 'SKIPPED', nowMs, 'its job is not there any more')
  if (!isStillDue(life, stored)) {
    const status = statusAt(stored, secondOf(nowMs))
    const isOver = status === 'RUNNING' ? 'was edited' : `was ${status.toLowerCase()}`
    return endedAs(life, 'SKIPPED', nowMs, `its job ${isOver} and is not due at this instant any more`)
  }
  const job = ticketJobOf(stored)
  // A claim that was made for a shorter run counts as old, so that it is made anew.
  const claimedMs = job.timeoutSeconds > life.job.timeoutSeconds ? 0 : life.claimedMs
  return { ...life, stored, job, claimedMs }
}

/** A stop may say that what was due before it is not to start, also where that was sent again after the stop. */
function withStop(life: Life, nowMs: number): Life {
  const { run, job, second } = life
  const isOfSchedule = run.trigger !== 'MANUAL' && run.trigger !== 'DEPENDENCY'
  const { cancelled } = job
  const isCancelled = cancelled !== null && isOfSchedule && second < cancelled.before
  return isCancelled ? endedAs(life, 'CANCELLED', nowMs, cancelled.reason) : life
}

/** Only runs of a page are planned; what has an item of its own was decided on when that was put. */
function isStillDue({ kind, second, run }: Life, stored: StoredJob): boolean {
  return run.depth === null || isDueAt(stored, second, [kind])
}

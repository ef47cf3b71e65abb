// Where time alone keeps the runs of a job apart, and where a lock must. Most jobs have long gaps and short runs: for
// them a run that starts on time needs no lock, and everything else keeps clear of those times.

import { governedOf, type JobVersion, type VersionedJob, versionAt } from '../job/version.ts'
import { type DueItem, dueBetween, previousRun } from '../planner/due.ts'
import { NEVER } from '../time/instants.ts'
import { CLEAR_AFTER_SECONDS, CLEAR_BEFORE_SECONDS, GAP_MARGIN_SECONDS, ON_TIME_SECONDS } from '../timings.ts'
import type { GateRun } from './state.ts'

/**
 * Around an instant without a lock no run with one may start. That is safe from twice the timeout and twenty seconds on; twice
 * as much is asked, so that a run by hand, a retry or a missed one need not wait for more than half of the gap.
 */
const neededGap = (timeoutSeconds: number): number =>
  2 * (2 * timeoutSeconds + CLEAR_BEFORE_SECONDS + CLEAR_AFTER_SECONDS)

/**
 * From here on no run that was started under an older definition can still be going, neither one without a lock nor one
 * with it: the edit may have put an instant where such a run had seen none.
 */
function settledFrom(job: VersionedJob, version: JobVersion): number {
  const older = job.versions.filter(({ activeFrom }) => activeFrom < version.activeFrom)
  if (older.length === 0) return version.activeFrom
  return (
    (version.sureFrom ?? version.activeFrom) +
    Math.max(...older.map(({ timeoutSeconds }) => timeoutSeconds)) +
    GAP_MARGIN_SECONDS
  )
}

/**
 * True where the run of an instant, started on time, cannot meet another run: its neighbours are far enough away, and no
 * edit is so fresh that an older definition's run may still be going. After it only the version in force counts: a
 * later edit has to wait for this run in its turn.
 */
export function isKeptApartByTime(job: VersionedJob, second: number): boolean {
  const governed = governedOf(job).findLast(({ from }) => from <= second)
  if (governed === undefined || second < settledFrom(job, governed.version)) return false
  // Older instants that are caught up would never find a time that is clear of the live ones, so these have a lock too.
  if (governed.version.misfire.policy === 'CATCH_UP') return false
  const needed = neededGap(governed.version.timeoutSeconds)
  const previous = previousRun(job, second)
  const moved = (governed.version.moves ?? []).map(({ to }) => to).filter((to) => to > second)
  const scheduled = [governed.timing.start.next(second), governed.timing.restart.next(second)]
  const nexts = [...scheduled, ...moved].filter((t) => t !== NEVER)
  return (previous === NEVER || second - previous >= needed) && nexts.every((next) => next - second >= needed)
}

/**
 * What a ticker can say about the lock ahead of a run. none: started on time the run meets no other run, so it needs no lock. take:
 * started on time with the lock it meets no run that has no lock, because instants that stand alone lie further from their
 * neighbours than two runs take. check: an edit is so fresh that only the job itself can tell.
 */
export const LOCK_HINTS = ['none', 'take', 'check'] as const
export type LockHint = (typeof LOCK_HINTS)[number]

export function lockHintOf(job: VersionedJob, second: number): LockHint {
  const governed = governedOf(job).findLast(({ from }) => from <= second)
  if (governed === undefined || second < settledFrom(job, governed.version)) return 'check'
  return isKeptApartByTime(job, second) ? 'none' : 'take'
}

/** How a run lies among the instants of its job; asked only as far as the gate needs it. */
export interface RunTimes {
  /** A scheduled first attempt that starts on time at an instant that stands alone needs no lock. */
  needsNoLock(): boolean
  /** The first second from now on at which it may start with a lock. */
  clearFrom(): number
  /** The instant before its own, or NEVER. */
  previousInstant(): number
}

type Timed = Pick<GateRun, 'trigger' | 'attempt' | 'instant'>

const isOnTime = ({ trigger, attempt, instant }: Timed, now: number): boolean =>
  trigger === 'SCHEDULE' && attempt === 1 && instant !== null && now - instant <= ON_TIME_SECONDS

export const timesOf = (job: VersionedJob, run: Timed, now: number): RunTimes => ({
  needsNoLock: () => isOnTime(run, now) && isKeptApartByTime(job, run.instant as number),
  clearFrom: () => clearSecond(job, now, run.instant),
  previousInstant: () => (run.instant === null ? NEVER : previousRun(job, run.instant)),
})

/** The same from what the ticker said, without the job; null where that does not tell. */
export function timesByHint(lockHint: LockHint, run: Timed, now: number): Omit<RunTimes, 'previousInstant'> | null {
  if (lockHint === 'check' || !isOnTime(run, now)) return null
  return { needsNoLock: () => lockHint === 'none', clearFrom: () => now }
}

/**
 * The first second at or after `from` at which a run with a lock may start without meeting one without: no instant that
 * needs no lock lies so near that either could still run when the other starts. There is such a second soon, because
 * instants that need no lock lie further apart than two runs take.
 */
function clearSecond(job: VersionedJob, from: number, ownInstant: number | null): number {
  let x = from
  let blocking = blockingInstant(job, x, ownInstant)
  while (blocking !== null) {
    x = blocking.second + blocking.version.timeoutSeconds + CLEAR_BEFORE_SECONDS + 1
    blocking = blockingInstant(job, x, ownInstant)
  }
  return x
}

/** A run is not in its own way: the instant that it is late for has no other run. */
function blockingInstant(job: VersionedJob, x: number, ownInstant: number | null): DueItem | null {
  const timeouts = job.versions.map(({ timeoutSeconds }) => timeoutSeconds)
  const longest = Math.max(...timeouts)
  const items: DueItem[] = []
  dueBetween(job, x - longest - CLEAR_BEFORE_SECONDS, x + longest + CLEAR_AFTER_SECONDS + 1, items)
  // Before its first version a job has no instants either, so any timeout will do.
  const own = versionAt(job, x)?.timeoutSeconds ?? longest
  const runs = items.filter(({ kind }) => kind !== 'stop')
  const isNear = ({ second, version }: DueItem) =>
    second >= x - version.timeoutSeconds - CLEAR_BEFORE_SECONDS && second <= x + own + CLEAR_AFTER_SECONDS
  // Of a dense schedule this leaves nothing to look at closely. Only neighbours of one version tell: see settledFrom.
  const isFar = (one: DueItem, other: DueItem | undefined) =>
    other === undefined ||
    other.version !== one.version ||
    Math.abs(other.second - one.second) >= neededGap(one.version.timeoutSeconds)
  const standsAlone = (item: DueItem, index: number) => isFar(item, runs[index - 1]) && isFar(item, runs[index + 1])
  const near = runs.filter((item, index) => item.second !== ownInstant && isNear(item) && standsAlone(item, index))
  return near.findLast(({ second }) => isKeptApartByTime(job, second)) ?? null
}

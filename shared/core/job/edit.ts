// What an edit does to a job's history: when it becomes active, which moves it keeps, how long old versions must stay.

import { InputError } from '../errors.ts'
import { nextDue } from '../planner/due.ts'
import { formatInstant } from '../time/instant.ts'
import { NEVER } from '../time/instants.ts'
import { ACTIVE_AFTER_SECONDS, RUN_GRACE_SECONDS } from '../timings.ts'
import type { JobVersion, Move, VersionedJob } from './version.ts'

/** An edit is in force from here on, never earlier: two seconds after the store's time and after all that is opened. */
export const activeFromOf = (storeSecond: number, fence: number): number =>
  Math.max(storeSecond, fence) + ACTIVE_AFTER_SECONDS

/** Where the fence had passed activeFrom before the commit was known: from here on the new definition is surely seen. */
export const sureFromOf = (activeFrom: number, fenceAfterCommit: number): number | undefined =>
  fenceAfterCommit >= activeFrom ? fenceAfterCommit + ACTIVE_AFTER_SECONDS : undefined

/** Versions a job keeps at most; more edits than this before the audit has caught up are refused. */
export const MOST_VERSIONS = 20

/** Edits came faster than the audit can forget old definitions. Waiting cures it. */
export class TooManyEdits extends Error {
  readonly retryAfterSeconds = 30

  constructor() {
    super(`the job was edited ${MOST_VERSIONS} times within a short time. Wait half a minute and send the edit again`)
    this.name = 'TooManyEdits'
  }
}

/** A version under which nothing is due before the next one comes into force. */
const isSilent = ({ status, until }: JobVersion, end: number): boolean =>
  status === 'DELETED' || (status === 'STOPPED' && (until === undefined || until >= end))

/**
 * Adds a version. `auditedThrough` is the shard's, or the second before the oldest gap that the job still catches up, if that is less.
 * One whose time is accounted for, and whose runs are surely over, may go, and so may one that only prolongs a silence; no other ever
 * does. A stop or a delete is never refused for the number of versions: an operator in need can always stop a job.
 */
export function addVersion(job: VersionedJob, version: JobVersion, auditedThrough: number): VersionedJob {
  const all = withoutProlongedSilence([...job.versions, version])
  const isOver = (each: JobVersion, end: number) => {
    const lastRun = end + (each.timing.spread ?? 0)
    return lastRun <= auditedThrough && lastRun + each.timeoutSeconds + RUN_GRACE_SECONDS <= version.activeFrom
  }
  // The oldest go first: one that went from between two others would leave its time to the one before it.
  const oldest = all.findIndex((each, index) => index === all.length - 1 || !isOver(each, all[index + 1].activeFrom))
  const needed = all.slice(oldest)
  if (needed.length > MOST_VERSIONS && version.status === 'RUNNING') throw new TooManyEdits()
  return { id: job.id, versions: needed }
}

/** A silent version after one that is silent as long is left out: the earlier one then governs its time, and says the same. */
function withoutProlongedSilence(versions: readonly JobVersion[]): JobVersion[] {
  const kept: JobVersion[] = []
  for (const [index, version] of versions.entries()) {
    const end = versions[index + 1]?.activeFrom
    const before = kept.at(-1)
    const isNeedless = end !== undefined && before !== undefined && isSilent(version, end) && isSilent(before, end)
    if (!isNeedless) kept.push(version)
  }
  return kept
}

/** A reschedule moves the first instant from activeFrom on, and only that one; null takes it away. */
export function moveOf(job: VersionedJob, activeFrom: number, to: number | null): Move {
  const from = nextDue(job, activeFrom - 1, ['start'])
  if (from === NEVER) throw moveError(to, 'there is no instant left to move', 'Change the schedule, or trigger the job')
  if (to === null) return { from, to: NEVER }
  if (to < activeFrom) throw moveError(to, 'is in the past', `Use a time from ${formatInstant(activeFrom)} on`)
  return { from, to }
}

/** The moves of a version with one more: whatever was moved to where that begins goes along. */
export const withMove = (moves: readonly Move[], added: Move): Move[] => [
  ...moves.map((move) => (move.to === added.from ? { from: move.from, to: added.to } : move)),
  added,
]

function moveError(to: number | null, problem: string, remedy: string): InputError {
  return new InputError({
    code: 'job.reschedule',
    field: 'at',
    value: to === null ? null : formatInstant(to),
    problem,
    remedy,
  })
}

const JUST_PAST_SECONDS = 60

/** A single time that has just passed is meant as now; one that is long past is a mistake. */
export function onceInstant(at: number, activeFrom: number, path: string): number {
  if (at >= activeFrom) return at
  if (activeFrom - at <= JUST_PAST_SECONDS) return activeFrom
  const remedy = `Use a time from ${formatInstant(activeFrom)} on, or trigger the job`
  throw new InputError({
    code: 'schedule.past',
    field: 'at',
    value: formatInstant(at),
    problem: 'is in the past',
    remedy,
    path,
  })
}

// A job through time. Every edit is a version that is in force from its activeFrom on, and no edit reaches back: the
// definition in force at an instant decides about it, whichever process asks and whenever.

import { compileTiming, type Timing, type TimingSpec } from '../schedule/timing.ts'
import type { Misfire } from './job.ts'

export type VersionStatus = 'RUNNING' | 'STOPPED' | 'DELETED'

/** What a version may be followed by. An edit that keeps the status is a version too; a put on a deleted name revives it. */
export const NEXT_JOB_STATUSES: Readonly<Record<VersionStatus, readonly VersionStatus[]>> = {
  RUNNING: ['RUNNING', 'STOPPED', 'DELETED'],
  STOPPED: ['STOPPED', 'RUNNING', 'DELETED'],
  DELETED: ['RUNNING', 'STOPPED'],
}

/** A single instant moved by a reschedule; both are effective seconds. */
export interface Move {
  readonly from: number
  readonly to: number
}

/** All of a definition that the plan depends on. Calendars and templates are resolved into `timing`. */
export interface JobVersion {
  readonly version: number
  readonly activeFrom: number
  /** Where the fence was already past activeFrom at the commit: before this second an entry under either definition is legal. */
  readonly sureFrom?: number
  readonly status: VersionStatus
  /** A stop that ends by itself: from this second on the job runs again. */
  readonly until?: number
  readonly timing: Omit<TimingSpec, 'jobId'>
  readonly moves?: readonly Move[]
  readonly misfire: Misfire
  readonly timeoutSeconds: number
  readonly maxLatenessSeconds: number | null
  readonly priority: number
}

export interface VersionedJob {
  readonly id: string
  /** In the order of activeFrom; each governs up to the next. */
  readonly versions: readonly JobVersion[]
}

/** A version with its schedules compiled and its time laid out. */
export interface Governed {
  readonly version: JobVersion
  readonly timing: Timing
  /** The nominal seconds that it decides about: [from, to). */
  readonly from: number
  readonly to: number
}

const compiled = new WeakMap<JobVersion, Timing>()

function timingOf(jobId: string, version: JobVersion): Timing {
  const known = compiled.get(version)
  if (known !== undefined) return known
  const timing = isOfAnyJob(version) ? shared(jobId, version) : compileTiming({ ...version.timing, jobId })
  compiled.set(version, timing)
  return timing
}

/** Neither a spread nor an H in an expression: then the timing does not depend on whose it is. */
const isOfAnyJob = ({ timing: { spread = 0, schedules } }: JobVersion): boolean =>
  spread === 0 && schedules.every((schedule) => !('cron' in schedule) || !/h/i.test(schedule.cron))

/** Of a hundred thousand jobs many have the same times: those are compiled once and share one timing. */
const timings = new Map<string, Timing>()
const MOST_SHARED = 10_000

function shared(jobId: string, version: JobVersion): Timing {
  const key = JSON.stringify(version.timing)
  const known = timings.get(key)
  if (known !== undefined) return known
  const timing = compileTiming({ ...version.timing, jobId })
  if (timings.size >= MOST_SHARED) timings.clear()
  timings.set(key, timing)
  return timing
}

export function governedOf(job: VersionedJob): Governed[] {
  return job.versions.map((version, index) => ({
    version,
    timing: timingOf(job.id, version),
    from: version.activeFrom,
    to: job.versions[index + 1]?.activeFrom ?? Number.POSITIVE_INFINITY,
  }))
}

/** The version in force at a second, or null before the job was there. */
export function versionAt(job: VersionedJob, second: number): JobVersion | null {
  return job.versions.findLast((version) => version.activeFrom <= second) ?? null
}

const runsAt = (version: JobVersion, second: number): boolean =>
  version.status === 'RUNNING' ||
  (version.status === 'STOPPED' && version.until !== undefined && version.until <= second)

/** False where a stop or a delete that is in force at the second keeps the job from being due. */
export function isRunningAt(job: VersionedJob, second: number): boolean {
  const version = versionAt(job, second)
  return version !== null && runsAt(version, second)
}

/** Stopped by the newest definition, until a client starts it. */
export function isStoppedForGood({ versions }: VersionedJob): boolean {
  const { status, until } = versions[versions.length - 1]
  return status === 'STOPPED' && until === undefined
}

/** Neither definition is wrong about a second between activeFrom and sureFrom: an entry is legal there, none is required. */
export function isUnsureAt(job: VersionedJob, second: number): boolean {
  return job.versions.some(
    ({ activeFrom, sureFrom }) => sureFrom !== undefined && activeFrom <= second && second < sureFrom,
  )
}

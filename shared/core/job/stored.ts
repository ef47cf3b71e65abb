// A job as the store keeps it: its definition, its recent versions, and what tickers are told about a change of it.

import type { Actor } from '../actor.ts'
import type { AuditEntry } from '../audit-entry.ts'
import type { FieldChange } from '../changes.ts'
import type { Job } from './job.ts'
import type { VersionedJob, VersionStatus } from './version.ts'

export const STOP_CODES = ['BY_HAND', 'NO_INSTANT_LEFT', 'FAILURES', 'SAVED_STOPPED'] as const

export interface Stopped {
  readonly code: (typeof STOP_CODES)[number]
  readonly reason: string
  readonly by: Actor
  readonly atMs: number
  /** The second from which the job runs again by itself. */
  readonly until: number | null
  /** Whether runs that were due before the stop and have not started are cancelled; otherwise they still run. */
  readonly queued: 'run' | 'cancel'
  /** The bulk act that stopped it. */
  readonly operation: string | null
  /** The second from which the stop holds: what was due before it is what is queued. */
  readonly from: number
}

export interface StoredJob extends VersionedJob {
  /** Its payload is null where it is stored apart and was not asked for. */
  readonly definition: Job
  /** The version with which a large payload was saved, for it is stored apart; null where the payload stands in the definition. */
  readonly bodyVersion: number | null
  readonly version: number
  /** Fires at single times only, so that no ticker needs to hold it before its minute is near. */
  readonly isOnce: boolean
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** `code`, `apply:<owner>`, or null for a job that any editor may change. */
  readonly managedBy: string | null
  readonly stopped: Stopped | null
}

const isStopOver = ({ versions }: VersionedJob, second: number): boolean => {
  const { status, until } = versions[versions.length - 1]
  return status === 'STOPPED' && until !== undefined && until <= second
}

/** What its newest version makes of the job at a second: a stop with an end is over from then on. */
export const statusAt = (job: VersionedJob, second: number): VersionStatus =>
  isStopOver(job, second) ? 'RUNNING' : job.versions[job.versions.length - 1].status

/** The stop in force at a second, or null. */
export const stopAt = (job: StoredJob, second: number): Stopped | null => (isStopOver(job, second) ? null : job.stopped)

export const isDeleted = ({
  versions,
}: {
  readonly versions: readonly { readonly status: VersionStatus }[]
}): boolean => versions[versions.length - 1].status === 'DELETED'

/** What there is of a job for its users: a deleted one is as good as none. */
export const present = <Found extends VersionedJob>(job: Found | null | undefined): Found | null =>
  job == null || isDeleted(job) ? null : job

/** The version that a condition of a request is about: a deleted job counts as absent, though its numbers go on. */
export const versionOf = (job: StoredJob | null): number => present(job)?.version ?? 0

export const fullNameOf = ({ definition }: Pick<StoredJob, 'definition'>): string =>
  `${definition.namespace}/${definition.name}`

/** When a job that has no instant left is deleted by itself, or null. */
export function deletedFrom({ stopped, definition }: Pick<StoredJob, 'stopped' | 'definition'>): number | null {
  if (stopped?.code !== 'NO_INSTANT_LEFT' || definition.deleteAfter === null) return null
  return Math.ceil(stopped.atMs / 1000) + definition.deleteAfter
}

/** What tickers have yet to see. */
export interface Change {
  readonly shard: number
  readonly ms: number
  readonly jobId: string
  readonly version: number
  /** The first instant of a one-time job that the change leaves ahead, or null: far ones need not be read yet. */
  readonly once: { readonly firstInstant: number | null } | null
  /** Not a new definition: the job's runs are long, and travel on the slow lane up to the end of this minute. */
  readonly slowThroughMinute?: number
}

/** Tells tickers about a lane. It stands under a version that no definition has, so it takes no other notice's place. */
export const laneNotice = (shard: number, ms: number, jobId: string, slowThroughMinute: number): Change => ({
  shard,
  ms,
  jobId,
  version: 0,
  once: null,
  slowThroughMinute,
})

export const isLaneNotice = ({ slowThroughMinute }: Change): boolean => slowThroughMinute !== undefined

/**
 * Says that a shard must be awake at a second for a job: a one-time job is due, or a finished one is to be deleted. It is never taken
 * back: the ticker that follows it asks the job.
 */
export interface Pointer {
  readonly shard: number
  readonly second: number
  readonly jobId: string
}

/** A definition as it was saved, with who saved it and what it changed. */
export interface SavedDefinition {
  readonly version: number
  readonly activeFrom: number
  readonly atMs: number
  readonly by: Actor
  readonly status: VersionStatus
  readonly changes: readonly FieldChange[]
  /** Its payload is null where it is stored apart. */
  readonly definition: Job
  readonly bodyVersion: number | null
}

/** One mutation of a job, all or nothing. */
export interface JobWrite {
  readonly shard: number
  /** What was read, whose version must still be the newest; null where there must be no such job. */
  readonly before: StoredJob | null
  readonly after: StoredJob
  readonly change: Change
  readonly pointers: readonly Pointer[]
  readonly audit: AuditEntry
}

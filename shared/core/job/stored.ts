// A job as the store keeps it: its definition, its recent versions, and what tickers are told about a change of it.

import type { Job } from './job.ts'
import type { VersionedJob, VersionStatus } from './version.ts'

export interface Stopped {
  readonly reason: string
  readonly by: string
  /** The second from which the job runs again by itself. */
  readonly until: number | null
  /** Whether runs that were due before the stop and have not started are cancelled; otherwise they still run. */
  readonly queued?: 'run' | 'cancel'
}

export interface StoredJob extends VersionedJob {
  /** Its payload is null where it lies apart and was not asked for. */
  readonly definition: Job
  /** The version with which a large payload was saved, for it lies apart; null where the payload stands in the definition. */
  readonly bodyVersion: number | null
  readonly version: number
  /** Fires at single times only, so that no ticker needs to hold it before its minute is near. */
  readonly isOnce: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly managedBy: 'code' | null
  readonly stopped: Stopped | null
}

export const statusOf = (job: VersionedJob): VersionStatus => job.versions[job.versions.length - 1].status

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

/** Says that a one-time job is due at a second. It is never taken back: whoever follows it asks the job. */
export interface Pointer {
  readonly shard: number
  readonly second: number
  readonly jobId: string
}

/** One mutation of a job, all or nothing. */
export interface JobWrite {
  readonly shard: number
  /** What was read, whose version must still be the newest; null where there must be no such job. */
  readonly before: StoredJob | null
  readonly after: StoredJob
  readonly change: Change
  readonly pointers: readonly Pointer[]
}

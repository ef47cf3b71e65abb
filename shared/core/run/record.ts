// What the ledger holds about a run beside its entry in a page.

import type { Actor } from '../actor.ts'
import type { Lane } from '../lanes.ts'
import type { PageEntry } from '../pages/entry.ts'
import type { RunId, Trigger } from './run.ts'
import type { RunStatus } from './status.ts'

/** The page of a run: its second divided by the first bits of the jobs' hashes. */
export interface PageKey {
  readonly shard: number
  readonly second: number
  readonly depth: number
  readonly page: number
}

export interface RunError {
  readonly name: string
  readonly message: string
  readonly stack: string
}

/** One attempt, as the list of attempts keeps it. */
export interface AttemptLine {
  readonly attempt: number
  readonly status: RunStatus
  readonly startedAtMs: number | null
  readonly durationMs: number | null
  readonly error: string | null
}

/** Of many attempts the first and so many of the newest are kept. */
const NEWEST_ATTEMPTS_KEPT = 9

/** The attempt that leaves the list when another one enters it, or null. */
export const droppedAttempt = (entering: number): number | null =>
  entering - NEWEST_ATTEMPTS_KEPT > 1 ? entering - NEWEST_ATTEMPTS_KEPT : null

/** Why there is a run that no schedule brought. */
export interface Cause {
  readonly retryOf: string | null
  /** The run whose end triggered it. */
  readonly run: string | null
  readonly operation: string | null
  readonly by: Actor | null
}

export interface LogLine {
  readonly atMs: number
  readonly line: string
}

export interface RunDetail {
  /** The version of the definition that it ran with. */
  readonly version?: number
  readonly cause?: Cause
  /** The first run of the chain that it belongs to; absent where that is itself. */
  readonly root?: string
  /** Written one at a time, each by the executor that ended it. */
  readonly attempts?: readonly AttemptLine[]
  readonly trigger?: Trigger
  /** Absent for a run that came by hand and was given none. */
  readonly instant?: number
  readonly nominal?: number
  readonly lane?: Lane
  readonly queuedAtMs?: number
  readonly claimedAtMs?: number
  readonly startedAtMs?: number
  readonly finishedAtMs?: number
  readonly executor?: string
  /** A manual run may bring its own. */
  readonly payload?: unknown
  readonly output?: unknown
  readonly error?: RunError
  readonly reason?: string
  readonly log?: readonly LogLine[]
  readonly isLogCut?: boolean
}

/** A run that has an item of its own. */
export interface RunRecord {
  readonly id: RunId
  readonly entry: PageEntry
  readonly detail: RunDetail
}

/** A run that is not an ordinary fast run of a page: the audit comes back to it until it has ended and let others go on. */
export interface OpenRun extends ListedRun {
  /** What to send. */
  readonly message: string
}

/** What the list itself says of an open run. Messages are stored apart, so that the list can be read without them. */
export interface ListedRun {
  readonly shard: number
  /** When to look at it again; part of its key. */
  readonly dueMs: number
  readonly runId: string
  /** Part of its key as well: what is left of an earlier attempt must not take the place of this one. */
  readonly attempt: number
  /** How often it was sent again. */
  readonly times: number
  readonly lane: Lane
  /** When it was to be looked at first: its message is stored under this. */
  readonly listedMs: number
}

/** One line of the feed: runs that no page shows, and all that failed. */
export interface RecentRun {
  readonly shard: number
  readonly ms: number
  readonly runId: string
  readonly entry: PageEntry
  readonly trigger: Trigger
  readonly reason: string | null
}

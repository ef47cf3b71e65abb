// What the ledger holds about a run beside its entry in a page.

import type { Lane } from '../lanes.ts'
import type { PageEntry } from '../pages/entry.ts'
import type { RunId, Trigger } from './run.ts'

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

export interface RunDetail {
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
  readonly log?: readonly string[]
}

/** A run that has an item of its own. */
export interface RunRecord {
  readonly id: RunId
  /** Null where the item only adds detail to an entry in a page. */
  readonly entry: PageEntry | null
  readonly detail: RunDetail
}

/** The suffix of an item that adds detail to a page entry, and of one that counts missed instants. */
export const DETAIL_SUFFIX = 'x'
export const MISSED_SUFFIX = 'missed'

/** A run that is not an ordinary fast run of a page: somebody must come back to it until it has ended and let others go on. */
export interface OpenRun {
  readonly shard: number
  /** When to look at it again; part of its key. */
  readonly dueMs: number
  readonly runId: string
  /** Part of its key as well: what is left of an earlier attempt must not take the place of this one. */
  readonly attempt: number
  /** How often it was sent again. */
  readonly times: number
  readonly lane: Lane
  /** What to send. */
  readonly message: string
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

// A run on its way through an executor. Each step takes the runs of one message and returns them; a run that has come to
// an end before it started is carried along, so that all of them are settled and released in the same way.

import type { LockHint } from '../../core/gate/overlap.ts'
import type { GateRun, Holder } from '../../core/gate/state.ts'
import type { StoredJob } from '../../core/job/stored.ts'
import type { Lane } from '../../core/lanes.ts'
import type { PageEntry } from '../../core/pages/entry.ts'
import type { TicketJob } from '../../core/run/message.ts'
import type { LogLine, OpenRun, RunError } from '../../core/run/record.ts'
import type { OutcomeStatus } from '../../core/run/settlement.ts'
import type { Kind } from '../../core/schedule/schedule.ts'
import type { Place } from './place.ts'

/** How an attempt ended. */
export interface End {
  readonly status: OutcomeStatus
  /** Null where it never started. */
  readonly startedMs: number | null
  readonly endedMs: number
  readonly reason?: string
  readonly error?: RunError
  readonly output?: unknown
  readonly log?: readonly LogLine[]
  readonly isLogCut?: boolean
}

/** Where a run stands in the list of open runs. */
export type Listed = Pick<OpenRun, 'dueMs' | 'attempt'>

export interface Life {
  /** The name of its entry: the job's id, or that with ~ for a stop. */
  readonly id: string
  readonly jobId: string
  readonly second: number
  readonly kind: Kind
  readonly run: GateRun
  readonly notBefore: number | null
  readonly lockHint: LockHint
  readonly job: TicketJob
  /** The job with its versions, where it was read. */
  readonly stored: StoredJob | null
  /** A manual run may bring its own payload. */
  readonly ownPayload?: unknown
  /** The first run of the chain that it belongs to; absent where that is itself. */
  readonly root?: string
  /** All its items in the list of open runs that are known, to take them out in the end. */
  readonly opens: readonly Listed[]
  /** What this executor knows to stand in the ledger: its claim, or what it found. */
  readonly entry: PageEntry | null
  readonly claimedMs: number
  /** The ledger had an entry of it before this claim, so it may have been claimed or have waited, and be in its job's lock already. */
  readonly wasKnown: boolean
  /** The lock as it holds it, or null. */
  readonly holds: Holder | null
  readonly end: End | null
  /** It had ended before: only what follows an end is done again. */
  readonly isRepeat: boolean
}

/** The runs of one message. */
export interface Batch {
  readonly shard: number
  readonly lane: Lane
  readonly changesReadAtMs: number
  readonly place: Place
  readonly lives: readonly Life[]
}

export const isGoing = ({ end }: Life): boolean => end === null

/** Each of the runs that still goes on, changed; the others as they are. */
export const goingOn = (batch: Batch, change: (life: Life) => Life): Batch => ({
  ...batch,
  lives: batch.lives.map((life) => (isGoing(life) ? change(life) : life)),
})

/** An end without a start. */
export const endedAs = (life: Life, status: OutcomeStatus, nowMs: number, reason: string): Life => ({
  ...life,
  end: { status, startedMs: null, endedMs: nowMs, reason },
})

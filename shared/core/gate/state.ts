// What is kept about a job between its runs. The lock says which runs hold it and which wait, and is stored with the locks of
// other jobs; the rest has an item of its own, and only jobs that need it have one.

import { type LaneState, NEW_LANE } from '../lanes.ts'
import { type CatchUpCursor, isCatchingUp } from '../planner/catch-up.ts'
import type { Trigger } from '../run/run.ts'

/** A run as the gate sees it, with what it takes to send it again. */
export interface GateRun {
  readonly runId: string
  readonly trigger: Trigger
  /** null for a manual or dependent run that was given none. */
  readonly instant: number | null
  readonly nominal: number | null
  readonly attempt: number
  /** The depth of its second's pages, or null where it has an item of its own. */
  readonly depth: number | null
  /** The time of its item among the open runs, as far as known; null where it has none. */
  readonly openMs: number | null
}

export interface Holder extends GateRun {
  readonly deadline: number
  /** For a run that has the lock and has not started yet, or not again: when it was sent last, or will be. Null once it has started. */
  readonly sentAt: number | null
}

export interface Waiter extends GateRun {
  /** What it is ordered by: its instant, or for a manual run the second in which it came. */
  readonly orderedBy: number
}

export interface Lock {
  /** One for SERIAL, DISCARD and COVER; up to max for CONCURRENT. A set of runs, never a counter. */
  readonly holders: readonly Holder[]
  readonly waiting: readonly Waiter[]
}

export const FREE: Lock = { holders: [], waiting: [] }

export interface JobState {
  /** The instant, or for a manual run the start, of the newest run that succeeded; kept where the job asks for it. */
  readonly lastSuccess: number | null
  readonly catchUp: readonly CatchUpCursor[]
  /** Gaps up to here have been put among the cursors, once: a link that works off a gap again must not put them back. */
  readonly caughtUpThrough: number | null
  readonly lane: LaneState
}

export const NEW_STATE: JobState = { lastSuccess: null, catchUp: [], caughtUpThrough: null, lane: NEW_LANE }

export const MOST_WAITING = 1000

/** The runs that really hold the lock: past its deadline a holder counts as gone. */
export const liveHolders = ({ holders }: Lock, now: number): Holder[] =>
  holders.filter(({ deadline }) => now < deadline)

/** Scheduled runs stay behind what is caught up; all other runs may go when there is room. */
export const isBehindCatchUp = ({ catchUp }: Pick<JobState, 'catchUp'>, trigger: Trigger): boolean =>
  trigger === 'SCHEDULE' && isCatchingUp(catchUp)

/** The one that starts next: oldest first, and of two equally old the one that came first. */
export function oldestWaiter({ waiting }: Lock, state: Pick<JobState, 'catchUp'>): Waiter | null {
  const ready = waiting.filter(({ trigger }) => !isBehindCatchUp(state, trigger))
  return ready.reduce<Waiter | null>(
    (oldest, each) => (oldest === null || each.orderedBy < oldest.orderedBy ? each : oldest),
    null,
  )
}

// What a job's state item knows: who runs, who waits, what succeeded last. Only jobs that need it have one.

import { type LaneState, NEW_LANE } from '../lanes.ts'
import { type CatchUpCursor, isCatchingUp } from '../planner/catch-up.ts'
import type { Trigger } from '../run/run.ts'

export interface Holder {
  readonly runId: string
  readonly attempt: number
  /** null for a manual run. */
  readonly instant: number | null
  readonly deadline: number
  /** False for a run that was given the lock and has not started yet. */
  readonly started: boolean
}

export interface Waiter {
  readonly runId: string
  /** What it is ordered by: its instant, or for a manual run the second in which it came. */
  readonly orderedBy: number
  readonly attempt: number
  readonly trigger: Trigger
}

export interface JobState {
  /** One for SERIAL, DISCARD and COVER; up to max for CONCURRENT. A set of runs, never a counter. */
  readonly holders: readonly Holder[]
  readonly waiting: readonly Waiter[]
  /** The instant, or for a manual run the start, of the newest run that succeeded. */
  readonly lastSuccess: number | null
  readonly catchUp: readonly CatchUpCursor[]
  /** Gaps up to here have been put among the cursors, once: whoever works off a gap again must not put them back. */
  readonly caughtUpThrough: number | null
  readonly lane: LaneState
}

export const NEW_STATE: JobState = {
  holders: [],
  waiting: [],
  lastSuccess: null,
  catchUp: [],
  caughtUpThrough: null,
  lane: NEW_LANE,
}

export const MOST_WAITING = 1000

/** Those who really hold the lock: past its deadline a holder counts as gone. */
export const liveHolders = (state: JobState, now: number): Holder[] =>
  state.holders.filter(({ deadline }) => now < deadline)

/** Scheduled runs stay behind what is caught up; everyone else may go when there is room. */
export const isBehindCatchUp = (state: JobState, trigger: Trigger): boolean =>
  trigger === 'SCHEDULE' && isCatchingUp(state.catchUp)

/** The one that starts next: oldest first, and of two equally old the one that came first. */
export function oldestWaiter(state: JobState): Waiter | null {
  const ready = state.waiting.filter(({ trigger }) => !isBehindCatchUp(state, trigger))
  return ready.reduce<Waiter | null>(
    (oldest, each) => (oldest === null || each.orderedBy < oldest.orderedBy ? each : oldest),
    null,
  )
}

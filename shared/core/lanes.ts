// Fast and slow: a job whose runs keep being long travels on the slow lane, so that it cannot starve the others.

import { minuteOf } from './time/units.ts'
import { FAST_TIMEOUT_SECONDS } from './timings.ts'
export type Lane = 'fast' | 'slow'

/** A run longer than this counts. */
const LONG_MS = 500
/** More than this many long runs in one minute make a job slow, until the end of the next minute. */
const MOST_LONG_RUNS = 10

/** What the job's state keeps about its durations. */
export interface LaneState {
  readonly minute: number
  readonly longRuns: number
  readonly slowThroughMinute: number
}

export const NEW_LANE: LaneState = { minute: 0, longRuns: 0, slowThroughMinute: -1 }

export const isLong = (durationMs: number): boolean => durationMs > LONG_MS

/** A run that just ended. The count begins anew each minute. */
export function countRun(state: LaneState, durationMs: number, second: number): LaneState {
  if (!isLong(durationMs)) return state
  const minute = minuteOf(second)
  const longRuns = state.minute === minute ? state.longRuns + 1 : 1
  const slowThroughMinute = longRuns > MOST_LONG_RUNS ? minute + 1 : state.slowThroughMinute
  return { minute, longRuns, slowThroughMinute }
}

export function laneOf(state: LaneState, timeoutSeconds: number, second: number): Lane {
  const isSlow = timeoutSeconds > FAST_TIMEOUT_SECONDS || minuteOf(second) <= state.slowThroughMinute
  return isSlow ? 'slow' : 'fast'
}

// Counts the runs of a gap in pieces, so that waking up after any time costs little. It knows no clock.

import { tableFromFleet } from '../shared/core/run-index/build.ts'
import type { Fleet } from '../shared/core/run-index/fleet.ts'
import type { Missed } from './view.ts'

const PIECE_SECONDS = 3600
/** A laptop left for the holidays need not be counted to the last run before the ring turns again. */
const COUNTED_SECONDS = 7 * 86_400

export function countMissed(fleet: Fleet, from: number, to: number): Missed {
  const countedTo = Math.min(to, from + COUNTED_SECONDS)
  let count = 0
  for (let start = from; start < countedTo; start += PIECE_SECONDS) {
    const end = Math.min(start + PIECE_SECONDS, countedTo)
    count += tableFromFleet(fleet, start, end, Number.POSITIVE_INFINITY).jobs.length
  }
  return { from, to, count, isAtLeast: countedTo < to }
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countRun, type LaneState, laneOf, NEW_LANE } from '../../shared/core/lanes.ts'
import { backoffSeconds, hasAttemptLeft } from '../../shared/core/retry.ts'

const MINUTE = 30_000_000
const at = (minute: number, second = 0) => (MINUTE + minute) * 60 + second

function stateAfter(runs: number, durationMs: number, minute: number, from: LaneState = NEW_LANE): LaneState {
  let state = from
  for (let run = 0; run < runs; run++) state = countRun(state, durationMs, at(minute, run))
  return state
}

describe('the lane of a job', () => {
  test('is fast for a new one, and slow for one that may take more than a minute', () => {
    expect([laneOf(NEW_LANE, 60, at(0)), laneOf(NEW_LANE, 61, at(0))]).toEqual(['fast', 'slow'])
  })

  test('becomes slow with the eleventh run above 500 ms in one minute', () => {
    expect(laneOf(stateAfter(10, 501, 0), 60, at(0, 30))).toBe('fast')
    expect(laneOf(stateAfter(11, 501, 0), 60, at(0, 30))).toBe('slow')
    expect(laneOf(stateAfter(100, 500, 0), 60, at(0, 30))).toBe('fast')
  })

  test('stays slow to the end of the next minute and is fast again then', () => {
    const slow = stateAfter(11, 600, 0)
    expect([laneOf(slow, 60, at(1, 59)), laneOf(slow, 60, at(2))]).toEqual(['slow', 'fast'])
  })

  test('is counted anew each minute', () => {
    expect(laneOf(stateAfter(10, 600, 1, stateAfter(10, 600, 0)), 60, at(1, 30))).toBe('fast')
    expect(laneOf(stateAfter(11, 600, 1, stateAfter(11, 600, 0)), 60, at(2, 59))).toBe('slow')
  })
})

describe('a retry', () => {
  const retry = { attempts: 2, delay: 5, maxDelay: 60 }

  test('is made as often as the job says after the first attempt', () => {
    expect([1, 2, 3].map((attempt) => hasAttemptLeft(retry, attempt))).toEqual([true, true, false])
    expect(hasAttemptLeft({ ...retry, attempts: 0 }, 1)).toBe(false)
  })

  test('waits longer each time up to maxDelay, between a half and the whole of it', () => {
    expect([1, 2, 3, 4, 5, 90].map((attempt) => backoffSeconds(retry, attempt, 0.999999))).toEqual([
      5, 10, 20, 40, 60, 60,
    ])
    expect([1, 2, 3, 4, 5, 90].map((attempt) => backoffSeconds(retry, attempt, 0))).toEqual([3, 5, 10, 20, 30, 30])
  })

  test('never waits less than a second or more than maxDelay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 101 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (delay, attempt, random) => {
          const seconds = backoffSeconds({ attempts: 100, delay, maxDelay: 600 }, attempt, random)
          expect(seconds).toBeGreaterThanOrEqual(1)
          expect(seconds).toBeLessThanOrEqual(600)
          expect(Number.isInteger(seconds)).toBe(true)
        },
      ),
    )
  })
})

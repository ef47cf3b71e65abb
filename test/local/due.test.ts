// Which seconds fire at a turn: each once, none later than two seconds, the rest counted as missed.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dueSeconds } from '../../local/due.ts'

const secondsOf = ({ from, to }: { from: number; to: number }): number[] =>
  Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)

test('a turn a second later fires that second', () => {
  const { fire, missed } = dueSeconds(100, 101)
  expect(secondsOf(fire)).toEqual([101])
  expect(secondsOf(missed)).toEqual([])
})

test('a turn in the same second fires nothing', () => {
  const { fire, missed } = dueSeconds(100, 100)
  expect(secondsOf(fire)).toEqual([])
  expect(secondsOf(missed)).toEqual([])
})

test('a late turn fires the current second and the two before it', () => {
  const { fire, missed } = dueSeconds(100, 103)
  expect(secondsOf(fire)).toEqual([101, 102, 103])
  expect(secondsOf(missed)).toEqual([])
})

test('what is older than two seconds is missed', () => {
  const { fire, missed } = dueSeconds(100, 110)
  expect(secondsOf(fire)).toEqual([108, 109, 110])
  expect(secondsOf(missed)).toEqual([101, 102, 103, 104, 105, 106, 107])
})

test('a clock that was set back fires no second again', () => {
  const { fire, missed } = dueSeconds(100, 40)
  expect(secondsOf(fire)).toEqual([])
  expect(secondsOf(missed)).toEqual([])
  expect(fire.to - 1).toBe(100)
})

test('whatever the clock does, every second up to the latest one is fired or missed, once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 50 }), (steps) => {
      let [now, lastFired, latest] = [1000, 1000, 1000]
      const seen: number[] = []
      for (const step of steps) {
        now += step
        latest = Math.max(latest, now)
        const { fire, missed } = dueSeconds(lastFired, now)
        seen.push(...secondsOf(missed), ...secondsOf(fire))
        lastFired = fire.to - 1
      }
      expect(seen).toEqual(secondsOf({ from: 1001, to: latest + 1 }))
    }),
  )
})

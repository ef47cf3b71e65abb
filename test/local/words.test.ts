// Durations, clocks and fires in few characters.

import { expect, test } from 'vitest'
import { durationText, happeningText, offsetText, untilText, wrapText } from '../../local/words.ts'
import { NEVER } from '../../shared/core/time/instants.ts'
import { zoneOf } from '../../shared/core/time/zones.ts'
import { at } from '../support/time.ts'

test.each([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [125, '2 min 5 s'],
  [40_800, '11 h 20 min'],
  [194_400, '2 d 6 h'],
])('%i seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

test('what never comes has no duration', () => {
  expect(untilText(NEVER, 0)).toBe('never')
})

test('a fire shows the time of its second, the job and the lateness', () => {
  const second = at('2026-11-16T03:12:05Z')
  const fired = { type: 'fired', second, name: 'heartbeat', latenessMs: 2 } as const
  expect(happeningText(fired, zoneOf('UTC'), 0)).toBe('03:12:05  heartbeat  +2 ms')
})

test('one missed run is a run', () => {
  const missed = (count: number) => happeningText({ type: 'missed', second: 5, count }, zoneOf('UTC'), 0)
  expect(missed(1)).toBe('00:00:05  missed 1 run, each counted in the ledger')
  expect(missed(1234)).toBe('00:00:05  missed 1,234 runs, each counted in the ledger')
})

test('the offset follows summer time', () => {
  const brussels = zoneOf('Europe/Brussels')
  expect(offsetText(at('2026-07-01T00:00:00Z'), brussels)).toBe('UTC+02:00')
  expect(offsetText(at('2026-01-01T00:00:00Z'), brussels)).toBe('UTC+01:00')
  expect(offsetText(0, zoneOf('UTC'))).toBe('UTC')
})

test('text wraps at spaces', () => {
  expect(wrapText('at 09:30 on Monday', 9)).toEqual(['at 09:30', 'on Monday'])
  expect(wrapText('America/New_York', 5)).toEqual(['America/New_York'])
})

// Durations, clocks and fires in few characters.

import { expect, test } from 'vitest'
import { durationText, figuresText, happeningText, offsetText, untilText, wrapText } from '../../local/picture/words.ts'
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
  const fired = { type: 'fired', second, name: 'heartbeat', attempt: 1, latenessMs: 2 } as const
  expect(happeningText(fired, zoneOf('UTC'), 0)).toBe('03:12:05  heartbeat  +2 ms')
  expect(happeningText({ ...fired, latenessMs: null }, zoneOf('UTC'), 0)).toBe('03:12:05  heartbeat  running')
  expect(happeningText({ ...fired, attempt: 2 }, zoneOf('UTC'), 0)).toBe('03:12:05  heartbeat  attempt 2')
  expect(happeningText({ type: 'many', second, count: 1234 }, zoneOf('UTC'), 0)).toBe('03:12:05  1,234 runs')
})

test('figures say what was missed only where something was', () => {
  const figures = { fired: 1200, running: 1, failed: 2, missed: 0, lateness: { p50Ms: 12, p99Ms: 80 } }
  expect(figuresText(figures)).toBe('1,200 fired, late p50 12 ms, p99 80 ms, 1 running, 2 failed')
  expect(figuresText({ ...figures, missed: 3, lateness: null })).toMatch(/no lateness yet, .* 3 missed$/)
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

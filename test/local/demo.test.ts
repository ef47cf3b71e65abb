// The sample jobs as they are shown, at moments that the test chooses.

import { expect, test } from 'vitest'
import { Demo } from '../../local/demo.ts'
import { SAMPLE_JOBS } from '../../local/samples.ts'
import { zoneOf } from '../../shared/core/time/zones.ts'
import { at } from '../support/time.ts'

const UTC = zoneOf('UTC')
const START = at('2026-11-16T03:00:00Z')
const demo = () => new Demo(SAMPLE_JOBS, START * 1000)

test('a fire is shown with its lateness, newest first', () => {
  const shown = demo()
  shown.fired('heartbeat', START + 5, (START + 5) * 1000 + 250)
  shown.fired('heartbeat', START + 10, (START + 10) * 1000 + 40)
  const { jobs, latest } = shown.view(START + 10, UTC)
  expect(jobs[0]).toMatchObject({ name: 'heartbeat', firedCount: 2, worstLatenessMs: 250 })
  expect(latest.map(({ second }) => second - START)).toEqual([10, 5])
})

test('a run of a job that is no sample is among the latest', () => {
  const shown = demo()
  shown.fired('other', START, START * 1000)
  expect(shown.view(START, UTC).latest).toEqual([{ type: 'fired', second: START, name: 'other', latenessMs: 0 }])
})

test('missed runs are shown', () => {
  const shown = demo()
  shown.missed(START, 7)
  expect(shown.view(START, UTC).latest).toEqual([{ type: 'missed', second: START, count: 7 }])
})

test('the slots hold the coming minute, the next five seconds apart from the rest', () => {
  const { slots, nextRun } = demo().view(START, UTC)
  expect(slots).toHaveLength(60)
  expect(slots[5].soon).toBeGreaterThanOrEqual(1)
  expect(slots[10].later).toBeGreaterThanOrEqual(1)
  expect(slots.slice(6).every(({ soon }) => soon === 0)).toBe(true)
  expect(slots[0]).toEqual({ soon: 0, later: 3 })
  expect(nextRun).toBeGreaterThan(START)
  expect(nextRun).toBeLessThanOrEqual(START + 5)
})

test('the window rolls on, and back with a clock that was set back', () => {
  const shown = demo()
  for (const second of [START + 3 * 3600, START - 7200]) {
    expect(shown.view(second, UTC).slots[0].later).toBeGreaterThanOrEqual(3)
  }
})

// The sample jobs on the run index, driven by a clock that the test moves.

import { expect, test } from 'vitest'
import { Demo } from '../../local/demo.ts'
import { SAMPLE_JOBS } from '../../local/samples.ts'
import type { Happening } from '../../local/view.ts'
import { zoneOf } from '../../shared/core/time/zones.ts'
import { at, iso } from '../support/time.ts'

const UTC = zoneOf('UTC')
const START = '2026-11-16T03:00:00Z'

function demoAt(text: string): Demo {
  const demo = new Demo(SAMPLE_JOBS, at(text) * 1000)
  demo.turn(at(text) * 1000)
  return demo
}

const textOf = (happening: Happening): string =>
  happening.type === 'fired'
    ? `${iso(happening.second).slice(11, 19)} ${happening.name}`
    : `missed ${happening.missed.count}`

function turns(demo: Demo, fromMs: number, toMs: number, stepMs: number): string[] {
  const happenings: string[] = []
  for (let ms = fromMs; ms <= toMs; ms += stepMs) happenings.push(...demo.turn(ms).map(textOf))
  return happenings
}

test('a minute fires each job at its seconds', () => {
  const startMs = at(START) * 1000
  const fires = turns(demoAt(START), startMs + 1000, startMs + 60_000, 1000)
  const secondsOf = (name: string) => fires.filter((fire) => fire.endsWith(name)).map((fire) => fire.slice(3, 8))
  expect(secondsOf('flush-metrics')).toEqual(['00:15', '00:30', '00:45', '01:00'])
  expect(secondsOf('sync-orders')).toEqual(['01:00'])
  expect(secondsOf('heartbeat')).toHaveLength(12)
  expect(secondsOf('poll-inbox').length).toBeGreaterThanOrEqual(8)
  expect(secondsOf('market-open')).toEqual([])
})

test('a fire is shown once, however often the ring turns', () => {
  const startMs = at(START) * 1000
  const often = turns(demoAt(START), startMs, startMs + 60_000, 100)
  const seldom = turns(demoAt(START), startMs, startMs + 60_000, 3000)
  expect(new Set(often).size).toBe(often.length)
  expect(seldom).toEqual(often)
})

test('the runs of the second it starts in are left to the past', () => {
  const startMs = at(START) * 1000
  expect(new Demo(SAMPLE_JOBS, startMs).turn(startMs)).toEqual([])
})

test('the window rolls on: three hours fire without a hole', () => {
  const startMs = at(START) * 1000
  const fires = turns(demoAt(START), startMs + 1000, startMs + 3 * 3_600_000, 1000)
  expect(fires.filter((fire) => fire.endsWith('heartbeat'))).toHaveLength((3 * 3600) / 5)
  expect(fires.filter((fire) => fire.endsWith('sync-orders'))).toHaveLength(3 * 60)
})

test('the markets open at 09:30 in New York', () => {
  const openMs = at('2026-11-16T14:30:00Z') * 1000
  const fires = turns(demoAt('2026-11-16T14:29:58Z'), openMs - 1000, openMs, 1000)
  expect(fires).toContain('14:30:00 market-open')
})

test('lateness is the time from the second to the turn', () => {
  const demo = demoAt('2026-11-16T03:00:04Z')
  demo.turn(at('2026-11-16T03:00:06Z') * 1000 + 250)
  const heartbeat = demo.view(at('2026-11-16T03:00:06Z'), UTC).jobs[0]
  expect(heartbeat).toMatchObject({ name: 'heartbeat', firedCount: 1, worstLatenessMs: 1250 })
})

test('after a sleep the runs that nobody fired are counted and not fired', () => {
  const demo = demoAt(START)
  const happenings = demo.turn(at('2026-11-16T04:00:02Z') * 1000).map(textOf)
  // Before the last three seconds: 719 heartbeats, 515 polls, 239 flushes and 59 syncs.
  expect(happenings).toEqual(['missed 1532', '04:00:00 heartbeat', '04:00:00 flush-metrics', '04:00:00 sync-orders'])
})

test('a gap of a year is not counted to its end', () => {
  const [missed] = demoAt(START).turn(at('2027-11-16T03:00:00Z') * 1000)
  expect(missed).toMatchObject({ type: 'missed', missed: { isAtLeast: true } })
})

test('a gap without runs is no news', () => {
  const startMs = at(START) * 1000
  const demo = new Demo([{ name: 'daily', schedule: { cron: '0 12 * * *' } }], startMs)
  demo.turn(startMs)
  expect(demo.turn(startMs + 60_000)).toEqual([])
})

test('the slots hold the coming minute, the next five seconds apart from the rest', () => {
  const { slots, nextRun } = demoAt(START).view(at(START), UTC)
  expect(slots).toHaveLength(60)
  expect(slots[5].soon).toBeGreaterThanOrEqual(1)
  expect(slots[10].later).toBeGreaterThanOrEqual(1)
  expect(slots.slice(6).every(({ soon }) => soon === 0)).toBe(true)
  expect(slots[0]).toEqual({ soon: 0, later: 3 })
  expect(nextRun).toBeGreaterThan(at(START))
  expect(nextRun).toBeLessThanOrEqual(at('2026-11-16T03:00:05Z'))
})

test('after the clock was set back the ring still shows the coming minute', () => {
  const earlier = at('2026-11-16T01:00:00Z')
  const demo = demoAt(START)
  expect(demo.turn(earlier * 1000)).toEqual([])
  expect(demo.view(earlier, UTC).slots[0].later).toBeGreaterThanOrEqual(3)
})

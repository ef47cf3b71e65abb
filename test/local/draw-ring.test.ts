// How the ring looks, by pure calls: sizes, places and marks.

import { describe, expect, test } from 'vitest'
import { Demo } from '../../local/demo.ts'
import { drawRing } from '../../local/draw-ring.ts'
import { fitsRing, LEAST_RADIUS, placeOf } from '../../local/layout.ts'
import { SAMPLE_JOBS } from '../../local/samples.ts'
import type { RingView } from '../../local/view.ts'
import { zoneOf } from '../../shared/core/time/zones.ts'
import { at } from '../support/time.ts'

/** Seconds of a minute, a view of each: the jobs have fired since its start. */
function viewsOf(start: string, seconds: number): RingView[] {
  const demo = new Demo(SAMPLE_JOBS, at(start) * 1000)
  return Array.from({ length: seconds }, (_, index) => {
    const second = at(start) + index
    // The heartbeat is every five seconds; the others need not be exact for a picture.
    if (index > 0 && second % 5 === 0) demo.fired('heartbeat', second, second * 1000 + 2)
    if (second % 15 === 0) demo.fired('flush-metrics', second, second * 1000 + 2)
    if (second % 60 === 0) demo.fired('sync-orders', second, second * 1000 + 2)
    return demo.view(at(start) + index, zoneOf('Europe/Brussels'))
  })
}

const VIEWS = viewsOf('2026-11-16T03:11:00Z', 66)
const SIZES = [
  [60, 20],
  [66, 22],
  [60, 45],
  [72, 24],
  [80, 24],
  [100, 30],
  [120, 40],
  [250, 80],
] as const

const draw = (view: RingView, width: number, height: number, hasColour = false): string[] =>
  drawRing(view, { width, height, hasColour })
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes begin with one.
const withoutColour = (line: string): string => line.replace(/\x1b\[[\d;]*m/g, '')
const VIEW = VIEWS[65]

describe.each(SIZES)('at %i x %i', (width, height) => {
  test('no line is wider than the terminal and there are no more than its rows', () => {
    for (const view of VIEWS) {
      const lines = draw(view, width, height)
      expect(lines).toHaveLength(height)
      expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(width)
    }
  })

  test('all sixty slots, the hand and the time are there', () => {
    for (const view of VIEWS.slice(0, 60)) {
      const picture = draw(view, width, height).slice(1, -1).join('\n')
      expect(picture.match(/[·○◎●◉◆✓]/g)).toHaveLength(60)
      expect(picture.match(/◆/g)).toHaveLength(1)
      expect(picture).toContain('04:11:')
    }
  })

  test('every job has its name and its next fire', () => {
    const picture = draw(VIEW, width, height).join('\n')
    for (const { name } of SAMPLE_JOBS) expect(picture).toMatch(new RegExp(`${name} +\\d+ (s|min|h)`))
  })

  test('colours change nothing but colours', () => {
    const coloured = draw(VIEW, width, height, true)
    expect(coloured.join('')).toContain('\x1b[')
    expect(coloured.map((line) => withoutColour(line).trimEnd())).toEqual(draw(VIEW, width, height))
  })
})

test('the 60 slots have 60 places, whatever the size of the ring', () => {
  for (let radius = LEAST_RADIUS; radius <= 60; radius++) {
    const places = Array.from({ length: 60 }, (_, slot) => placeOf(slot, radius))
    expect(new Set(places.map(({ row, column }) => `${row},${column}`)).size, `radius ${radius}`).toBe(60)
  }
})

test('slot 0 is on top, 15 on the right, 30 at the bottom, 45 on the left', () => {
  expect(placeOf(0, 10).row).toBe(-10)
  expect(placeOf(15, 10).column).toBe(20)
  expect(placeOf(30, 10).row).toBe(10)
  expect(placeOf(45, 10).column).toBe(-20)
})

test('the circle is the same upside down', () => {
  for (let slot = 0; slot < 30; slot++) {
    const [upper, lower] = [placeOf(slot, 9), placeOf(slot + 30, 9)]
    expect([upper.row + lower.row, upper.column + lower.column]).toEqual([0, 0])
  }
})

test('without colours there is no escape code', () => {
  expect(draw(VIEW, 80, 24).join('')).not.toContain('\x1b')
})

test('at 80 x 24 there are explanations, counts, lateness and the latest fires', () => {
  const picture = draw(VIEW, 80, 24).join('\n')
  expect(picture).toContain('every minute, Europe/Brussels')
  expect(picture).toMatch(/heartbeat {5,}5 s {4}13 +\+2 ms/)
  expect(picture).toContain('04:12:05  heartbeat      +2 ms')
})

test('where the lateness does not fit it is left out, not cut', () => {
  const picture = draw(VIEW, 60, 20).join('\n')
  expect(picture).toContain('04:12:05  heartbeat\n')
  expect(picture).not.toMatch(/ \+\d/)
})

test('runs of the next five seconds look other than later ones', () => {
  const [first] = VIEWS
  const slots = first.slots.map((_, slot) => ({ soon: slot === 3 ? 1 : 0, later: slot === 30 ? 2 : 0 }))
  const picture = draw({ ...first, slots, latest: [] }, 80, 24)
    .slice(0, -1)
    .join('\n')
  expect(picture.match(/●/g)).toHaveLength(1)
  expect(picture.match(/◎/g)).toHaveLength(1)
})

test('missed runs are among the latest', () => {
  const view: RingView = { ...VIEW, latest: [{ type: 'missed', second: VIEW.second, count: 1234 }] }
  expect(draw(view, 80, 24).join('\n')).toContain('missed 1,234 runs')
})

test('a small terminal has no ring', () => {
  expect([fitsRing(59, 24), fitsRing(80, 19), fitsRing(60, 20)]).toEqual([false, false, true])
})

// How the ring looks, by pure calls: sizes, places and marks.

import { describe, expect, test } from 'vitest'
import { drawRing } from '../../local/picture/draw-ring.ts'
import { fitsRing, LEAST_RADIUS, offsetOfSlot } from '../../local/picture/layout.ts'
import { RingModel } from '../../local/picture/ring-model.ts'
import { type RingView, SECONDS_AHEAD } from '../../local/picture/view.ts'
import { zoneOf } from '../../shared/core/time/zones.ts'
import { at } from '../support/time.ts'

const EVERY: Readonly<Record<string, number>> = { 'every-second': 1, 'every-ten-seconds': 10, 'brussels-cron': 5 }
const NAMES = Object.keys(EVERY)

/** Seconds of a minute, a view of each: the jobs have fired since its start. */
function viewsOf(start: string, seconds: number): RingView[] {
  const model = new RingModel()
  return Array.from({ length: seconds }, (_, index) => {
    const second = at(start) + index
    const due = (of: number) => NAMES.filter((name) => of % EVERY[name] === 0)
    model.fired(due(second).map((name) => ({ second, name, attempt: 1, latenessMs: 2 })))
    model.began(
      due(second).map(() => 2),
      second,
    )
    const ahead = Array.from({ length: SECONDS_AHEAD }, (_, n) => second + 1 + n)
    model.ahead = {
      counts: new Map(ahead.map((each) => [each, due(each).length])),
      nextRun: second + 1,
      next: new Map(NAMES.map((name) => [name, ahead.find((each) => each % EVERY[name] === 0) ?? 0])),
      explanationOf: (name) => (name === 'brussels-cron' ? 'every 5 seconds, Europe/Brussels' : name),
    }
    return model.view(second, zoneOf('Europe/Brussels'))
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
      expect(picture.match(/[·○◎●◉◆]/g)).toHaveLength(60)
      expect(picture.match(/◆/g)).toHaveLength(1)
      expect(picture).toContain('04:11:')
    }
  })

  test('every job has its name, cut where there is no room, and its next fire', () => {
    const picture = draw(VIEW, width, height).join('\n')
    for (const name of NAMES) expect(picture).toMatch(new RegExp(`${name.slice(0, 10)}\\S* +\\d+ (s|min|h)`))
  })

  test('colours change nothing but colours', () => {
    const coloured = draw(VIEW, width, height, true)
    expect(coloured.join('')).toContain('\x1b[')
    expect(coloured.map((line) => withoutColour(line).trimEnd())).toEqual(draw(VIEW, width, height))
  })
})

test('the 60 slots have 60 places, whatever the size of the ring', () => {
  for (let radius = LEAST_RADIUS; radius <= 60; radius++) {
    const places = Array.from({ length: 60 }, (_, slot) => offsetOfSlot(slot, radius))
    expect(new Set(places.map(({ row, column }) => `${row},${column}`)).size, `radius ${radius}`).toBe(60)
  }
})

test('slot 0 is on top, 15 on the right, 30 at the bottom, 45 on the left', () => {
  expect(offsetOfSlot(0, 10).row).toBe(-10)
  expect(offsetOfSlot(15, 10).column).toBe(20)
  expect(offsetOfSlot(30, 10).row).toBe(10)
  expect(offsetOfSlot(45, 10).column).toBe(-20)
})

test('the circle is the same upside down', () => {
  for (let slot = 0; slot < 30; slot++) {
    const [upper, lower] = [offsetOfSlot(slot, 9), offsetOfSlot(slot + 30, 9)]
    expect([upper.row + lower.row, upper.column + lower.column]).toEqual([0, 0])
  }
})

test('without colours there is no escape code', () => {
  expect(draw(VIEW, 80, 24).join('')).not.toContain('\x1b')
})

test('at 100 x 30 there are figures, explanations, counts, lateness and the latest fires', () => {
  const picture = draw(VIEW, 100, 30).join('\n')
  expect(picture).toContain('87 fired, late p50 2 ms, p99 2 ms, 0 running,')
  expect(picture).toContain('every 5 seconds, Europe/Brussels')
  expect(picture).toMatch(/every-second +1 s +66 +\+2 ms/)
  expect(picture).toContain('04:12:05  every-second       +2 ms')
})

test('where the lateness does not fit it is left out, not cut', () => {
  const picture = draw(VIEW, 60, 20).join('\n')
  expect(picture).not.toMatch(/ \+\d+ ?m?$/m)
})

test('before the hand stands what is to come, behind it what fired', () => {
  const [first] = VIEWS
  const slots = first.slots.map((_, slot) => ({
    due: slot === 3 ? 1 : 0,
    fired: slot === 50 ? 1 : slot === 40 ? 2 : 0,
  }))
  const picture = draw({ ...first, slots, latest: [] }, 80, 24)
    .slice(0, -1)
    .join('\n')
  for (const mark of ['○', '●', '◉']) expect(picture.match(new RegExp(mark, 'g')), mark).toHaveLength(1)
})

test('missed runs are among the latest', () => {
  const view: RingView = { ...VIEW, latest: [{ type: 'missed', second: VIEW.second, count: 1234 }] }
  expect(draw(view, 80, 24).join('\n')).toContain('missed 1,234 runs')
})

test('a small terminal has no ring', () => {
  expect([fitsRing(59, 24), fitsRing(80, 19), fitsRing(60, 20)]).toEqual([false, false, true])
})

// What a start shows of its runs, at moments that the test chooses.

import { expect, test } from 'vitest'
import { readFigures } from '../../local/picture/read-figures.ts'
import { RingModel } from '../../local/picture/ring-model.ts'
import { SECONDS_AHEAD } from '../../local/picture/view.ts'
import { zoneOf } from '../../shared/core/time/zones.ts'
import { at } from '../support/time.ts'

const UTC = zoneOf('UTC')
const START = at('2026-11-16T03:00:00Z')
const run = (name: string, second: number, latenessMs: number | null = 0, attempt = 1) => ({
  name,
  second,
  latenessMs,
  attempt,
})

test('a fire is shown with its lateness, newest first', () => {
  const model = new RingModel()
  model.fired([run('heartbeat', START + 5, 250)])
  model.fired([run('heartbeat', START + 10, 40)])
  const { jobs, latest } = model.view(START + 10, UTC)
  expect(jobs[0]).toMatchObject({ name: 'heartbeat', firedCount: 2, worstLatenessMs: 250 })
  expect(latest.map(({ second }) => second - START)).toEqual([10, 5])
})

test('a retry is late for nothing', () => {
  const model = new RingModel()
  model.fired([run('flaky', START, 2100, 2)])
  expect(model.view(START, UTC).jobs[0].worstLatenessMs).toBeNull()
})

test('many runs of one second are counted, not named', () => {
  const model = new RingModel()
  model.fired(Array.from({ length: 500 }, (_, n) => run(`job-${n}`, START)))
  const { latest, slots, jobs } = model.view(START, UTC)
  expect(latest).toEqual([{ type: 'many', second: START, count: 500 }])
  expect(slots[0].fired).toBe(500)
  expect(jobs.length).toBeLessThan(10)
})

test('half of the ring is what comes, the other half what fired', () => {
  const model = new RingModel()
  const counts = new Map(Array.from({ length: 60 }, (_, n) => [START + 1 + n, 1]))
  model.ahead = { counts, nextRun: START + 1, next: new Map(), explanationOf: () => '' }
  model.fired(Array.from({ length: 59 }, (_, n) => run('each', START - n)))
  const { slots } = model.view(START, UTC)
  expect(slots.filter(({ due }) => due > 0)).toHaveLength(SECONDS_AHEAD)
  expect(slots.filter(({ fired }) => fired > 0)).toHaveLength(60 - SECONDS_AHEAD)
  expect(slots.every(({ due, fired }) => due === 0 || fired === 0)).toBe(true)
})

test('latenesses are those of the last minute', () => {
  const model = new RingModel()
  model.began([9000], START)
  model.began(
    Array.from({ length: 100 }, (_, n) => n),
    START + 61,
  )
  expect(model.view(START + 61, UTC).figures).toMatchObject({ fired: 101, lateness: { p50Ms: 50, p99Ms: 99 } })
  expect(model.view(START + 200, UTC).figures.lateness).toBeNull()
})

test('a line of metrics tells how late runs began, and how many failed or were missed', () => {
  const line = JSON.stringify({ _aws: {}, stack: 'x', startLateness: [3, 4], failed: 1, lost: 2, missed: 5 })
  expect(readFigures(line)).toEqual({ startLatenessesMs: [3, 4], failed: 3, missed: 5 })
  expect(readFigures('{"level":"info"}')).toBeNull()
  expect(readFigures('any text of a handler')).toBeNull()
})

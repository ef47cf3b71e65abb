import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ring, type RingRun } from '../../shared/core/ring.ts'

const NOW = 100_000
const run = (second: number, jobId = 'a', kind = 'start'): RingRun => ({ second, jobId, kind })
const ringOf = (...runs: RingRun[]) => {
  const ring = new Ring<RingRun>()
  ring.put(runs, NOW)
  return ring
}

test('a run is handed out at its second, and once', () => {
  const ring = ringOf(run(NOW + 3))
  expect([ring.take(NOW), ring.take(NOW + 2)]).toEqual([[], []])
  expect(ring.take(NOW + 3)).toEqual([run(NOW + 3)])
  expect(ring.take(NOW + 3)).toEqual([])
})

test('a turn looks at its own slot and at those behind it, newest first', () => {
  expect(ringOf(run(NOW - 2), run(NOW), run(NOW - 1), run(NOW - 10)).take(NOW)).toEqual([
    run(NOW),
    run(NOW - 1),
    run(NOW - 2),
    run(NOW - 10),
  ])
})

test('a run put on twice, or again after it was handed out, is handed out once', () => {
  const ring = ringOf(run(NOW), run(NOW), run(NOW, 'a', 'stop'))
  expect(ring.take(NOW)).toHaveLength(2)
  ring.put([run(NOW)], NOW + 1)
  expect(ring.take(NOW + 1)).toEqual([])
})

test('what is older than ten seconds or a turn ahead is not for the ring', () => {
  const ring = ringOf(run(NOW - 11), run(NOW + 50), run(NOW + 60))
  expect(ring.counts().reduce((sum, count) => sum + count)).toBe(0)
  expect(ringOf(run(NOW + 49)).counts()[(NOW + 49) % 60]).toBe(1)
})

test('a run of the turn before is not taken for one of this turn', () => {
  const ring = ringOf(run(NOW + 5))
  expect(ring.take(NOW + 65)).toEqual([])
})

test('a changed job is planned anew, what it had on the ring is gone, what was handed out stays so', () => {
  const ring = ringOf(run(NOW), run(NOW + 2), run(NOW + 4), run(NOW + 4, 'b'))
  ring.take(NOW)
  ring.replan(new Set(['a']), [run(NOW), run(NOW + 3)], NOW)
  expect([2, 3, 4].map((ahead) => ring.take(NOW + ahead))).toEqual([[], [run(NOW + 3)], [run(NOW + 4, 'b')]])
})

test('what was handed out is forgotten when no plan can name it any more', () => {
  const ring = ringOf(run(NOW))
  ring.take(NOW)
  for (let turn = 1; turn < 200; turn++) ring.take(NOW + turn)
  ring.put([run(NOW)], NOW + 5)
  expect(ring.take(NOW + 5)).toEqual([run(NOW)])
})

test('what nobody took in time does not stay', () => {
  const ring = ringOf(run(NOW + 5), run(NOW + 20))
  ring.take(NOW + 31)
  expect(ring.counts().reduce((sum, count) => sum + count)).toBe(0)
})

test('however plans overlap and turns fall, no run comes twice and none is lost within ten seconds', () => {
  const step = fc.record({ waited: fc.integer({ min: 0, max: 8 }), behind: fc.integer({ min: 0, max: 8 }) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const ring = new Ring<RingRun>()
      const taken: number[] = []
      let now = NOW
      for (const { waited, behind: looked } of steps) {
        now += waited
        // A plan begins at the watermark, so it always reaches back to the turn before.
        const behind = Math.max(looked, waited)
        ring.put(
          Array.from({ length: behind + 6 }, (_, index) => run(now - behind + index)),
          now,
        )
        taken.push(...ring.take(now).map(({ second }) => second))
      }
      expect(new Set(taken).size).toBe(taken.length)
      const first = NOW + steps[0].waited
      for (let second = first; second <= now; second++) expect(taken).toContain(second)
    }),
    { numRuns: 300 },
  )
})

// Knows a slice of the differential run: our evaluator against the oracle, cron-parser and croner on random cases.
// TICKRING_SEED picks another slice; test/differential/run.ts runs the long one.
import { expect, test } from 'vitest'
import { compareWithOracle } from '../../differential/against-oracle.ts'
import { cronParser } from '../../differential/cron-parser.ts'
import { runDifferential } from '../../differential/differential.ts'
import { compileOurs } from '../../differential/ours.ts'
import type { CronCase } from '../../support/random-cron.ts'

const CASES = 1500
const SLICE_TIMEOUT_MS = 120_000
const { TICKRING_SEED } = process.env
const seed = Number(TICKRING_SEED ?? 20_260_801)

const daily: CronCase = {
  index: 0,
  expression: '30 2 * * *',
  uses: [],
  runsPerDay: 1,
  zone: 'America/New_York',
  dst: { gap: 'shift', overlap: 'first' },
  instantSecond: Date.UTC(2024, 2, 10) / 1000,
}

test(`${CASES} random cases of seed ${seed}`, { timeout: SLICE_TIMEOUT_MS }, () => {
  const { comparisons, unclassified } = runDifferential({ cases: CASES, seed })
  expect(unclassified).toEqual([])
  expect(comparisons.map(({ name, compared }) => [name, compared > CASES / 2])).toEqual([
    ['oracle', true],
    ['cron-parser', true],
    ['croner', true],
  ])
})

test('the comparison with the oracle sees an evaluator that is wrong in each of its ways', () => {
  const right = compileOurs(daily, daily.dst)
  const checks = (wrong: Partial<typeof right>) =>
    compareWithOracle(daily, { ...delegate(right), ...wrong }).map(({ check }) => check)
  expect(checks({})).toEqual([])
  expect(checks({ next: (after) => right.next(after) + 1 })).toEqual(['next', 'next beyond'])
  expect(checks({ previous: (before) => right.previous(before) - 1 })).toEqual(['previous', 'previous beyond'])
  expect(checks({ between: () => {} })).toEqual(['between'])
  expect(checks({ next: () => -1 })).toEqual(['next', 'never again'])
  expect(checks({ previous: () => -1 })).toEqual(['previous', 'never before'])
})

test('an endless loop of cron-parser is cut', () => {
  const instantSecond = Date.parse('2027-04-03T12:51Z') / 1000
  const run = cronParser.run({ ...daily, expression: '32,57 * * * *', zone: 'Pacific/Chatham', instantSecond }, 8)
  expect(run.end).toBe('goes back')
})

function delegate(cron: ReturnType<typeof compileOurs>): ReturnType<typeof compileOurs> {
  return {
    next: (after) => cron.next(after),
    previous: (before) => cron.previous(before),
    between: (from, to, out) => cron.between(from, to, out),
  }
}

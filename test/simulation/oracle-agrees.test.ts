// The scheduler's own evaluation against the oracle's, which shares no code with it.

import { describe, expect, test } from 'vitest'
import { createRandom } from '../support/random-cron/random.ts'
import { at } from '../support/time.ts'
import { definitionOf, JobHistory, randomHistory } from './random-job-history.ts'

const HISTORIES = 400

test('the scheduler and the oracle agree about random jobs with random histories', () => {
  const found = { start: 0, stop: 0, restart: 0, moved: 0, skipped: 0 }
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = createRandom(seed)
    const history = randomHistory(random)
    const { versions } = history
    for (let looks = 0; looks < 2 && versions.length > 0; looks++) {
      const edit = random.pick(versions).activeFrom
      const [from, to] = [edit - random.below(300), edit + random.between(1, 900)]
      const byOracle = history.byOracle(from, to)
      expect({ seed, due: history.byCore(from, to) }).toEqual({ seed, due: byOracle })
      for (const { kind } of byOracle) found[kind]++
      const moves = versions.flatMap((version) => version.moves ?? [])
      const targets = new Set(moves.map((move) => move.to))
      const skips = new Set(moves.filter((move) => move.to === null).map((move) => move.from))
      found.moved += byOracle.filter(({ second }) => targets.has(second)).length
      found.skipped += [...skips].filter((second) => second >= from && second < to).length
    }
  }
  // Nothing is proven by jobs that are hardly ever due.
  const { moved, skipped, ...kinds } = found
  for (const [kind, count] of Object.entries(kinds)) expect(count, kind).toBeGreaterThan(3000)
  expect(moved, 'moved').toBeGreaterThan(130)
  expect(skipped, 'skipped').toBeGreaterThan(50)
})

describe('the scheduler and the oracle agree that', () => {
  const NOW = at('2027-01-15T08:00:00Z')
  const spread = definitionOf({ schedules: [{ every: 100 }], spread: 50 })
  const seldom = definitionOf({ schedules: [{ every: 1000 }] })

  const agree = (history: JobHistory) =>
    expect(history.byCore(NOW, NOW + 500)).toEqual(history.byOracle(NOW, NOW + 500))

  test('a start that was moved to an earlier second does not come again because of a later edit', () => {
    agree(
      new JobHistory()
        .save(NOW + 5, spread)
        .reschedule(NOW + 10, NOW + 11)
        .save(NOW + 110, seldom),
    )
  })

  test('a moved start keeps the nominal second that an older spread gave it', () => {
    agree(
      new JobHistory()
        .save(NOW + 5, spread)
        .save(NOW + 101, seldom)
        .reschedule(NOW + 102, NOW + 200),
    )
  })

  test('a start that is moved to where another was moved away keeps its nominal second', () => {
    const often = definitionOf({ schedules: [{ every: 100 }] })
    agree(
      new JobHistory()
        .save(NOW + 5, often)
        .reschedule(NOW + 10, NOW + 250)
        .reschedule(NOW + 20, NOW + 100),
    )
  })
})

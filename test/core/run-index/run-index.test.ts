import { describe, expect, test } from 'vitest'
import { tableFromFleet, tableFromPairs } from '../../../shared/core/run-index/build.ts'
import { fleetOf } from '../../../shared/core/run-index/fleet.ts'
import { EMPTY_TABLE, queryTable, RunIndex, type RunTable } from '../../../shared/core/run-index/run-index.ts'
import { compileTiming } from '../../../shared/core/schedule/timing.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import { createRandom } from '../../support/random-cron/random.ts'
import { at } from '../../support/time.ts'

type Run = [second: number, job: number]

const indexOf = (runs: Run[], from = 0, to = 100): RunIndex =>
  new RunIndex(
    tableFromPairs(from, to, { seconds: runs.map(([second]) => second), jobs: runs.map(([, job]) => job) }, 1000),
  )

function query(index: RunIndex | RunTable, from: number, to: number): Run[] {
  const jobs = new Int32Array(5000)
  const seconds = new Float64Array(5000)
  const count =
    index instanceof RunIndex ? index.query(from, to, jobs, seconds) : queryTable(index, from, to, jobs, seconds)
  return Array.from({ length: count }, (_, position) => [seconds[position], jobs[position]])
}

function randomRuns(count: number, seed: number): Run[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => [random.below(100), random.below(1000)])
}

const inOrder = (runs: Run[]): Run[] => [...runs].sort((a, b) => a[0] - b[0] || a[1] - b[1])

describe('the run index', () => {
  test('build from empty', () => {
    for (const index of [indexOf([]), new RunIndex(EMPTY_TABLE)]) {
      expect(index.len).toBe(0)
      expect(query(index, 0, 1000)).toEqual([])
      expect(index.peek()).toBe(NEVER)
    }
  })

  test('build from sorted data', () => {
    const runs = inOrder(randomRuns(500, 1))
    const index = indexOf(runs)
    expect(index.len).toBe(500)
    expect(query(index, 0, 100)).toEqual(runs)
    expect(query(indexOf([...runs].reverse()), 0, 100)).toEqual(runs)
  })

  test('query exact boundaries', () => {
    const index = indexOf([
      [10, 1],
      [11, 2],
      [12, 3],
    ])
    expect(query(index, 10, 12)).toEqual([
      [10, 1],
      [11, 2],
    ])
    expect(query(index, 11, 12)).toEqual([[11, 2]])
    expect(query(index, 12, 12)).toEqual([])
    expect(query(index, -5, 11)).toEqual([[10, 1]])
    expect(query(index, 12, 1000)).toEqual([[12, 3]])
  })

  test('query with no results', () => {
    const index = indexOf([
      [10, 1],
      [90, 2],
    ])
    expect(query(index, 11, 90)).toEqual([])
    expect(query(index, 100, 200)).toEqual([])
    expect(query(index, -50, 0)).toEqual([])
  })

  test('query with all results', () => {
    const runs = randomRuns(3000, 2)
    expect(query(indexOf(runs), 0, 100)).toEqual(inOrder(runs))
  })

  test('peek', () => {
    const index = indexOf([
      [10, 1],
      [40, 2],
    ])
    expect([index.peek(), index.peek(10), index.peek(11), index.peek(40)]).toEqual([10, 10, 40, 40])
    expect([index.peek(-5), index.peek(41), index.peek(500)]).toEqual([10, NEVER, NEVER])
    expect(new RunIndex(EMPTY_TABLE).peek(5)).toBe(NEVER)
  })

  test('multiple jobs at same time', () => {
    const runs: Run[] = [...Array(200).keys()].reverse().map((job) => [7, job])
    expect(query(indexOf(runs), 7, 8)).toEqual([...runs].reverse())
  })

  test('concurrent reads', async () => {
    const runs = randomRuns(2000, 3)
    const index = indexOf(runs)
    const readers = Array.from({ length: 50 }, async (_, reader) => {
      await Promise.resolve()
      return query(index, reader, reader + 20)
    })
    const answers = await Promise.all(readers)
    answers.forEach((answer, reader) => {
      expect(answer).toEqual(inOrder(runs).filter(([second]) => second >= reader && second < reader + 20))
    })
  })

  test('concurrent rebuild', async () => {
    const [before, after] = [randomRuns(2000, 4), randomRuns(2000, 5)]
    const index = indexOf(before)
    // Each reader holds the table that it began with and reads it a second at a time, while others are swapped in.
    const readers = Array.from({ length: 20 }, async () => {
      const { table } = index
      const read: Run[] = []
      for (let second = 0; second < 100; second++) {
        read.push(...query(table, second, second + 1))
        await Promise.resolve()
      }
      return read
    })
    const swaps = (async () => {
      for (let round = 0; round < 30; round++) {
        index.swap(indexOf(round % 2 === 0 ? after : before).table)
        await Promise.resolve()
      }
      index.swap(indexOf(after).table)
    })()
    for (const read of await Promise.all(readers)) expect(read).toEqual(inOrder(before))
    await swaps
    expect(query(index, 0, 100)).toEqual(inOrder(after))
  })
})

test('a query that the array cannot hold says how much it needs and writes nothing', () => {
  const index = indexOf([
    [1, 5],
    [1, 6],
    [2, 7],
  ])
  const small = new Int32Array(2).fill(-9)
  expect(index.query(0, 10, small)).toBe(3)
  expect([...small]).toEqual([-9, -9])
  expect(index.query(1, 2, small)).toBe(2)
})

describe('a table of a fleet', () => {
  const from = at('2026-01-01T00:00:00Z')
  const timings = [
    compileTiming({ jobId: 'a', schedules: [{ cron: '0 * * * *' }] }),
    compileTiming({ jobId: 'b', schedules: [{ every: 600 }] }),
    compileTiming({ jobId: 'c', schedules: [{ at: '2026-01-01T05:00:00Z' }] }),
    compileTiming({ jobId: 'd', schedules: [{ cron: '0 * * * *' }] }),
    compileTiming({ jobId: 'e', schedules: [{ kind: 'stop', every: 60 }] }),
  ]

  test('holds shared schedules, intervals and single runs', () => {
    const table = tableFromFleet(fleetOf(timings), from, from + 5 * 3600 + 1, 1000)
    expect(query(table, from, from + 601)).toEqual([
      [from, 0],
      [from, 1],
      [from, 3],
      [from + 600, 1],
    ])
    expect(query(table, from + 5 * 3600, from + 5 * 3600 + 1).map(([, job]) => job)).toEqual([0, 1, 2, 3])
  })

  test('peeks beyond its window, at shapes and at single runs', () => {
    const index = new RunIndex(tableFromFleet(fleetOf(timings), from, from + 60, 1000))
    expect(index.peek(from + 1)).toBe(from + 600)
    expect(index.peek(from + 601)).toBe(from + 1200)
    const single = new RunIndex(tableFromFleet(fleetOf([timings[2], timings[4]]), from, from + 60, 1000))
    expect(single.peek()).toBe(from + 5 * 3600)
    const hourly = new RunIndex(tableFromFleet(fleetOf([timings[0], timings[2]]), from + 1, from + 60, 1000))
    expect(hourly.peek()).toBe(from + 3600)
    const over = new RunIndex(tableFromFleet(fleetOf([timings[2]]), from + 6 * 3600, from + 7 * 3600, 1000))
    expect(over.peek()).toBe(NEVER)
    const later = compileTiming({ jobId: 'f', schedules: [{ at: '2026-01-01T07:00:00Z' }] })
    const two = new RunIndex(tableFromFleet(fleetOf([later, timings[2]]), from, from + 60, 1000))
    expect(two.peek()).toBe(from + 5 * 3600)
  })

  test('finds nothing after the last hour of the year 9999', () => {
    const end = at('9999-12-31T23:00:01Z')
    const index = new RunIndex(tableFromFleet(fleetOf([timings[0]]), end, end + 60, 1000))
    expect(index.peek()).toBe(NEVER)
  })

  test('takes a shorter window where the runs are more than its limit, and never less than a second', () => {
    const busy = fleetOf(
      Array.from({ length: 50 }, (_, job) => compileTiming({ jobId: `${job}`, schedules: [{ every: 1 }] })),
    )
    const table = tableFromFleet(busy, from, from + 3600, 10_000)
    expect(table.to - from).toBe(112)
    expect(table.jobs.length).toBe(112 * 50)
    expect(tableFromFleet(busy, from, from + 3600, 10).to - from).toBe(1)
    const bounded = Array.from({ length: 50 }, (_, job) =>
      compileTiming({ jobId: `${job}`, schedules: [{ every: 1 }], startAt: '2025-01-01T00:00:00Z' }),
    )
    expect(tableFromFleet(fleetOf(bounded), from, from + 3600, 10_000).to - from).toBe(112)
    const unique = Array.from({ length: 50 }, (_, job) =>
      compileTiming({ jobId: `${job}`, schedules: [{ cron: `* * ${job % 24} * * *`, zone: 'UTC' }] }),
    )
    expect(tableFromFleet(fleetOf(unique), from, from + 86_400, 10_000).to - from).toBeLessThan(86_400)
  })

  test('uses two bytes a run for up to 65,536 jobs, and four above', () => {
    const small = tableFromPairs(0, 10, { seconds: [1], jobs: [65_535] }, 65_536)
    const large = tableFromPairs(0, 10, { seconds: [1], jobs: [65_536] }, 65_537)
    expect([small.jobs.BYTES_PER_ELEMENT, large.jobs.BYTES_PER_ELEMENT]).toEqual([2, 4])
    expect([small.jobs[0], large.jobs[0]]).toEqual([65_535, 65_536])
  })

  test('a large group of equal schedules is copied whole and stays in order', () => {
    const many = Array.from({ length: 300 }, (_, job) =>
      compileTiming({ jobId: `${job}`, schedules: [{ cron: '* * * * *' }] }),
    )
    const table = tableFromFleet(fleetOf(many), from, from + 120, 1000)
    expect(query(table, from + 60, from + 61).map(([, job]) => job)).toEqual([...Array(300).keys()])
  })
})

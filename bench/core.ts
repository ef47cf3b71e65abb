// Measures the cron engine and the run index: `npm run -s bench:core -- --json`, or without --json as a table with
// cron-parser and croner beside it, measured in the same run.

import { compileCron } from '../shared/core/cron/cron.ts'
import { tableFromFleet, tableFromPairs } from '../shared/core/run-index/build.ts'
import { expandShapes } from '../shared/core/run-index/expand.ts'
import { type Fleet, fleetOf } from '../shared/core/run-index/fleet.ts'
import { RunIndex } from '../shared/core/run-index/run-index.ts'
import type { ScheduleSpec } from '../shared/core/schedule/schedule.ts'
import { createRandom } from '../test/support/random-cron/random.ts'
import { printCoreTable } from './core-table.ts'
import { mixedSchedules, timingsOf, uniqueSchedules } from './fleet.ts'
import { cronerHourMs, cronParserHourMs } from './libraries.ts'
import { bestMs, percentile } from './measure.ts'

const FROM = Date.UTC(2026, 0, 14, 10) / 1000
const HOUR = 3600
const DAY = 86_400
const NO_LIMIT = Number.POSITIVE_INFINITY
const progress = (text: string) => process.stderr.write(`${text} …\n`)

function referenceMs(): number {
  const from = Uint32Array.from({ length: 1_000_000 }, (_, index) => index)
  const to = new Uint32Array(from.length)
  return bestMs(40, () => {
    for (let index = 0; index < from.length; index++) to[index] = from[index]
  })
}

/** Expands and hands every job its own seconds, unsorted, which is what a loop over next() gives. */
function expandPerJob(fleet: Fleet, seconds: Int32Array, jobs: Int32Array): number {
  const expansion = expandShapes(fleet.shapes, FROM, FROM + HOUR, NO_LIMIT)
  if (expansion === null) return 0
  const { fires, starts } = expansion
  let count = 0
  for (let shape = 0; shape < fleet.shapes.size; shape++) {
    for (let member = fleet.members.starts[shape]; member < fleet.members.starts[shape + 1]; member++) {
      for (let fire = starts[shape]; fire < starts[shape + 1]; fire++) {
        seconds[count] = fires[fire]
        jobs[count++] = fleet.members.jobs[member]
      }
    }
  }
  return count
}

function buildMs(runs: number, rounds: number): number {
  const random = createRandom(runs)
  const seconds = Float64Array.from({ length: runs }, () => FROM + random.below(DAY))
  const jobs = Int32Array.from({ length: runs }, () => random.below(100_000))
  return bestMs(rounds, () => {
    tableFromPairs(FROM, FROM + DAY, { seconds, jobs }, 100_000)
  })
}

function arbitraryIndex(runs: number): RunIndex {
  const random = createRandom(7)
  const seconds = Float64Array.from({ length: runs }, () => FROM + random.below(DAY))
  const jobs = Int32Array.from(seconds, () => random.below(100_000))
  return new RunIndex(tableFromPairs(FROM, FROM + DAY, { seconds, jobs }, 100_000))
}

function query100Us(index: RunIndex): number {
  const jobs = new Int32Array(1000)
  let found = 0
  const ms = bestMs(20, () => {
    found = 0
    for (let call = 0; call < 10_000; call++) found += index.query(FROM + call * 8, FROM + call * 8 + 9, jobs)
  })
  if (found / 10_000 < 95) throw new Error(`the query found ${found / 10_000} runs, not about 100`)
  return ms / 10
}

function peekNs(index: RunIndex): number {
  let sum = 0
  const ms = bestMs(20, () => {
    for (let call = 0; call < 1_000_000; call++) sum += index.peek(FROM + (call & 65_535))
  })
  if (sum === 0) throw new Error('peek found nothing')
  return ms
}

const NEXT_EXPRESSIONS = [
  '* * * * * *',
  '* * * * *',
  '*/5 * * * *',
  '0 * * * *',
  '30 2 * * *',
  '0 9-17 * * 1-5',
  '0 0 L * *',
  '1,7,13 2,8,20 1,15 * *',
]

function nextNs(): number {
  const crons = NEXT_EXPRESSIONS.flatMap((text) =>
    ['UTC', 'America/New_York'].map((zone) => compileCron(text, { zone })),
  )
  const steps = 20_000
  const ms = crons.map((cron) =>
    bestMs(15, () => {
      let t = FROM
      for (let step = 0; step < steps; step++) t = cron.next(t)
    }),
  )
  return (ms.reduce((sum, each) => sum + each) / crons.length / steps) * 1e6
}

function retainedBytes(): number {
  const collect = (globalThis as { gc?: () => void }).gc
  if (collect === undefined) throw new Error('run with --expose-gc')
  // Array buffers are freed in the background, after the collection that found them unused.
  for (let round = 0; round < 4; round++) collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** What a fleet keeps in memory: shapes, members and all, as the garbage collector counts it, over several fleets. */
function bytesPerSchedule(schedules: readonly ScheduleSpec[]): number {
  const timings = timingsOf(schedules)
  const before = retainedBytes()
  const fleets = Array.from({ length: 20 }, () => fleetOf(timings))
  const bytes = retainedBytes() - before
  return bytes / fleets.length / timings.length
}

/** The scheduler's loop over one hour: a query every second, a new index every 30 s. */
function loopMs(fleet: Fleet): number[] {
  const index = new RunIndex(tableFromFleet(fleet, FROM, FROM + HOUR, NO_LIMIT))
  const jobs = new Int32Array(200_000)
  const times: number[] = []
  for (let tick = 0; tick < HOUR; tick++) {
    const now = FROM + tick
    const started = performance.now()
    if (tick % 30 === 0) index.swap(tableFromFleet(fleet, now, now + HOUR, NO_LIMIT))
    index.query(now, now + 1, jobs)
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)
}

export type CoreFigures = ReturnType<typeof measureCore>

function measureCore() {
  progress('memory')
  const bytesMixed = bytesPerSchedule(mixedSchedules(10_000, 1))
  const bytesUnique = bytesPerSchedule(uniqueSchedules(10_000))
  progress('reference, expansion and sorted windows')
  const reference = referenceMs()
  const mixed = fleetOf(timingsOf(mixedSchedules(10_000, 1)))
  const [seconds, owners] = [new Int32Array(400_000), new Int32Array(400_000)]
  const expand = bestMs(200, () => {
    expandPerJob(mixed, seconds, owners)
  })
  const sortedMs = (fleet: Fleet, length: number, rounds: number) =>
    bestMs(rounds, () => {
      tableFromFleet(fleet, FROM, FROM + length, NO_LIMIT)
    })
  const sortedHour = sortedMs(mixed, HOUR, 200)
  const sortedDay = sortedMs(mixed, DAY, 20)
  const unique = fleetOf(timingsOf(uniqueSchedules(10_000)))
  const uniqueHour = sortedMs(unique, HOUR, 100)
  progress('indexes of up to a million runs')
  const [build10k, build100k, build1M] = [buildMs(10_000, 100), buildMs(100_000, 50), buildMs(1_000_000, 15)]
  const large = fleetOf(timingsOf(mixedSchedules(63_000, 1)))
  const shared1M = sortedMs(large, HOUR, 50)
  const table = tableFromFleet(large, FROM, FROM + HOUR, NO_LIMIT)
  const index = arbitraryIndex(1_000_000)
  const [query, peek, peekSparse] = [query100Us(index), peekNs(index), peekNs(arbitraryIndex(100))]
  const loop = loopMs(large)
  progress('a million jobs')
  const millionJobs = sortedMs(fleetOf(timingsOf(mixedSchedules(1_000_000, 1))), HOUR, 5)
  progress('next(), cron-parser and croner')
  const next = nextNs()
  const parser = cronParserHourMs(mixedSchedules(10_000, 1), FROM, HOUR)
  const croner = cronerHourMs(mixedSchedules(10_000, 1), FROM, HOUR)
  return {
    json: {
      referenceMs: reference,
      expand10kHourMs: expand,
      sorted10kHourMs: sortedHour,
      sorted10kDayMs: sortedDay,
      build10kMs: build10k,
      build100kMs: build100k,
      build1MMs: build1M,
      build1MSharedMs: shared1M,
      query100Us: query,
      peekNs: peek,
      nextNs: next,
      bytesPerRun: (table.starts.byteLength + table.jobs.byteLength) / table.jobs.length,
      bytesPerSchedule: bytesMixed,
      cronParserRatio: parser / expand,
      loop: { p50Ms: percentile(loop, 0.5), p95Ms: percentile(loop, 0.95), p99Ms: percentile(loop, 0.99) },
    },
    beside: {
      peekSparseNs: peekSparse,
      millionJobsMs: millionJobs,
      uniqueHourMs: uniqueHour,
      uniqueBytesPerSchedule: bytesUnique,
      cronParserHourMs: parser,
      cronerHourMs: croner,
    },
  }
}

const figures = measureCore()
if (process.argv.includes('--json')) console.log(JSON.stringify(figures.json))
else printCoreTable(figures)

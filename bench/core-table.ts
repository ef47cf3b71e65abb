// The figures of bench/core.ts for people: each beside the least that is asked of it and the aim.

import type { CoreFigures } from './core.ts'

/** What the reference kernel took on the machine on which the aims were set. */
const REFERENCE_MS = 0.62

type Row = [name: string, value: number, unit: string, least: number, aim: number]

export function printCoreTable({ json, beside }: CoreFigures): void {
  const rows: Row[] = [
    ['expand 10,000 mixed schedules, 1 h', json.expand10kHourMs, 'ms', 1, 0.45],
    ['the same, sorted into an index', json.sorted10kHourMs, 'ms', 5, 0.2],
    ['the same over 24 h, 3.8 M runs', json.sorted10kDayMs, 'ms', 60, 3],
    ['index of 10,000 arbitrary runs', json.build10kMs, 'ms', 0.5, 0.24],
    ['index of 100,000 arbitrary runs', json.build100kMs, 'ms', 3, 1.4],
    ['index of 1,000,000 arbitrary runs', json.build1MMs, 'ms', 25, 13.7],
    ['index of 1 M runs of 63,000 mixed jobs', json.build1MSharedMs, 'ms', 25, 0.5],
    ['index of 1 M jobs over 1 h, 15.8 M runs', beside.millionJobsMs, 'ms', 400, 8],
    ['query 100 of 1 M', json.query100Us, 'µs', 5, 0.25],
    ['peek, a million runs over a day', json.peekNs, 'ns', 100, 13],
    ['peek, a hundred runs over a day', beside.peekSparseNs, 'ns', 100, 13],
    ['next()', json.nextNs, 'ns', 300, 80],
    ['memory a run', json.bytesPerRun, 'B', 8, 2],
    ['memory a schedule', json.bytesPerSchedule, 'B', 64, 33],
  ]
  const slower = (json.referenceMs / REFERENCE_MS).toFixed(2)
  console.log(
    `reference kernel (copy 1 M u32): ${json.referenceMs.toFixed(2)} ms, ${slower} times that of the aims' machine`,
  )
  for (const [name, value, unit, least, aim] of rows) {
    const verdict = value <= aim ? 'aim reached' : value <= least ? 'least reached' : 'MISSED'
    const figure = value.toPrecision(3).padStart(8)
    console.log(
      `${name.padEnd(40)} ${figure} ${unit.padEnd(2)}  least ${least} ${unit}, aim ${aim} ${unit}: ${verdict}`,
    )
  }
  const { p50Ms, p95Ms, p99Ms } = json.loop
  console.log(`loop of 1 M runs: p50 ${p50Ms.toFixed(3)} ms, p95 ${p95Ms.toFixed(3)} ms, p99 ${p99Ms.toFixed(3)} ms`)
  console.log(
    `all schedules different: 1 h sorted ${beside.uniqueHourMs.toFixed(2)} ms, ${beside.uniqueBytesPerSchedule.toFixed(0)} B a schedule`,
  )
  console.log(
    `cron-parser: ${beside.cronParserHourMs.toFixed(0)} ms for the first row, ${json.cronParserRatio.toFixed(0)} times as long`,
  )
  console.log(
    `croner: ${beside.cronerHourMs.toFixed(0)} ms, ${(beside.cronerHourMs / json.expand10kHourMs).toFixed(0)} times as long`,
  )
}

// Knows how to hold our evaluator against the oracle: a window by between, next and previous, and the way out of it.
import { oracleInstants } from '../support/oracle/oracle.ts'
import type { CronCase } from '../support/random-cron.ts'
import { clockChangeNear } from './clock-change.ts'
import type { Cron } from './library.ts'

export interface OracleDisagreement {
  check: string
  expected: number[]
  actual: number[]
}

const HALF_WINDOW_SECONDS = 15 * 3600
const DENSE_RUNS_PER_DAY = 3000
const DENSE_WINDOW_RUNS = 2000
const SECONDS_PER_DAY = 86400
const FIRST_SECOND = 0
const LAST_SECOND = Date.UTC(2100, 0, 1) / 1000

const isDense = ({ runsPerDay }: CronCase) => runsPerDay > DENSE_RUNS_PER_DAY

// A dense schedule is compared on a shorter window, moved to the clock change when there is one.
function windowOf(testCase: CronCase): [number, number] {
  const { instantSecond, zone, runsPerDay } = testCase
  if (!isDense(testCase)) return [instantSecond - HALF_WINDOW_SECONDS, instantSecond + HALF_WINDOW_SECONDS]
  const middle = clockChangeNear(zone, instantSecond)?.atSecond ?? instantSecond
  const half = Math.floor((DENSE_WINDOW_RUNS / runsPerDay) * SECONDS_PER_DAY * 0.5)
  return [middle - half, middle + half]
}

function forwards(cron: Cron, fromSecond: number, toSecond: number, most: number): number[] {
  const instants: number[] = []
  let second = cron.next(fromSecond - 1)
  while (second !== -1 && second < toSecond && instants.length < most) {
    instants.push(second)
    second = cron.next(second)
  }
  return instants
}

function backwards(cron: Cron, fromSecond: number, toSecond: number, most: number): number[] {
  const instants: number[] = []
  let second = cron.previous(toSecond)
  while (second !== -1 && second >= fromSecond && instants.length < most) {
    instants.unshift(second)
    second = cron.previous(second)
  }
  return instants
}

const isSame = (a: number[], b: number[]) => a.length === b.length && a.every((second, index) => second === b[index])

export function compareWithOracle(testCase: CronCase, cron: Cron): OracleDisagreement[] {
  const { expression, zone, dst } = testCase
  const oracle = (from: number, to: number) => oracleInstants(expression, zone, dst, from, to)
  const found: OracleDisagreement[] = []
  const check = (name: string, expected: number[], actual: number[]) => {
    if (!isSame(expected, actual)) found.push({ check: name, expected, actual })
  }
  const [from, to] = windowOf(testCase)
  const expected = oracle(from, to)
  const most = expected.length + 1
  const listed: number[] = []
  cron.between(from, to, listed)
  check('between', expected, listed)
  check('next', expected, forwards(cron, from, to, most))
  check('previous', expected, backwards(cron, from, to, most))
  if (isDense(testCase)) return found

  const after = cron.next(to - 1)
  if (after === -1) check('never again', oracle(to, LAST_SECOND), [])
  else if (after < LAST_SECOND) check('next beyond', oracle(to, after + 1), [after])
  const before = cron.previous(from)
  if (before === -1) check('never before', oracle(FIRST_SECOND, from), [])
  else if (before >= FIRST_SECOND) check('previous beyond', oracle(before, from), [before])
  return found
}

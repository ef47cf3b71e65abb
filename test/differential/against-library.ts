// Knows how to hold our evaluator against one library and to name the class of each difference.
import { oracleInstants } from '../support/oracle/oracle.ts'
import { transitionsBetween } from '../support/oracle/zone.ts'
import type { CronCase } from '../support/random-cron.ts'
import { clockChangeNear, REACH_SECONDS } from './clock-change.ts'
import { type Cron, type Difference, differences, type Library, type LibraryRun } from './library.ts'

export interface NamedDifference extends Difference {
  // Undefined when no rule explains it, or when the oracle sides with the library.
  className: string | undefined
}

export interface LibraryComparison {
  differences: NamedDifference[]
  isQuiet: boolean
}

// The libraries have no options for clock changes; this is the rule that cron-parser means to follow.
export const LIBRARY_DST = { gap: 'shift', overlap: 'first' } as const

const CHAIN_LENGTH = 8
const QUIET_SPAN_SECONDS = 30 * 86400

function isQuiet({ zone, instantSecond }: CronCase, { instants }: LibraryRun): boolean {
  const lastSecond = instants.at(-1) ?? instantSecond
  if (lastSecond - instantSecond > QUIET_SPAN_SECONDS) return false
  return transitionsBetween(zone, instantSecond - REACH_SECONDS, lastSecond + REACH_SECONDS).length === 0
}

function isOursRight({ expression, zone }: CronCase, { kind, atSecond }: Difference): boolean {
  if (kind === 'goes back') return true
  const isDue = oracleInstants(expression, zone, LIBRARY_DST, atSecond, atSecond + 1).length > 0
  return isDue === (kind !== 'extra')
}

function classNameOf(library: Library, testCase: CronCase, difference: Difference): string | undefined {
  if (!isOursRight(testCase, difference)) return undefined
  const { expression, zone } = testCase
  const { atSecond, askedFromSecond = atSecond } = difference
  const onTheClock = oracleInstants(expression, zone, { gap: 'skip', overlap: 'both' }, atSecond, atSecond + 1)
  const change = clockChangeNear(zone, atSecond) ?? clockChangeNear(zone, askedFromSecond)
  const situation = { ...difference, testCase, change, isOnTheClock: onTheClock.length > 0 }
  return library.classes.find(({ explains }) => explains(situation))?.name
}

export function compareWithLibrary(testCase: CronCase, ours: Cron, library: Library): LibraryComparison {
  const run = library.run(testCase, CHAIN_LENGTH)
  const found = differences(ours, run, testCase.instantSecond)
  return {
    differences: found.map((difference) => ({
      ...difference,
      className: classNameOf(library, testCase, difference),
    })),
    isQuiet: isQuiet(testCase, run),
  }
}

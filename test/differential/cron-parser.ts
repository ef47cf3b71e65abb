// Knows how to ask cron-parser for its next instants without being caught in its endless loops.
import { CronExpressionParser } from 'cron-parser'
import type { CronCase, Feature } from '../support/random-cron.ts'
import { CRON_PARSER_CLASSES } from './cron-parser-classes.ts'
import type { Library, LibraryRun } from './library.ts'

const LACKS: readonly Feature[] = ['wrapping range', 'repeated value', 'L-n', 'W', 'LW', 'alias @midnight']

function parse({ expression, zone, instantSecond }: CronCase) {
  try {
    return CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(instantSecond * 1000) })
  } catch {
    return undefined
  }
}

function run(testCase: CronCase, count: number): LibraryRun {
  const parsed = parse(testCase)
  const instants: number[] = []
  if (parsed === undefined) return { instants, end: 'refuses' }
  let lastSecond = testCase.instantSecond
  while (instants.length < count) {
    let second: number
    try {
      second = parsed.next().getTime() / 1000
    } catch {
      return { instants, end: 'gives up' }
    }
    if (second <= lastSecond) return { instants, end: 'goes back' }
    instants.push(second)
    lastSecond = second
  }
  return { instants, end: 'full' }
}

export const cronParser: Library = { name: 'cron-parser', lacks: LACKS, run, classes: CRON_PARSER_CLASSES }

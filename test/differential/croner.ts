// Knows how to ask croner for its next instants.
import { Cron } from 'croner'
import type { CronCase, Feature } from '../support/random-cron.ts'
import { CRONER_CLASSES } from './croner-classes.ts'
import type { Library, LibraryRun } from './library.ts'

const LACKS: readonly Feature[] = [
  'wrapping range',
  'range to SUN',
  'L-n',
  'LW in list',
  'open step in weekday',
  'alias beyond vixie',
]

function parse({ expression, zone }: CronCase): Cron | undefined {
  try {
    return new Cron(expression, { timezone: zone, sloppyRanges: true })
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
    const next = parsed.nextRun(new Date(lastSecond * 1000))
    if (next === null) return { instants, end: 'never again' }
    const second = next.getTime() / 1000
    if (second <= lastSecond) return { instants, end: 'goes back' }
    instants.push(second)
    lastSecond = second
  }
  return { instants, end: 'full' }
}

export const croner: Library = { name: 'croner', lacks: LACKS, run, classes: CRONER_CLASSES }

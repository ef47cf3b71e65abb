// Knows how another cron library is asked, and how its answer differs from ours.
import type { CronCase, Feature } from '../support/random-cron.ts'
import type { ClockChange } from './clock-change.ts'

export interface Cron {
  next(afterSecond: number): number
  previous(beforeSecond: number): number
  between(fromSecond: number, toSecond: number, out: number[]): void
}

export interface LibraryRun {
  // Ascending, all after the instant asked from.
  instants: number[]
  end: 'full' | 'never again' | 'gives up' | 'goes back' | 'refuses'
}

export interface Difference {
  kind: 'missing' | 'extra' | 'gives up' | 'goes back' | 'refuses'
  atSecond: number
  // The instant from which the library was asked when it went wrong, for a difference at the end of its answer.
  askedFromSecond?: number
}

export interface Situation extends Difference {
  testCase: CronCase
  change: ClockChange | undefined
  // Whether the wall clock shows a time of the schedule at that instant.
  isOnTheClock: boolean
}

export interface DisagreementClass {
  name: string
  meaning: string
  explains(situation: Situation): boolean
}

export interface Library {
  name: string
  lacks: readonly Feature[]
  run(testCase: CronCase, count: number): LibraryRun
  classes: readonly DisagreementClass[]
}

// More of our instants than this before the library's last one need not be listed to see a difference.
const MOST_EXPECTED = 64

function ourInstants(ours: Cron, afterSecond: number, lastSecond: number): number[] {
  const instants: number[] = []
  let second = ours.next(afterSecond)
  while (second !== -1 && second <= lastSecond && instants.length < MOST_EXPECTED) {
    instants.push(second)
    second = ours.next(second)
  }
  return instants
}

export function differences(ours: Cron, run: LibraryRun, afterSecond: number): Difference[] {
  const lastSecond = run.instants.at(-1) ?? afterSecond
  const expected = ourInstants(ours, afterSecond, lastSecond)
  const comparedTo = expected.length === MOST_EXPECTED ? (expected.at(-1) ?? lastSecond) : lastSecond
  const theirs = new Set(run.instants)
  const known = new Set(expected)
  const missing = expected.filter((second) => !theirs.has(second))
  const extra = run.instants.filter((second) => second <= comparedTo && !known.has(second))
  const found: Difference[] = [
    ...missing.map((atSecond) => ({ kind: 'missing' as const, atSecond })),
    ...extra.map((atSecond) => ({ kind: 'extra' as const, atSecond })),
  ]
  const end = differenceAtEnd(ours, run, lastSecond)
  return end === undefined ? found : [...found, end]
}

function differenceAtEnd(ours: Cron, run: LibraryRun, lastSecond: number): Difference | undefined {
  if (run.end === 'full') return undefined
  if (run.end === 'goes back') return { kind: 'goes back', atSecond: lastSecond }
  const atSecond = ours.next(lastSecond)
  if (atSecond === -1) return undefined
  return { kind: run.end === 'never again' ? 'missing' : run.end, atSecond, askedFromSecond: lastSecond }
}

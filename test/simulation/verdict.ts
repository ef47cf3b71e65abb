// What one simulation comes to, small enough to be sent from process to process.

import { crashScene } from './crash-scene.ts'
import type { Violation } from './history.ts'
import { judge } from './invariants/all.ts'
import type { ProcessKind } from './process.ts'
import { type Net, type SimulationOptions, simulate } from './simulate.ts'
import { storyOf } from './story.ts'
import { CHAIN_ONLY } from './weather.ts'

export interface Verdict {
  readonly seed: number
  readonly climate: string
  readonly without: Net | null
  readonly hash: string
  readonly simulatedSeconds: number
  readonly instants: number
  readonly faults: number
  /** The first few of each kind. */
  readonly violations: readonly Violation[]
  readonly counts: Counts
  /** Calls of each kind of process, where they were counted. */
  readonly calls?: Readonly<Record<ProcessKind, number>>
  /** Of the run that the first violation is about. */
  readonly story: readonly string[]
}

export interface Counts {
  /** Due, and never accounted for. */
  readonly lost: number
  /** Two records, or two starts of one attempt. */
  readonly doubled: number
  /** Attempts that were used up for no reason. */
  readonly unjustified: number
  /** Everything else that must not be. */
  readonly violations: number
}

const SHOWN = 8

export async function verdictOf(options: SimulationOptions): Promise<Verdict> {
  const { history, seed, climate, hash, simulatedSeconds, faults, calls } =
    options.crashes === undefined ? await simulate(options) : await crashScene(options.seed, options.crashes)
  const { violations: all, instants } = judge(history)
  const without = options.without ?? null
  const violations = all.filter((violation) => !isWhatTheNetIsFor(violation, without, climate))
  const runId = violations.find((violation) => violation.runId !== undefined)?.runId
  return {
    seed,
    climate,
    without,
    hash,
    simulatedSeconds,
    instants,
    faults,
    ...(calls === undefined ? {} : { calls }),
    violations: violations.slice(0, SHOWN),
    counts: countsOf(violations),
    story: runId === undefined ? [] : storyOf(history, runId),
  }
}

/** What may fail where a net is gone; nothing else may. */
const MAY_FAIL: Readonly<Record<Net, readonly string[]>> = {
  // No audit sends again what was lost on its way or died with its executor, and none looks after what is left open.
  audit: ['I1', 'I8', 'I12'],
  // Attempts are the job's own: without them runs fail, and nothing else changes.
  retries: [],
  // Chains come back by the minute rule, later.
  switch: ['I5, restart'],
  // A chain whose switch is lost stays dead, and what was due meanwhile has no record.
  'minute rule': ['I1', 'I5', 'I5, restart', 'I8', 'I11', 'I12'],
}

/** Where only tickers are struck nothing is lost on its way: without the audit no ticker tidies up, and everything has run all the same. */
const isWhatTheNetIsFor = ({ invariant }: Violation, without: Net | null, climate: string): boolean => {
  if (without === null || (without === 'audit' && climate === CHAIN_ONLY && invariant === 'I1')) return false
  return MAY_FAIL[without].includes(invariant)
}

function countsOf(violations: readonly Violation[]): Counts {
  const count = (...invariants: string[]) => violations.filter(({ invariant }) => invariants.includes(invariant)).length
  const [lost, doubled, unjustified] = [count('I1'), count('I2'), count('I4')]
  return { lost, doubled, unjustified, violations: violations.length - lost - doubled - unjustified }
}

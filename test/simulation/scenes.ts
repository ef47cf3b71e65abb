// Simulations as tests ask for them: what seeds come to, with all nets or without one of them.

import { expect } from 'vitest'
import { textOf } from './crash-points.ts'
import { planted } from './mutants/patch.ts'
import type { CrashPoint } from './scripted-weather.ts'
import type { Net, SimulationOptions } from './simulate.ts'
import type { Verdict } from './verdict.ts'
import { seedsOf } from './weather.ts'
import { simulateAll } from './workers.ts'

const NONE = { lost: 0, doubled: 0, unjustified: 0, violations: 0 }

/** As many processes at once as there are cores, where no other test runs beside; else one. */
export type AtOnce = 'all cores' | 'one process'
const MOST = { 'all cores': {}, 'one process': { most: 1 } }

async function verdictsOf(
  tasks: readonly SimulationOptions[],
  atOnce: AtOnce,
  without: Net | null = null,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  await simulateAll(tasks, {
    ...MOST[atOnce],
    ...planted(null, without),
    onVerdict: (verdict) => {
      verdicts.push(verdict)
      return true
    },
  })
  return verdicts
}

/** One seed of each weather, in which nothing may be lost, doubled or started for no reason. */
export async function expectNoneLost(
  climates: readonly string[],
  atOnce: AtOnce,
): Promise<{ instants: number; faults: number }> {
  const seeds = climates.flatMap((name) => seedsOf(name, 1))
  const verdicts = await verdictsOf(
    seeds.map((seed) => ({ seed })),
    atOnce,
  )
  expect(verdicts.map(({ climate }) => climate).sort()).toEqual([...climates].sort())
  for (const { seed, violations, counts } of verdicts)
    expect({ seed, violations, counts }).toEqual({ seed, violations: [], counts: NONE })
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((total, verdict) => total + of(verdict), 0)
  return { instants: sum(({ instants }) => instants), faults: sum(({ faults }) => faults) }
}

export async function expectOnlyWhatTheNetIsFor(without: Net, atOnce: AtOnce): Promise<void> {
  const tasks = [...seedsOf('chain only', 1), ...seedsOf('dying executors', 1)].map((seed) => ({
    seed,
    without,
    seconds: 400,
  }))
  const verdicts = await verdictsOf(tasks, atOnce, without)
  for (const { seed, violations } of verdicts) expect({ seed, violations }).toEqual({ seed, violations: [] })
}

/** However processes die, each way of it in a scene of its own, nothing is lost and nothing runs twice. */
export async function expectNoHarm(deaths: readonly (readonly CrashPoint[])[], atOnce: AtOnce): Promise<void> {
  const tasks = deaths.map((crashes) => ({ seed: 1, crashes }))
  await simulateAll(tasks, {
    ...MOST[atOnce],
    onVerdict: ({ faults, violations }, { crashes = [] }) => {
      expect(faults, textOf(crashes)).toBeGreaterThan(0)
      expect(violations, textOf(crashes)).toEqual([])
      return true
    },
  })
}

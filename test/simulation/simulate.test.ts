// A slice of the simulation: one seed of each weather, again without nets, and the same seed twice.

import { expect, test } from 'vitest'
import { simulateAll } from './crew.ts'
import { planted } from './mutants/patch.ts'
import type { Net, SimulationOptions } from './simulate.ts'
import { storyOf } from './story.ts'
import { type Verdict, verdictOf } from './verdict.ts'
import { CLIMATES, seedsOf } from './weather.ts'

const NONE = { lost: 0, doubled: 0, unjustified: 0, violations: 0 }

async function verdictsOf(tasks: readonly SimulationOptions[], without: Net | null = null): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  await simulateAll(tasks, {
    most: 1,
    ...planted(null, without),
    onVerdict: (verdict) => {
      verdicts.push(verdict)
      return true
    },
  })
  return verdicts
}

test('in every weather nothing is lost, doubled or started for no reason', { timeout: 240_000 }, async () => {
  const seeds = CLIMATES.flatMap(({ name }) => seedsOf(name, 1))
  const verdicts = await verdictsOf(seeds.map((seed) => ({ seed })))
  expect(verdicts.map(({ climate }) => climate).sort()).toEqual(CLIMATES.map(({ name }) => name).sort())
  for (const { seed, violations, counts } of verdicts)
    expect({ seed, violations, counts }).toEqual({ seed, violations: [], counts: NONE })
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((total, verdict) => total + of(verdict), 0)
  // A simulation in which nothing was due or nothing went wrong would prove nothing.
  expect(sum(({ instants }) => instants)).toBeGreaterThan(50_000)
  expect(sum(({ faults }) => faults)).toBeGreaterThan(5000)
})

test('a seed always goes the same way, and another seed another', { timeout: 60_000 }, async () => {
  const [first, again, other] = [
    await verdictOf({ seed: 6, seconds: 300 }),
    await verdictOf({ seed: 6, seconds: 300 }),
    await verdictOf({ seed: 18, seconds: 300 }),
  ]
  expect(again.hash).toBe(first.hash)
  expect(other.hash).not.toBe(first.hash)
})

test.each(['retries', 'switch', 'minute rule', 'audit'] as const)(
  'without %s only that fails which it is for',
  { timeout: 120_000 },
  async (without) => {
    const tasks = [...seedsOf('chain only', 1), ...seedsOf('dying executors', 1)].map((seed) => ({
      seed,
      without,
      seconds: 400,
    }))
    const verdicts = await verdictsOf(tasks, without)
    for (const { seed, violations } of verdicts) expect({ seed, violations }).toEqual({ seed, violations: [] })
  },
)

test('the story of a run tells its entries and what went wrong with whoever had it', () => {
  const runId = 'jjjjjjjjjjj.1800000000'
  const lost = {
    op: 'entry',
    place: 'page',
    key: 'k',
    from: null,
    to: { status: 'QUEUED', attempt: 1 },
    seq: 0,
    ms: 0,
    proc: 'execute-1',
    runId,
  } as const
  const crash = { op: 'fault', fault: 'crash', where: 'ledger.swap', seq: 1, ms: 1500, proc: 'execute-1' } as const
  expect(storyOf({ shardCount: 1, events: [lost, crash] }, runId)).toEqual([
    '    0.000 s  execute-1    nothing → QUEUED 1 (page)',
    '    1.500 s  execute-1    FAULT crash at ledger.swap',
  ])
})

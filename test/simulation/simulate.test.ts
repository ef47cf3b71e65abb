// A slice of the simulation: one seed of one weather, and the same seed twice. Every weather, and every net taken away, is long by nature.

import { expect, test } from 'vitest'
import { expectNoneLost } from './scenes.ts'
import { storyOf } from './story.ts'
import { verdictOf } from './verdict.ts'

test('in bad weather nothing is lost, doubled or started for no reason', { timeout: 120_000 }, async () => {
  const { instants, faults } = await expectNoneLost(['mixed'], 'one process')
  // A simulation in which nothing was due or nothing went wrong would prove nothing.
  expect(instants).toBeGreaterThan(5000)
  expect(faults).toBeGreaterThan(500)
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

test('the story of a run tells its entries and what went wrong with the executor that had it', () => {
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

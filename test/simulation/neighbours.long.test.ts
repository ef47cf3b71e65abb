// A job that does harm to itself does none to others: their p99 moves by less than a second.

import { expect, test } from 'vitest'
import type { Body } from './fleet.ts'
import { lagsBeside, type Street } from './neighbours.ts'

const MOST_MOVED_MS = 1000

const bad = (name: string, part: object): Body => ({
  name,
  schedules: [{ every: 1 }],
  block: { strategy: 'CONCURRENT', max: 100 },
  timeout: 5,
  target: { type: 'handler', handler: 'act' },
  ...part,
})

const three = (part: object): Body[] => Array.from({ length: 3 }, (_, place) => bad(`bad-${place}`, part))

const STREETS: readonly (Street & { readonly who: string })[] = [
  {
    who: 'jobs that throw again and again',
    shardCount: 1,
    neighbours: three({ payload: { acts: 'throws', ms: 1 }, retry: { attempts: 3, delay: 1, maxDelay: 2 } }),
  },
  {
    who: 'jobs that hang until they time out',
    shardCount: 1,
    neighbours: three({ payload: { acts: 'ignores', ms: 60_000 } }),
  },
  {
    who: 'jobs that take a minute',
    shardCount: 1,
    neighbours: three({ payload: { acts: 'takes', ms: 60_000 }, timeout: 120 }),
  },
  {
    who: 'jobs with the largest payload',
    shardCount: 1,
    neighbours: three({ payload: { acts: 'quick', ms: 20, more: 'x'.repeat(65_000) } }),
  },
  { who: 'a shard that no process can reach', shardCount: 2, neighbours: [], deadShard: 1 },
]

/** Where there are as many shards it is the same for all. */
const lagsByShards = new Map<number, ReturnType<typeof lagsBeside>>()

function lagsAlone(shardCount: number): ReturnType<typeof lagsBeside> {
  const lags = lagsByShards.get(shardCount) ?? lagsBeside({ neighbours: [], shardCount })
  lagsByShards.set(shardCount, lags)
  return lags
}

test.each(STREETS)(
  'beside $who no other job is later by a second',
  { timeout: 120_000 },
  async ({ who: _, ...street }) => {
    const alone = await lagsAlone(street.shardCount)
    const beside = await lagsBeside(street)
    expect(beside.starts).toBeGreaterThan(1000)
    expect(beside.neverStarted).toBe(0)
    if (street.deadShard === undefined) expect(beside.othersStarts).toBeGreaterThan(20)
    else expect(beside.othersStarts).toBeLessThan(30)
    expect(beside.p99Ms).toBeLessThan(alone.p99Ms + MOST_MOVED_MS)
  },
)

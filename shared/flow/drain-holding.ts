// Takes in what changed before a second is planned, however long that takes: a cold start may load for longer than a lease
// lasts, and what took long must be taken in again, because no second may be opened with old eyes.

import { leaseUntilOf, onceFromOf } from '../core/chain.ts'
import { latestFreshSecond } from '../core/planner/tick.ts'
import type { ShardItem } from '../core/shard.ts'
import { secondOf } from '../core/time/units.ts'
import { LEASE_RENEWED_EVERY_MS } from '../core/timings.ts'
import type { Drained } from './follow-jobs.ts'
import type { ShardMemory } from './shard-memory.ts'
import { nowOf, type TickWorld } from './tick-world.ts'

const MOST_DRAINS = 3

/** Drains, and keeps the lease while a cold start takes its time. What took long is drained again, until eyes are fresh. */
export async function drainHolding(
  world: TickWorld,
  memory: ShardMemory,
  seen: ShardItem,
): Promise<{ readonly item: ShardItem; readonly drained: Drained } | null> {
  const first = await drainOnce(world, memory, seen)
  let latest = first
  for (let drains = 1; latest !== null && isOutdated(world, latest.drained) && drains < MOST_DRAINS; drains++) {
    latest = await drainOnce(world, memory, latest.item)
  }
  if (first === null || latest === null) return null
  const changes = latest === first ? first.drained.changes : first.drained.changes + latest.drained.changes
  return { item: latest.item, drained: { ...latest.drained, isCold: first.drained.isCold, changes } }
}

const isOutdated = (world: TickWorld, { startedMs }: Drained): boolean =>
  nowOf(world) > latestFreshSecond(secondOf(startedMs))

/** Renews the lease as long as jobs keep coming in: a read that hangs must not hold the shard. */
async function drainOnce(
  world: TickWorld,
  memory: ShardMemory,
  seen: ShardItem,
): Promise<{ readonly item: ShardItem; readonly drained: Drained } | null> {
  let item: ShardItem | null = seen
  let taken = memory.jobsTaken
  const draining = memory.drain(onceFromOf(seen))
  for (;;) {
    const renewAtMs = world.clock.nowMs() + LEASE_RENEWED_EVERY_MS
    const drained: Drained | null = await Promise.race([draining, world.until(renewAtMs).then(() => null)])
    if (drained !== null) return { item, drained }
    if (memory.jobsTaken > taken) item = await renew(world, memory.shard, item)
    taken = memory.jobsTaken
    if (item === null) {
      // Another link has taken over the shard, so what this read brings is of no use any more.
      draining.catch(() => {})
      return null
    }
  }
}

/** The lease for longer, and nothing else. */
const renew = (world: TickWorld, shard: number, item: ShardItem): Promise<ShardItem | null> =>
  world.shards.fence(shard, {
    ...item,
    previousFence: item.fence,
    link: world.newId(),
    leaseUntil: leaseUntilOf(nowOf(world)),
  })

// Whether this deployment may tick: the number of shards is fixed at the first start.

import { decideStart } from '../core/shard.ts'
import type { TickWorld } from './tick-world.ts'

/** Throws where nothing may be sent; makes META and the shard items at the very first start. A single item that is missing stops its shard only. */
export async function startShards(world: Pick<TickWorld, 'shards' | 'clock' | 'shardCount'>): Promise<void> {
  const start = decideStart(await world.shards.meta(), true, world.shardCount)
  switch (start.do) {
    case 'MAKE':
      return world.shards.make(world.shardCount, Math.floor(world.clock.nowMs() / 1000))
    case 'TICK':
      return
    case 'REFUSE':
      throw new Error(start.reason)
  }
}

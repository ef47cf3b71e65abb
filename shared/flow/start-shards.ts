// Whether this deployment may tick: the number of shards is fixed at the first start.

import { decideStart } from '../core/shard.ts'
import { nowOf, type TickWorld } from './tick-world.ts'

type ShardStartWorld = Pick<TickWorld, 'shards' | 'clock' | 'shardCount'>

/**
 * Throws where nothing may be sent; makes META and the shard items at the very first start. A single item that is missing stops its
 * shard only. Of two who start at once with different numbers one made META, and the other is refused here.
 */
export async function startShards(world: ShardStartWorld): Promise<void> {
  if ((await decide(world)) === 'TICK') return
  await world.shards.make(world.shardCount, nowOf(world))
  await decide(world)
}

async function decide(world: ShardStartWorld): Promise<'MAKE' | 'TICK'> {
  const start = decideStart(await world.shards.meta(), true, world.shardCount)
  if (start.do === 'REFUSE') throw new Error(start.reason)
  return start.do
}

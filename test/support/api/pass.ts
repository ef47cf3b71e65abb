// Lets time pass, and with it the need for old versions: otherwise every job would soon have been edited too often.

import type { OpenedApi } from './open-api.ts'

export async function pass({ advance, world, nowMs }: OpenedApi, seconds: number): Promise<void> {
  advance(seconds)
  for (let shard = 0; shard < world.shardCount; shard++) {
    const item = await world.shards.read(shard)
    if (item !== null) await world.shards.moveAudited(shard, item.auditedThrough, Math.floor(nowMs() / 1000) - 1)
  }
}

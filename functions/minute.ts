// The door of the rule that comes once a minute: the last resort of every chain, edits of calendars that a request could not carry to
// all jobs, and one heartbeat for the operator.

import { applyPendingEdits } from '../shared/flow/calendars.ts'
import { JobDirectory } from '../shared/flow/job-directory.ts'
import { ShardMemory } from '../shared/flow/shard-memory.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import { nowOf, type TickWorld } from '../shared/flow/tick-world.ts'
import { watchMinute } from '../shared/flow/watch.ts'
import { log, type Output, putMetrics } from './output.ts'
import { tellWatched } from './switch.ts'
import type { Thawing } from './thaw.ts'

export type Minute = () => Promise<void>

export function makeMinute(world: TickWorld & Thawing, output: Output): Minute {
  const memories = Array.from({ length: world.shardCount }, (_, shard) => new ShardMemory(world, shard))
  return async () => {
    await world.thaw()
    await startShards(world)
    const results = await Promise.allSettled(memories.map((memory) => watchMinute(world, memory)))
    for (const [shard, result] of results.entries()) {
      if (result.status === 'fulfilled') tellWatched(output, shard, 'minute rule', result.value)
      else log(output, 'error', 'a shard could not be watched', { shard, reason: String(result.reason) })
    }
    await carryEditsOn(world, output)
    await tellLag(world, output)
  }
}

/** The next minute begins again where one fails. */
async function carryEditsOn(world: TickWorld, output: Output): Promise<void> {
  try {
    await applyPendingEdits(world, () => new JobDirectory(world, world.shardCount))
  } catch (error) {
    log(output, 'error', 'an edit of a calendar was not carried to all jobs', { reason: String(error) })
  }
}

/** A shard whose item is gone never ticks again by itself: it counts as an hour behind, so that the operator is called. */
const MISSING_LAG_SECONDS = 3600

/** How far the slowest chain that is awake is behind. Said every minute: where this is missing, the operator is called too. */
async function tellLag(world: TickWorld, output: Output): Promise<void> {
  const shards = Array.from({ length: world.shardCount }, (_, shard) => world.shards.read(shard))
  const behind = (await Promise.all(shards)).map((item) => {
    if (item === null) return MISSING_LAG_SECONDS
    return item.sleepUntil === null ? Math.max(0, nowOf(world) - item.fence) : 0
  })
  putMetrics(output, { lag: Math.max(...behind) })
}

// The door of the tick chain: one EventBridge event is one link.

import { tickEventSchema } from '../shared/core/chain.ts'
import { ShardMemory } from '../shared/flow/shard-memory.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import { type Ended, type Ticked, tick } from '../shared/flow/tick.ts'
import type { TickWorld } from '../shared/flow/tick-world.ts'
import { log, type Output, putMetrics } from './output.ts'
import type { Thawing } from './thaw.ts'

/** What EventBridge hands over, as far as it matters. */
export interface BusDelivery {
  readonly detail: unknown
}

export type Tick = (event: BusDelivery) => Promise<Ticked | Ended>

/** One environment: what it remembers of its shards lives as long as it does. */
export function makeTick(world: TickWorld & Thawing, output: Output): Tick {
  const memories = new Map<number, ShardMemory>()
  let started: Promise<void> | null = null
  return async ({ detail }) => {
    await world.thaw()
    const event = tickEventSchema.parse(detail)
    started ??= startShards(world)
    await started.catch((error: unknown) => {
      started = null
      throw error
    })
    const memory = memories.get(event.shard) ?? new ShardMemory(world, event.shard)
    memories.set(event.shard, memory)
    const result = await tick(world, memory, event)
    report(output, event.shard, result)
    return result
  }
}

function report(output: Output, shard: number, result: Ticked | Ended): void {
  if (!('second' in result)) {
    log(output, 'info', `tick ${result.end}`, { shard })
    putMetrics(output, { refusedTicks: 1 }, shard)
    return
  }
  const { maintenance, latenessMs, runs, missed } = result
  const values = {
    fires: runs,
    lateness: latenessMs ?? 0,
    missed: missed + (maintenance.audited?.missed ?? 0),
    resent: maintenance.audited?.resent ?? 0,
    doubled: maintenance.audited?.doubled ?? 0,
  }
  putMetrics(output, values, shard)
}

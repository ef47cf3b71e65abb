// The door of the tick chain: one EventBridge event is one link.

import { tickEventSchema } from '../shared/core/chain.ts'
import { ShardMemory } from '../shared/flow/shard-memory.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import { type Ended, type Ticked, tick } from '../shared/flow/tick.ts'
import type { TickWorld } from '../shared/flow/tick-world.ts'
import { consoleOutput, log, type Output, putMetrics } from './output.ts'
import type { Thawing } from './thaw.ts'
import { worldFrom } from './world.ts'

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
    const startedMs = world.clock.nowMs()
    started ??= startShards(world)
    await started.catch((error: unknown) => {
      started = null
      throw error
    })
    const memory = memories.get(event.shard) ?? new ShardMemory(world, event.shard)
    memories.set(event.shard, memory)
    const result = await tick(world, memory, event)
    report(output, event.shard, result, world.clock.nowMs() - startedMs)
    return result
  }
}

function report(output: Output, shard: number, result: Ticked | Ended, tickDuration: number): void {
  if (!('second' in result)) {
    log(output, 'info', `tick ${result.end}`, { shard })
    putMetrics(output, shard, { refusedTicks: 1 })
    return
  }
  const { house, latenessMs, runs, messages, missed, changes, gapSeconds, isCold, end, second } = result
  putMetrics(output, shard, {
    fires: runs,
    messages,
    ...(messages > 0 ? { pageFill: runs / messages } : {}),
    missed: missed + house.missed + (house.audited?.missed ?? 0),
    ...(latenessMs === null ? {} : { lateness: latenessMs }),
    tickDuration,
    drainSize: changes,
    coldStarts: isCold ? 1 : 0,
    gapSeconds,
    asleep: end === 'asleep' ? 1 : 0,
    ...(house.audited === null
      ? {}
      : {
          resent: house.audited.resent,
          doubled: house.audited.doubled,
          auditLag: second - house.audited.auditedThrough,
        }),
  })
}

let environment: Tick | null = null

export const handler: Tick = (event) => {
  const output = consoleOutput(() => Date.now())
  environment ??= makeTick(worldFrom(process.env, output), output)
  return environment(event)
}

// The door of those who keep chains alive: switches and wakes from their queue, and the rule that comes once a minute.

import { watchMessageSchema } from '../shared/core/chain.ts'
import { applyPendingEdits } from '../shared/flow/calendars.ts'
import { JobDirectory } from '../shared/flow/job-directory.ts'
import { ShardMemory } from '../shared/flow/shard-memory.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import type { TickWorld } from '../shared/flow/tick-world.ts'
import { type Watched, watch, watchMinute } from '../shared/flow/watch.ts'
import { consoleOutput, log, type Output, putMetrics } from './output.ts'
import { type BatchResult, eachMessage, type QueueDelivery } from './queue-delivery.ts'
import type { Thawing } from './thaw.ts'
import { worldFrom } from './world.ts'

/** A minute rule brings no records. */
export type WatchDelivery = Partial<QueueDelivery>

export type Watchdog = (event: WatchDelivery) => Promise<BatchResult>

export function makeWatchdog(world: TickWorld & Thawing, output: Output): Watchdog {
  const memories = Array.from({ length: world.shardCount }, (_, shard) => new ShardMemory(world, shard))
  return async ({ Records }) => {
    await world.thaw()
    if (Records !== undefined) {
      return eachMessage(output, Records, async ({ body }) => {
        const message = watchMessageSchema.parse(JSON.parse(body))
        report(output, message.shard, message.type, await watch(world, message))
      })
    }
    await startShards(world)
    const results = await Promise.allSettled(memories.map((memory) => watchMinute(world, memory)))
    for (const [shard, result] of results.entries()) {
      if (result.status === 'fulfilled') report(output, shard, 'minute rule', result.value)
      else log(output, 'error', 'a shard could not be watched', { shard, reason: String(result.reason) })
    }
    await carryEditsOn(world, output)
    return { batchItemFailures: [] }
  }
}

/** Edits of calendars that a request could not carry to all jobs. The next minute begins again where one fails. */
async function carryEditsOn(world: TickWorld, output: Output): Promise<void> {
  try {
    await applyPendingEdits(world, () => new JobDirectory(world, world.shardCount))
  } catch (error) {
    log(output, 'error', 'an edit of a calendar was not carried to all jobs', { reason: String(error) })
  }
}

function report(output: Output, shard: number, by: string, result: Watched): void {
  if (result === 'alive' || result === 'asleep') return
  log(output, result === 'taken over' || result === 'missing' ? 'warn' : 'info', `${by}: ${result}`, { shard })
  if (result === 'taken over') putMetrics(output, shard, { takeOvers: 1 })
}

let environment: Watchdog | null = null

export const handler: Watchdog = (event) => {
  const output = consoleOutput(() => Date.now())
  environment ??= makeWatchdog(worldFrom(process.env, output), output)
  return environment(event)
}

// The door of those who look after chains: switches that a link sent ahead, and wakes of new jobs.

import { watchMessageSchema } from '../shared/core/chain.ts'
import type { TickWorld } from '../shared/flow/tick-world.ts'
import { type Watched, watch } from '../shared/flow/watch.ts'
import { log, type Output, putMetrics } from './output.ts'
import { type BatchResult, eachMessage, type QueueDelivery } from './queue-delivery.ts'
import type { Thawing } from './thaw.ts'

export type Switch = (event: QueueDelivery) => Promise<BatchResult>

export function makeSwitch(world: TickWorld & Thawing, output: Output): Switch {
  return async ({ Records }) => {
    await world.thaw()
    return eachMessage(output, Records, async ({ body }) => {
      const message = watchMessageSchema.parse(JSON.parse(body))
      tellWatched(output, message.shard, message.type, await watch(world, message))
    })
  }
}

/** What was found and done, where that is worth a line. */
export function tellWatched(output: Output, shard: number, by: string, result: Watched): void {
  if (result === 'alive' || result === 'asleep') return
  log(output, result === 'taken over' || result === 'missing' ? 'warn' : 'info', `${by}: ${result}`, { shard })
  if (result === 'taken over') putMetrics(output, { takeOvers: 1 }, shard)
}

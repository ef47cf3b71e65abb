// What a ticker needs from the world.

import type { Lane } from '../core/lanes.ts'
import { secondOf } from '../core/time/units.ts'
import type { Bus, Clock, Queue, Stores } from '../ports.ts'

export interface TickWorld extends Stores {
  readonly clock: Clock
  readonly shardCount: number
  /** Seconds that one link serves before it hands on. */
  readonly hopSeconds: number
  readonly queues: Readonly<Record<Lane, Queue>>
  /** The queue of switches and wakes. */
  readonly watch: Queue
  readonly bus: Bus
  /** Returns when the store's time has come to this. */
  until(ms: number, signal?: AbortSignal): Promise<void>
  /** A new random id, another one at every call. */
  newId(): string
  /** Something that an operator should see. */
  warn(message: string, detail: object): void
}

/** The store's second. */
export const nowOf = (world: Pick<TickWorld, 'clock'>): number => secondOf(world.clock.nowMs())

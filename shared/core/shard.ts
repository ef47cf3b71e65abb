// A shard: what its item says, and whether it may tick at all. The item is made once, at the first start; a shard whose
// item is gone later must not begin again from nothing, for it would forget what was due.

import type { BacklogEntry } from './planner/backlog.ts'
import type { ShardSeconds } from './planner/tick.ts'

export interface ShardItem extends ShardSeconds {
  /** The fencing number of the chain. */
  readonly epoch: number
  /** The random id of the link that wrote last. */
  readonly link: string
  readonly leaseUntil: number
  readonly backlog: readonly BacklogEntry[]
  /** Up to here every due instant is accounted for. */
  readonly auditedThrough: number
  /** Null while the chain is awake. */
  readonly sleepUntil: number | null
}

/** What a shard begins with: nothing before this second was ever due. */
export const newShard = (second: number): ShardItem => ({
  epoch: 0,
  link: '',
  leaseUntil: 0,
  sentThrough: second,
  fence: second,
  depths: new Map(),
  backlog: [],
  auditedThrough: second,
  sleepUntil: null,
})

/** One minute of a shard as it is kept when its seconds leave the shard item. */
export interface MinuteItem {
  readonly shard: number
  readonly minute: number
  readonly depths: ReadonlyMap<number, number>
  readonly fires: number
  /** Of the sends of the minute, in milliseconds after their second. */
  readonly lateness: { readonly maxMs: number; readonly sumMs: number }
}

/** What the table says about the deployment as a whole, or null before the first start. */
export interface Meta {
  readonly shardCount: number
  readonly initialised: boolean
}

export type ShardStart =
  | { readonly do: 'MAKE' }
  | { readonly do: 'TICK' }
  | { readonly do: 'REFUSE'; readonly reason: string }

export function decideStart(meta: Meta | null, hasShardItem: boolean, shardCount: number): ShardStart {
  if (meta === null) return { do: 'MAKE' }
  if (meta.shardCount !== shardCount) {
    const reason = `the table was made for ${meta.shardCount} shards and this process is set to ${shardCount}. Deploy with ${meta.shardCount}`
    return { do: 'REFUSE', reason }
  }
  if (!meta.initialised) return { do: 'MAKE' }
  if (!hasShardItem) {
    return {
      do: 'REFUSE',
      reason: 'the shard item is missing. Restore it from the table’s backup; without it runs would be forgotten',
    }
  }
  return { do: 'TICK' }
}

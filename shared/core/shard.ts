// Whether a shard may tick at all. Its item is made once, at the first start; a shard whose item is gone later must not
// begin again from nothing, for it would forget what was due.

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

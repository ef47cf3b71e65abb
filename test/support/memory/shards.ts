// Shard items in memory.

import { type Meta, type MinuteItem, newShard, type ShardItem } from '../../../shared/core/shard.ts'
import type { FenceWrite, Shards } from '../../../shared/ports.ts'
import type { Witness } from './witness.ts'

export class MemoryShards implements Shards {
  #meta: Meta | null = null
  readonly #shards = new Map<number, ShardItem>()
  readonly #minutes = new Map<string, MinuteItem>()
  readonly #witness: Witness

  constructor(witness: Witness = {}) {
    this.#witness = witness
  }

  async meta(): Promise<Meta | null> {
    return this.#meta
  }

  async make(shardCount: number, second: number): Promise<void> {
    this.#meta ??= { shardCount, initialised: false }
    for (let shard = 0; shard < shardCount; shard++) {
      if (!this.#shards.has(shard)) this.#set(shard, 'make', newShard(second))
    }
    if (this.#meta.shardCount === shardCount) this.#meta = { shardCount, initialised: true }
  }

  async read(shard: number): Promise<ShardItem | null> {
    return this.#shards.get(shard) ?? null
  }

  async takeOver(shard: number, seen: ShardItem, link: string, leaseUntil: number): Promise<ShardItem | null> {
    const now = this.#shards.get(shard)
    const nothingMoved = now?.epoch === seen.epoch && now.fence === seen.fence && now.link === seen.link
    return nothingMoved
      ? this.#set(shard, 'takeOver', { epoch: seen.epoch + 1, link, leaseUntil, sleepUntil: null })
      : null
  }

  /** Whatever else a caller hands over stays as it is in the store. */
  async fence(shard: number, write: FenceWrite): Promise<ShardItem | null> {
    const { epoch, previousFence, fence, link, leaseUntil, sentThrough, depths, backlog } = write
    const isOurs = this.#isOurs(shard, epoch, previousFence, sentThrough)
    return isOurs ? this.#set(shard, 'fence', { fence, link, leaseUntil, sentThrough, depths, backlog }) : null
  }

  async sleep(shard: number, write: Parameters<Shards['sleep']>[1]): Promise<ShardItem | null> {
    const { epoch, previousFence, ...rest } = write
    const isOurs = this.#isOurs(shard, epoch, previousFence, rest.sentThrough)
    return isOurs ? this.#set(shard, 'sleep', { ...rest, leaseUntil: 0 }) : null
  }

  #isOurs(shard: number, epoch: number, previousFence: number, sentThrough: number): boolean {
    const now = this.#shards.get(shard)
    return now !== undefined && now.epoch === epoch && now.fence === previousFence && now.sentThrough <= sentThrough
  }

  #set(shard: number, what: Parameters<NonNullable<Witness['shard']>>[1], part: Partial<ShardItem>): ShardItem {
    const before = this.#shards.get(shard) ?? null
    const item = { ...(before ?? newShard(0)), ...part }
    this.#shards.set(shard, item)
    this.#witness.shard?.(shard, what, before, item)
    return item
  }

  async moveAudited(shard: number, from: number, to: number): Promise<boolean> {
    const audited = this.#shards.get(shard)?.auditedThrough
    if (audited === from) this.#set(shard, 'audited', { auditedThrough: to })
    return audited === from || audited === to
  }

  async putMinute(minute: MinuteItem): Promise<void> {
    const name = `${minute.shard}.${minute.minute}`
    if (!this.#minutes.has(name)) this.#minutes.set(name, minute)
  }

  async minutes(shard: number, hour: number): Promise<MinuteItem[]> {
    return [...this.#minutes.values()]
      .filter((each) => each.shard === shard && Math.floor(each.minute / 60) === hour)
      .sort((a, b) => a.minute - b.minute)
  }
}

// Shard items: the lease of a chain, its fence and its sentThrough. Every write names what must still be so, and carries the
// random id of its link, by which it recognises itself when an answer was lost.

import { type Meta, type MinuteItem, newShard, type ShardItem } from '../core/shard.ts'
import { hourOf } from '../core/time/units.ts'
import type { FenceWrite, Shards } from '../ports.ts'
import { type Attributes, and, equals, isAbsent, isAtMost, number, text } from './expression.ts'
import { readMeta, readMinute, readShard, writeMeta, writeMinute, writeShard } from './items.ts'
import type { KeptUntil } from './kept-until.ts'
import { keyOf, partitionOfType } from './keys.ts'
import type { Table, Written } from './table.ts'

const META = keyOf({ type: 'meta' })
const keyOfShard = (shard: number) => keyOf({ type: 'shard', shard })

export class DynamoShards implements Shards {
  readonly #table: Table
  readonly #kept: KeptUntil

  constructor(table: Table, kept: KeptUntil) {
    this.#table = table
    this.#kept = kept
  }

  async meta(): Promise<Meta | null> {
    const item = await this.#table.get(META)
    return item === null ? null : readMeta(item)
  }

  async make(shardCount: number, second: number): Promise<void> {
    const isNew = isAbsent('pk')
    await this.#table.put(META, writeMeta({ shardCount, initialised: false }), isNew)
    const shards = Array.from({ length: shardCount }, (_, shard) => shard)
    await Promise.all(shards.map((shard) => this.#table.put(keyOfShard(shard), writeShard(newShard(second)), isNew)))
    await this.#table.update(META, {
      set: writeMeta({ shardCount, initialised: true }),
      onlyIf: equals('shardCount', number(shardCount)),
    })
  }

  async read(shard: number): Promise<ShardItem | null> {
    const item = await this.#table.get(keyOfShard(shard))
    return item === null ? null : readShard(item)
  }

  async takeOver(shard: number, seen: ShardItem, link: string, leaseUntil: number): Promise<ShardItem | null> {
    const epoch = seen.epoch + 1
    const nothingMoved = and(
      equals('epoch', number(seen.epoch)),
      equals('fence', number(seen.fence)),
      equals('link', text(seen.link)),
    )
    const set = writeShard({ epoch, link, leaseUntil })
    return this.#move(shard, { set, remove: ['sleepUntil'], onlyIf: nothingMoved }, { link, epoch })
  }

  fence(shard: number, write: FenceWrite): Promise<ShardItem | null> {
    const { epoch, previousFence, fence, link, leaseUntil, sentThrough, depths, backlog } = write
    const set = writeShard({ fence, link, leaseUntil, sentThrough, depths, backlog })
    return this.#move(shard, { set, onlyIf: isOurs(epoch, previousFence, sentThrough) }, { link, epoch })
  }

  sleep(shard: number, write: Parameters<Shards['sleep']>[1]): Promise<ShardItem | null> {
    const { epoch, previousFence, link, sentThrough, sleepUntil } = write
    const set = writeShard({ link, sentThrough, sleepUntil, leaseUntil: 0 })
    return this.#move(shard, { set, onlyIf: isOurs(epoch, previousFence, sentThrough) }, { link, epoch })
  }

  async #move(
    shard: number,
    update: Parameters<Table['update']>[1],
    mine: { link: string; epoch: number },
  ): Promise<ShardItem | null> {
    const isMine = (found: Attributes) => found.link?.S === mine.link && found.epoch?.N === String(mine.epoch)
    const written: Written = await this.#table.update(keyOfShard(shard), update, isMine, 'ALL_NEW')
    return written.done ? readShard(written.item) : null
  }

  async moveAudited(shard: number, from: number, to: number): Promise<boolean> {
    const update = { set: writeShard({ auditedThrough: to }), onlyIf: equals('auditedThrough', number(from)) }
    const isMine = (found: Attributes) => found.auditedThrough?.N === String(to)
    return (await this.#table.update(keyOfShard(shard), update, isMine)).done
  }

  async putMinute(minute: MinuteItem): Promise<void> {
    const key = keyOf({
      type: 'minute',
      shard: minute.shard,
      hour: hourOf(minute.minute * 60),
      minute: minute.minute,
    })
    const ttl = number(this.#kept.ledger(minute.minute * 60))
    await this.#table.put(key, { ...writeMinute(minute), ttl }, isAbsent('pk'))
  }

  async minutes(shard: number, hour: number): Promise<MinuteItem[]> {
    return (await this.#table.query({ pk: partitionOfType('minute', { shard, hour }) })).map(readMinute)
  }
}

/** The chain is still ours, no other link opened a second meanwhile, and the sentThrough does not go back. */
const isOurs = (epoch: number, previousFence: number, sentThrough: number) =>
  and(
    equals('epoch', number(epoch)),
    equals('fence', number(previousFence)),
    isAtMost('sentThrough', number(sentThrough)),
  )

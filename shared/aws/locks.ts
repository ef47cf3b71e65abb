// The locks of jobs. Those with the same first bits of their hash share one item, an attribute each, so that the runs of a page
// take and free their locks with one write. A lock that grows long because many runs wait moves to an item of its own. Otherwise
// every write of its neighbours would pay for it.

import { decodeLock, encodeLock } from '../core/gate/lock-text.ts'
import type { Lock } from '../core/gate/state.ts'
import { hashOfId, pageBitsOf, shardOf } from '../core/job/id.ts'
import { pageOf } from '../core/pages/depth.ts'
import { ENTRIES_A_WRITE } from '../core/pages/entry.ts'
import { prefixOf } from '../core/pages/page.ts'
import type { LockChange, Locks } from '../ports.ts'
import { type Attributes, and, type Condition, equals, isAbsent, text } from './expression.ts'
import { keyOf, type TableKey } from './keys.ts'
import type { Table } from './table.ts'

/** The locks of a shard are stored in so many items: two to the power of this. */
const PREFIX_BITS = 5
/** A longer text is stored apart. */
const LONGEST_TOGETHER = 1000
/** Stands in the shared item for a lock that is stored apart. */
const APART = '@'
/** So many others in a row came first: something is badly wrong. */
const MOST_TRIES = 50
/** The first few tries follow at once, because most often no other process writes the item. */
const TRIES_AT_ONCE = 3
const WAIT_MS = 5

/** A change on its way: what is thought to stand there, and whether that was read. */
interface Pending<Result> {
  readonly place: number
  readonly change: LockChange<Result>
  seen: string | null
  isRead: boolean
}

const ownKey = (jobId: string): TableKey => keyOf({ type: 'lock', jobId })

export class DynamoLocks implements Locks {
  readonly #table: Table
  readonly #shardCount: number

  constructor(table: Table, shardCount: number) {
    this.#table = table
    this.#shardCount = shardCount
  }

  async read(jobId: string): Promise<Lock> {
    return decodeLock(await this.#readText(jobId), jobId)
  }

  /** Again where it moved between the two reads. */
  async #readText(jobId: string): Promise<string | null> {
    for (;;) {
      const found = (await this.#table.get(this.#sharedKey(jobId)))?.[jobId]?.S ?? null
      if (found !== APART) return found
      const own = (await this.#table.get(ownKey(jobId)))?.lock?.S
      if (own !== undefined) return own
    }
  }

  #sharedKey(jobId: string): TableKey {
    const hash = hashOfId(jobId)
    const prefix = prefixOf(pageOf(pageBitsOf(hash), PREFIX_BITS), PREFIX_BITS)
    return keyOf({ type: 'locks', shard: shardOf(hash, this.#shardCount), prefix })
  }

  async change<Result>(changes: readonly LockChange<Result>[]): Promise<Result[]> {
    const results = new Array<Result>(changes.length)
    const groups = new Map<string, { key: TableKey; pending: Pending<Result>[] }>()
    for (const [place, change] of changes.entries()) {
      const key = this.#sharedKey(change.jobId)
      const group = groups.get(key.pk) ?? { key, pending: [] }
      groups.set(key.pk, group)
      group.pending.push({ place, change, seen: encodeLock(change.believed), isRead: false })
    }
    const parts = [...groups.values()].flatMap(({ key, pending }) =>
      Array.from({ length: Math.ceil(pending.length / ENTRIES_A_WRITE) }, (_, part) => ({
        key,
        pending: pending.slice(part * ENTRIES_A_WRITE, (part + 1) * ENTRIES_A_WRITE),
      })),
    )
    await Promise.all(parts.map(({ key, pending }) => this.#changeTogether(key, pending, results)))
    return results
  }

  async #changeTogether<Result>(key: TableKey, pending: Pending<Result>[], results: Result[]): Promise<void> {
    let left = pending
    for (let tries = 1; left.length > 0; tries++) {
      if (tries > MOST_TRIES) throw new Error(`locks of ${key.pk} were changed by others ${MOST_TRIES} times in a row`)
      if (tries > TRIES_AT_ONCE) await new Promise((resolve) => setTimeout(resolve, WAIT_MS * Math.random() * tries))
      const apart = left.filter(({ seen }) => seen === APART)
      const together = left.filter(({ seen }) => seen !== APART)
      left = await this.#changeOnce(key, together, results)
      for (const each of apart) if (!(await this.#changeApart(key, each, results))) left.push(each)
    }
  }

  /** Returns what must be decided again. */
  async #changeOnce<Result>(
    key: TableKey,
    pending: readonly Pending<Result>[],
    results: Result[],
  ): Promise<Pending<Result>[]> {
    const decided = pending.map((each) => decide(each))
    for (const { each, next, result } of decided) if (next === each.seen && each.isRead) results[each.place] = result
    const unread = decided.filter(({ each, next }) => next === each.seen && !each.isRead)
    if (unread.length > 0) {
      const found = (await this.#table.get(key)) ?? {}
      for (const each of pending) see(each, found)
      return [...pending]
    }
    const writes = decided.filter(({ each, next }) => next !== each.seen)
    const long = writes.filter(({ next }) => next !== null && next.length > LONGEST_TOGETHER)
    const again: Pending<Result>[] = []
    for (const { each, next, result } of long) {
      if (await this.#moveApart(key, each, next as string)) results[each.place] = result
      else {
        see(each, (await this.#table.get(key)) ?? {})
        again.push(each)
      }
    }
    const short = writes.filter((write) => !long.includes(write))
    if (short.length === 0) return again
    const found = await this.#write(key, short)
    for (const { each, next, result } of short) {
      if (found === 'done' || (found[each.change.jobId]?.S ?? null) === next) results[each.place] = result
      else {
        see(each, found)
        again.push(each)
      }
    }
    return again
  }

  async #write(key: TableKey, writes: readonly Decided<unknown>[]): Promise<'done' | Attributes> {
    const set: Attributes = {}
    const remove: string[] = []
    const conditions: Condition[] = []
    for (const { each, next } of writes) {
      if (next === null) remove.push(each.change.jobId)
      else set[each.change.jobId] = text(next)
      conditions.push(isStill(each.change.jobId, each.seen))
    }
    const isMine = (found: Attributes) =>
      writes.every(({ each, next }) => (found[each.change.jobId]?.S ?? null) === next)
    const written = await this.#table.update(key, { set, remove, onlyIf: and(...conditions) }, isMine)
    return written.done ? 'done' : (written.found ?? {})
  }

  async #moveApart(key: TableKey, { change, seen }: Pending<unknown>, next: string): Promise<boolean> {
    const { jobId } = change
    return this.#table.transact(
      [
        { do: 'update', key, update: { set: { [jobId]: text(APART) }, onlyIf: isStill(jobId, seen) } },
        { do: 'update', key: ownKey(jobId), update: { set: { lock: text(next) }, onlyIf: isAbsent('lock') } },
      ],
      async () => (await this.#readText(jobId)) === next,
    )
  }

  /**
   * While a lock is stored apart its own item is the whole truth about it; when nothing is left to keep it moves back. False
   * where it must be decided again.
   */
  async #changeApart<Result>(key: TableKey, each: Pending<Result>, results: Result[]): Promise<boolean> {
    const { jobId } = each.change
    const own = (await this.#table.get(ownKey(jobId)))?.lock?.S
    if (own === undefined) {
      see(each, (await this.#table.get(key)) ?? {})
      return false
    }
    const { next, result } = decide({ ...each, seen: own })
    if (next !== own && !(await this.#writeApart(key, jobId, own, next))) return false
    results[each.place] = result
    return true
  }

  async #writeApart(key: TableKey, jobId: string, own: string, next: string | null): Promise<boolean> {
    const isStillThere = equals('lock', text(own))
    if (next === null) return this.#moveBack(key, jobId, isStillThere)
    const update = { set: { lock: text(next) }, onlyIf: isStillThere }
    return (await this.#table.update(ownKey(jobId), update, (found) => found.lock?.S === next)).done
  }

  #moveBack(key: TableKey, jobId: string, isStillThere: Condition): Promise<boolean> {
    return this.#table.transact(
      [
        { do: 'update', key, update: { remove: [jobId], onlyIf: equals(jobId, text(APART)) } },
        { do: 'update', key: ownKey(jobId), update: { remove: ['lock'], onlyIf: isStillThere } },
      ],
      async () => (await this.#readText(jobId)) === null,
    )
  }
}

interface Decided<Result> {
  readonly each: Pending<Result>
  /** What is to stand there; the same as what is seen where nothing changes. */
  readonly next: string | null
  readonly result: Result
}

function decide<Result>(each: Pending<Result>): Decided<Result> {
  const { lock, result } = each.change.decide(decodeLock(each.seen, each.change.jobId))
  return { each, next: lock === null ? each.seen : encodeLock(lock), result }
}

function see(each: Pending<unknown>, found: Attributes): void {
  each.seen = found[each.change.jobId]?.S ?? null
  each.isRead = true
}

const isStill = (jobId: string, seen: string | null): Condition =>
  seen === null ? isAbsent(jobId) : equals(jobId, text(seen))

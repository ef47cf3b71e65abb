// Pages of runs. A claim, a settle, a take-over and a mark are all the same: an entry changes from what was expected to
// what comes next, and as many entries as fit do so in one write.

import { decodeEntry, ENTRIES_A_WRITE, encodeEntry, type PageEntry } from '../core/pages/entry.ts'
import { PARTITION_BITS, partitionOf, prefixOf } from '../core/pages/page.ts'
import type { PageKey } from '../core/run/record.ts'
import { minuteOf } from '../core/time/units.ts'
import type { PageContent, Swap, SwapResult } from '../ports.ts'
import { type Attributes, and, equals, isAbsent, number, text } from './expression.ts'
import type { KeptUntil } from './kept-until.ts'
import { itemOf, keyOf, keyOfItem, partitionOfType, type TableKey } from './keys.ts'
import type { Table } from './table.ts'

const keyOfPage = ({ shard, second, depth, page }: PageKey): TableKey =>
  keyOf({
    type: 'page',
    shard,
    minute: minuteOf(second),
    partition: partitionOf(page, depth),
    second,
    prefix: prefixOf(page, depth),
  })

export class DynamoPages {
  readonly #table: Table
  readonly #kept: KeptUntil

  constructor(table: Table, kept: KeptUntil) {
    this.#table = table
    this.#kept = kept
  }

  async swap(page: PageKey, swaps: readonly Swap[]): Promise<Map<string, SwapResult>> {
    const results = new Map<string, SwapResult>()
    for (let first = 0; first < swaps.length; first += ENTRIES_A_WRITE) {
      await this.#swapSome(page, swaps.slice(first, first + ENTRIES_A_WRITE), results)
    }
    return results
  }

  /** Each round that fails finds at least one entry that is not what was expected, so there are at most as many rounds as entries. */
  async #swapSome(page: PageKey, swaps: readonly Swap[], results: Map<string, SwapResult>): Promise<void> {
    let left = swaps
    while (left.length > 0) {
      const found = await this.#write(page, left)
      const texts = left.map(({ expect, next }) => ({ expect: textOf(expect, page), next: textOf(next, page) }))
      const stillOpen: Swap[] = []
      for (const [place, swap] of left.entries()) {
        const current = found === 'done' ? texts[place].next : (found[swap.id]?.S ?? null)
        // What stands there may be our own write whose answer was lost.
        if (current === texts[place].next) results.set(swap.id, { done: true })
        else if (current === texts[place].expect) stillOpen.push(swap)
        else results.set(swap.id, { done: false, found: current === null ? null : decodeEntry(current, page.second) })
      }
      left = stillOpen
    }
  }

  async #write(page: PageKey, swaps: readonly Swap[]): Promise<'done' | Attributes> {
    const set = Object.fromEntries(swaps.map(({ id, next }) => [id, text(encodeEntry(next, page.second))]))
    const isAsExpected = and(
      ...swaps.map(({ id, expect }) =>
        expect === null ? isAbsent(id) : equals(id, text(encodeEntry(expect, page.second))),
      ),
    )
    const setOnce = { ttl: number(this.#kept.ledger(page.second)) }
    const isMine = (found: Attributes) => Object.entries(set).every(([id, entry]) => found[id]?.S === entry.S)
    const written = await this.#table.update(keyOfPage(page), { set, setOnce, onlyIf: isAsExpected }, isMine)
    return written.done ? 'done' : (written.found ?? {})
  }

  async read(pages: readonly PageKey[]): Promise<PageContent[]> {
    const items = await this.#table.getMany(pages.map(keyOfPage))
    const found = new Map(items.map((item) => [JSON.stringify(keyOfItem(item)), item]))
    return pages.map((page) => contentOf(page, found.get(JSON.stringify(keyOfPage(page))) ?? {}))
  }

  async ofMinute(shard: number, minute: number, depths: ReadonlyMap<number, number>): Promise<PageContent[]> {
    const partitions = new Set([...depths.values()].flatMap(partitionsOf))
    const lists = await Promise.all(
      [...partitions].map((partition) =>
        this.#table.query({
          pk: partitionOfType('page', { shard, minute, partition }),
          newestFirst: true,
          isConsistent: false,
        }),
      ),
    )
    return lists
      .flat()
      .map((item) => contentOf(pageKeyOf(item), item))
      .sort((a, b) => b.key.second - a.key.second)
  }
}

const textOf = (entry: PageEntry | null, page: PageKey): string | null =>
  entry === null ? null : encodeEntry(entry, page.second)

/** All partitions over which the pages of a second are spread. */
function partitionsOf(depth: number): string[] {
  const bits = Math.min(depth, PARTITION_BITS)
  return Array.from({ length: 2 ** bits }, (_, partition) => prefixOf(partition, bits))
}

function pageKeyOf(item: Attributes): PageKey {
  const key = itemOf(keyOfItem(item))
  if (key.type !== 'page') throw new Error(`the item ${item.pk?.S} is no page`)
  const { shard, second, prefix } = key
  return { shard, second, depth: prefix.length, page: prefix === '' ? 0 : Number.parseInt(prefix, 2) }
}

function contentOf(key: PageKey, item: Attributes): PageContent {
  const entries = new Map<string, PageEntry>()
  for (const [name, value] of Object.entries(item)) {
    if (name === 'pk' || name === 'sk' || name === 'ttl' || value.S === undefined) continue
    entries.set(name, decodeEntry(value.S, key.second))
  }
  return { key, entries }
}

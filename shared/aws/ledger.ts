// The ledger: pages for ordinary runs, an item for each other run, counts of what never runs, and the feed.

import { encodeEntry, type PageEntry } from '../core/pages/entry.ts'
import {
  DETAIL_SUFFIX,
  MISSED_SUFFIX,
  type PageKey,
  type RecentRun,
  type RunDetail,
  type RunRecord,
} from '../core/run/record.ts'
import type { RunId } from '../core/run/run.ts'
import { isFailure } from '../core/run/status.ts'
import type { Ledger, MissedItem, PageContent, Swap, SwapResult } from '../ports.ts'
import { type Attributes, equals, isAbsent, number, text } from './expression.ts'
import { readMissed, readRecent, readRun, writeMissed, writeRecent, writeRun } from './items.ts'
import type { KeptUntil } from './kept-until.ts'
import { itemOf, keyOf, partitionOfType, sortPart, type TableKey } from './keys.ts'
import { DynamoPages } from './pages.ts'
import { keyOfItem, type Table } from './table.ts'

const keyOfRun = ({ jobId, second, suffix }: RunId): TableKey => keyOf({ type: 'run', jobId, second, suffix })

/** Starts and stops that were missed in one gap are two records. */
const missedSuffix = (of: MissedItem['of']): string => (of === 'starts' ? MISSED_SUFFIX : `${MISSED_SUFFIX}-stops`)

/** Gaps are counted in pieces no longer than what is caught up. */
const LONGEST_MISSED_SECONDS = 31 * 86_400

export class DynamoLedger implements Ledger {
  readonly #table: Table
  readonly #kept: KeptUntil
  readonly #pages: DynamoPages

  constructor(table: Table, kept: KeptUntil) {
    this.#table = table
    this.#kept = kept
    this.#pages = new DynamoPages(table, kept)
  }

  swap(page: PageKey, swaps: readonly Swap[]): Promise<Map<string, SwapResult>> {
    return this.#pages.swap(page, swaps)
  }

  readPages(pages: readonly PageKey[]): Promise<PageContent[]> {
    return this.#pages.read(pages)
  }

  pagesOfMinute(shard: number, minute: number, depths: ReadonlyMap<number, number>): Promise<PageContent[]> {
    return this.#pages.ofMinute(shard, minute, depths)
  }

  async putRun(id: RunId, entry: PageEntry, detail: RunDetail, token: string): Promise<boolean> {
    const item = { ...writeRun(detail, entry, id.second), writer: text(token), ttl: this.#ttl(id.second) }
    const isMine = (found: Attributes) => found.writer?.S === token
    return (await this.#table.put(keyOfRun(id), item, isAbsent('pk'), isMine)).done
  }

  async swapRun(id: RunId, expect: PageEntry, next: PageEntry, detail: RunDetail): Promise<SwapResult> {
    const set = writeRun(detail, next, id.second)
    const isMine = (found: Attributes) => found.entry?.S === set.entry.S
    const isAsExpected = equals('entry', text(encodeEntry(expect, id.second)))
    const written = await this.#table.update(keyOfRun(id), { set, onlyIf: isAsExpected }, isMine)
    if (written.done) return { done: true }
    return { done: false, found: written.found === null ? null : readRun(written.found).entry }
  }

  async putDetail({ jobId, second }: Omit<RunId, 'suffix'>, detail: RunDetail): Promise<void> {
    const key = keyOfRun({ jobId, second, suffix: DETAIL_SUFFIX })
    await this.#table.update(key, { set: { ...writeRun(detail, null, second), ttl: this.#ttl(second) } })
  }

  async readRun(id: RunId): Promise<RunRecord | null> {
    const item = await this.#table.get(keyOfRun(id))
    return item === null ? null : readRun(item)
  }

  async runsOf(jobId: string, from: number, to: number, limit: number): Promise<RunRecord[]> {
    const found: RunRecord[] = []
    for await (const page of this.#table.pages({ ...rangeOf(jobId, from, to), newestFirst: true })) {
      found.push(...page.filter((item) => !isMissedRecord(item)).map(readRun))
      if (found.length >= limit) break
    }
    return found.slice(0, limit)
  }

  async putMissed(missed: MissedItem): Promise<void> {
    const key = keyOfRun({ jobId: missed.jobId, second: missed.from, suffix: missedSuffix(missed.of) })
    await this.#table.put(key, { ...writeMissed(missed), ttl: this.#ttl(missed.to) })
  }

  async missedOf(jobId: string, from: number, to: number): Promise<MissedItem[]> {
    const items = await this.#table.query(rangeOf(jobId, Math.max(0, from - LONGEST_MISSED_SECONDS), to))
    return items
      .filter(isMissedRecord)
      .map(readMissed)
      .filter((missed) => missed.to >= from)
  }

  async putRecent(run: RecentRun): Promise<void> {
    const { shard, ms, runId } = run
    const kind = isFailure(run.entry.status) ? 'failed' : 'other'
    const key = keyOf({ type: 'recent', kind, shard, hour: Math.floor(ms / 3_600_000), ms, runId })
    await this.#table.put(key, { ...writeRecent(run), ttl: this.#ttl(ms / 1000) })
  }

  async recent(shard: number, hour: number, kind: 'failed' | 'other'): Promise<RecentRun[]> {
    const pk = partitionOfType('recent', { kind, shard, hour })
    return (await this.#table.query({ pk, newestFirst: true, isConsistent: false })).map(readRecent)
  }

  #ttl(second: number) {
    return number(this.#kept.ledger(second))
  }
}

/** The run items of a job from one second up to another, which is not included. */
const rangeOf = (jobId: string, from: number, to: number) => ({
  pk: partitionOfType('run', { jobId }),
  from: sortPart('second', from),
  to: sortPart('second', to),
})

function isMissedRecord(item: Attributes): boolean {
  const key = itemOf(keyOfItem(item))
  return key.type === 'run' && key.suffix.startsWith(MISSED_SUFFIX)
}

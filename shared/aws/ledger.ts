// The ledger: pages for ordinary runs, an item for each other run, counts of what never runs, and the feed.

import { hashOfId, shardOf } from '../core/job/id.ts'
import { encodeEntry, type PageEntry } from '../core/pages/entry.ts'
import type { PageKey, RecentRun, RunDetail, RunRecord } from '../core/run/record.ts'
import { formatRunId, type RunId } from '../core/run/run.ts'
import { isFailure } from '../core/run/status.ts'
import { hourOf } from '../core/time/units.ts'
import type { FeedLine, InstantId, Ledger, MissedItem, NewRun, PageContent, Swap, SwapResult } from '../ports.ts'
import { type AuditedNamespaces, auditPart } from './audit-trail.ts'
import { type Attributes, equals, isAbsent, number, text } from './expression.ts'
import {
  readDetail,
  readFeed,
  readMissed,
  readRecent,
  readRun,
  removedByDetail,
  writeDetail,
  writeMissed,
  writeRecent,
  writeRun,
} from './items.ts'
import type { KeptUntil } from './kept-until.ts'
import { keyOf, keyOfItem, partitionOfType, sortPart, type TableKey } from './keys.ts'
import { openParts } from './open-runs.ts'
import { DynamoPages } from './pages.ts'
import type { Table, TransactionPart } from './table.ts'

const keyOfRun = ({ jobId, second, suffix }: RunId): TableKey => keyOf({ type: 'run', jobId, second, suffix })

const keyOfDetail = ({ jobId, second }: InstantId): TableKey => keyOf({ type: 'detail', jobId, second })

const keyOfMissed = ({ jobId, from, of }: MissedItem): TableKey =>
  keyOf({ type: 'missed', jobId, second: from, of: of === 'starts' ? 'starts' : 'stops' })

/** Gaps are counted in pieces no longer than what is caught up. */
const LONGEST_MISSED_SECONDS = 31 * 86_400

export class DynamoLedger implements Ledger {
  readonly #table: Table
  readonly #kept: KeptUntil
  readonly #shardCount: number
  readonly #audited: AuditedNamespaces
  readonly #pages: DynamoPages

  constructor(table: Table, shardCount: number, kept: KeptUntil, audited: AuditedNamespaces) {
    this.#table = table
    this.#shardCount = shardCount
    this.#kept = kept
    this.#audited = audited
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

  async putRun({ id, entry, detail, audit, open }: NewRun, token: string): Promise<boolean> {
    const runId = formatRunId(id)
    const ttl = this.#ttl(id.second)
    const item = { ...writeRun(detail, entry, id.second), writer: text(token), ttl }
    const isMine = async () => (await this.#table.get(keyOfRun(id)))?.writer?.S === token
    if (audit !== undefined) await this.#audited.note(audit)
    const chain: TransactionPart[] =
      detail.root === undefined
        ? []
        : [{ do: 'put', key: keyOf({ type: 'chain', root: detail.root, runId }), item: { ttl } }]
    return this.#table.transact(
      [
        { do: 'put', key: keyOfRun(id), item, onlyIf: isAbsent('pk') },
        { do: 'put', key: this.#keyOfFeed(id.jobId, id.second, runId), item: { ttl } },
        ...chain,
        ...(audit === undefined ? [] : [auditPart(audit, this.#kept)]),
        ...(open === undefined ? [] : openParts(open, this.#kept)),
      ],
      isMine,
    )
  }

  #keyOfFeed(jobId: string, second: number, runId: string): TableKey {
    const shard = shardOf(hashOfId(jobId), this.#shardCount)
    return keyOf({ type: 'feed', shard, hour: hourOf(second), second, runId })
  }

  async swapRun(id: RunId, expect: PageEntry, next: PageEntry, detail: RunDetail): Promise<SwapResult> {
    const set = writeRun(detail, next, id.second)
    const isMine = (found: Attributes) => found.entry?.S === set.entry.S
    const onlyIf = equals('entry', text(encodeEntry(expect, id.second)))
    const written = await this.#table.update(keyOfRun(id), { set, remove: removedByDetail(detail), onlyIf }, isMine)
    if (written.done) return { done: true }
    return { done: false, found: written.found === null ? null : readRun(written.found).entry }
  }

  async readRun(id: RunId): Promise<RunRecord | null> {
    const item = await this.#table.get(keyOfRun(id))
    return item === null ? null : readRun(item)
  }

  async readRuns(ids: readonly RunId[]): Promise<RunRecord[]> {
    return (await this.#table.getMany(ids.map(keyOfRun))).map(readRun)
  }

  async runsOf(jobId: string, from: number, to: number, limit: number): Promise<RunRecord[]> {
    const pk = partitionOfType('run', { jobId })
    return (await this.#table.query({ pk, ...rangeOf(from, to), limit, newestFirst: true })).map(readRun)
  }

  async putDetail(id: InstantId, detail: RunDetail): Promise<void> {
    const set = { ...writeDetail(detail), ttl: this.#ttl(id.second) }
    await this.#table.update(keyOfDetail(id), { set, remove: removedByDetail(detail) })
  }

  async readDetails(ids: readonly InstantId[]): Promise<(RunDetail | null)[]> {
    const items = await this.#table.getMany(ids.map(keyOfDetail))
    const found = new Map(items.map((item) => [JSON.stringify(keyOfItem(item)), item]))
    return ids.map((id) => {
      const item = found.get(JSON.stringify(keyOfDetail(id)))
      return item === undefined ? null : readDetail(item)
    })
  }

  /** The line in the feed first: one without its record would be read as a gap all the same, and is the same gap. */
  async putMissed(missed: MissedItem): Promise<void> {
    const item = { ...writeMissed(missed), ttl: this.#ttl(missed.to) }
    const { jobId, from, to, of } = missed
    await this.#table.put(this.#keyOfFeed(jobId, to, `${jobId}.${from}.${of === 'starts' ? 'missed' : 'stops'}`), item)
    await this.#table.put(keyOfMissed(missed), item)
  }

  async missedOf(jobId: string, from: number, to: number): Promise<MissedItem[]> {
    const pk = partitionOfType('missed', { jobId })
    const items = await this.#table.query({ pk, ...rangeOf(Math.max(0, from - LONGEST_MISSED_SECONDS), to) })
    return items.map(readMissed).filter((missed) => missed.to >= from)
  }

  async feed(shard: number, hour: number, before: number): Promise<FeedLine[]> {
    const pk = partitionOfType('feed', { shard, hour })
    return (await this.#table.query({ pk, to: sortPart('second', before), newestFirst: true })).map(readFeed)
  }

  async chainOf(root: string): Promise<string[]> {
    const items = await this.#table.query({ pk: partitionOfType('chain', { root }) })
    return items.map((item) => keyOfItem(item).sk)
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

/** Sort keys of items from one second up to another, which is not included. */
const rangeOf = (from: number, to: number) => ({ from: sortPart('second', from), to: sortPart('second', to) })

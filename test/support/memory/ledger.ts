// The ledger in memory.

import type { AuditEntry } from '../../../shared/core/audit-entry.ts'
import { hashOfId, shardOf } from '../../../shared/core/job/id.ts'
import type { PageEntry } from '../../../shared/core/pages/entry.ts'
import {
  droppedAttempt,
  type PageKey,
  type RecentRun,
  type RunDetail,
  type RunRecord,
} from '../../../shared/core/run/record.ts'
import { formatRunId, type RunId } from '../../../shared/core/run/run.ts'
import { isFailure } from '../../../shared/core/run/status.ts'
import type {
  FeedLine,
  InstantId,
  Ledger,
  MissedItem,
  NewRun,
  OpenRuns,
  PageContent,
  Swap,
  SwapResult,
} from '../../../shared/ports.ts'
import type { Witness } from './witness.ts'

interface MemoryPage extends PageContent {
  readonly entries: Map<string, PageEntry>
}

const nameOf = ({ shard, second, depth, page }: PageKey): string => [shard, second, depth, page].join('.')
const isSame = (a: PageEntry | null, b: PageEntry | null): boolean => JSON.stringify(a) === JSON.stringify(b)

export class MemoryLedger implements Ledger {
  readonly #pages = new Map<string, MemoryPage>()
  readonly #runs = new Map<string, RunRecord>()
  readonly #missed = new Map<string, MissedItem>()
  readonly #recent: RecentRun[] = []
  readonly #details = new Map<string, RunDetail>()
  readonly #shardCount: number
  readonly #witness: Witness
  readonly #audit: AuditEntry[]
  readonly #open: OpenRuns

  constructor(shardCount: number, witness: Witness, audit: AuditEntry[], open: OpenRuns) {
    this.#shardCount = shardCount
    this.#witness = witness
    this.#audit = audit
    this.#open = open
  }

  #page(key: PageKey): MemoryPage {
    const page = this.#pages.get(nameOf(key)) ?? { key, entries: new Map() }
    this.#pages.set(nameOf(key), page)
    return page
  }

  async swap(key: PageKey, swaps: readonly Swap[]): Promise<Map<string, SwapResult>> {
    const { entries } = this.#page(key)
    const results = new Map<string, SwapResult>()
    for (const { id, expect, next } of swaps) {
      const current = entries.get(id) ?? null
      const isExpected = isSame(current, expect)
      if (isExpected) {
        entries.set(id, next)
        const runId = `${id}.${key.second}`
        this.#witness.entry?.({ runId, place: 'page', key: nameOf(key), from: current, to: next })
      }
      results.set(id, isExpected || isSame(current, next) ? { done: true } : { done: false, found: current })
    }
    return results
  }

  async readPages(pages: readonly PageKey[]): Promise<PageContent[]> {
    return pages.map((key) => copyOf(this.#page(key)))
  }

  async pagesOfMinute(shard: number, minute: number): Promise<PageContent[]> {
    return [...this.#pages.values()]
      .filter(({ key }) => key.shard === shard && Math.floor(key.second / 60) === minute)
      .sort((a, b) => b.key.second - a.key.second)
      .map(copyOf)
  }

  async putRun({ id, entry, detail, audit, open }: NewRun): Promise<boolean> {
    const runId = formatRunId(id)
    if (this.#runs.has(runId)) return false
    this.#runs.set(runId, { id, entry, detail })
    if (audit !== undefined) this.#audit.push(audit)
    if (open !== undefined) await this.#open.put(open)
    this.#witness.entry?.({ runId, place: 'item', key: runId, from: null, to: entry, detail })
    return true
  }

  async swapRun(id: RunId, expect: PageEntry, next: PageEntry, detail: RunDetail): Promise<SwapResult> {
    const run = this.#runs.get(formatRunId(id))
    const current = run?.entry ?? null
    if (run !== undefined && isSame(current, expect)) {
      const runId = formatRunId(id)
      this.#runs.set(runId, { ...run, entry: next, detail: merged(run.detail, detail) })
      this.#witness.entry?.({ runId, place: 'item', key: runId, from: current, to: next, detail })
      return { done: true }
    }
    return isSame(current, next) ? { done: true } : { done: false, found: current }
  }

  async putDetail({ jobId, second }: InstantId, detail: RunDetail): Promise<void> {
    const name = `${jobId}.${second}`
    this.#details.set(name, merged(this.#details.get(name) ?? {}, detail))
  }

  async readDetails(ids: readonly InstantId[]): Promise<(RunDetail | null)[]> {
    return ids.map(({ jobId, second }) => this.#details.get(`${jobId}.${second}`) ?? null)
  }

  async readRuns(ids: readonly RunId[]): Promise<RunRecord[]> {
    return ids.flatMap((id) => this.#runs.get(formatRunId(id)) ?? [])
  }

  async feed(shard: number, hour: number, before: number): Promise<FeedLine[]> {
    const isHere = (jobId: string, second: number) =>
      shardOf(hashOfId(jobId), this.#shardCount) === shard && Math.floor(second / 3600) === hour && second < before
    const runs = [...this.#runs.values()]
      .filter(({ id }) => isHere(id.jobId, id.second))
      .map(({ id }): FeedLine => ({ type: 'run', second: id.second, runId: formatRunId(id) }))
    const gaps = [...this.#missed.values()]
      .filter(({ jobId, to }) => isHere(jobId, to))
      .map((missed): FeedLine => ({ type: 'missed', second: missed.to, missed }))
    return [...runs, ...gaps].sort((a, b) => b.second - a.second)
  }

  async chainOf(root: string): Promise<string[]> {
    return [...this.#runs.values()].filter(({ detail }) => detail.root === root).map(({ id }) => formatRunId(id))
  }

  async readRun(id: RunId): Promise<RunRecord | null> {
    return this.#runs.get(formatRunId(id)) ?? null
  }

  async runsOf(jobId: string, from: number, to: number, limit: number): Promise<RunRecord[]> {
    return [...this.#runs.values()]
      .filter(({ id }) => id.jobId === jobId && id.second >= from && id.second < to)
      .sort((a, b) => b.id.second - a.id.second || (a.id.suffix < b.id.suffix ? 1 : -1))
      .slice(0, limit)
  }

  async putMissed(missed: MissedItem): Promise<void> {
    this.#missed.set([missed.jobId, missed.from, missed.of].join('.'), missed)
    this.#witness.missed?.(missed)
  }

  async missedOf(jobId: string, from: number, to: number): Promise<MissedItem[]> {
    return [...this.#missed.values()]
      .filter((missed) => missed.jobId === jobId && missed.to >= from && missed.from < to)
      .sort((a, b) => a.from - b.from)
  }

  async putRecent(run: RecentRun): Promise<void> {
    this.#recent.push(run)
  }

  async recent(shard: number, hour: number, kind: 'failed' | 'other'): Promise<RecentRun[]> {
    return this.#recent
      .filter((run) => run.shard === shard && Math.floor(run.ms / 3_600_000) === hour)
      .filter(({ entry }) => isFailure(entry.status) === (kind === 'failed'))
      .sort((a, b) => b.ms - a.ms)
  }
}

const copyOf = ({ key, entries }: MemoryPage): PageContent => ({
  key,
  entries: new Map(entries),
})

/** Attempts are added one by one; of many the first and the newest stay. */
function merged(before: RunDetail, added: RunDetail): RunDetail {
  const lines = new Map([...(before.attempts ?? []), ...(added.attempts ?? [])].map((line) => [line.attempt, line]))
  for (const { attempt } of added.attempts ?? []) lines.delete(droppedAttempt(attempt) ?? 0)
  const attempts = [...lines.values()].sort((a, b) => a.attempt - b.attempt)
  return { ...before, ...added, ...(attempts.length === 0 ? {} : { attempts }) }
}

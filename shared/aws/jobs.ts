// Jobs in the table: read, changed in one transaction, loaded by shard, and the log of changes that tickers follow.

import { randomUUID } from 'node:crypto'
import { hashOfId, idOfHash, shardOf } from '../core/job/id.ts'
import {
  type Change,
  isDeleted,
  type JobWrite,
  type Pointer,
  type SavedDefinition,
  type StoredJob,
} from '../core/job/stored.ts'
import type { JobVersion } from '../core/job/version.ts'
import { isSameJson } from '../core/json-equal.ts'
import type { Jobs } from '../ports.ts'
import type { AuditedNamespaces } from './audit-trail.ts'
import { CalendarDates } from './calendar-dates.ts'
import { type Attributes, equals, number } from './expression.ts'
import {
  type KeptJob,
  readChange,
  readJob,
  readSaved,
  readValue,
  readVersion,
  writeChange,
  writeJob,
  writeVersion,
} from './items.ts'
import { bodyKey, changeKey, definitionKey, isLarge, jobKeyOf, jobParts, versionKey } from './job-write.ts'
import type { KeptUntil } from './kept-until.ts'
import { itemOf, keyOfItem, partitionOfType, sortPart, type TableKey } from './keys.ts'
import type { Table } from './table.ts'

/** A shard is loaded in so many parts at once. */
const LOADED_AT_ONCE = 4
/** About twenty milliseconds' work. */
const JOBS_A_PIECE = 200
/** Four calls of a hundred keys. */
const JOBS_READ_AT_ONCE = 200
/** A megabyte of small items, which the store would send at once, takes a tenth of a second to read. */
const CHANGES_A_PAGE = 1000
const HASHES = 2n ** 64n

export class DynamoJobs implements Jobs {
  readonly #table: Table
  readonly #shardCount: number
  readonly #keptUntil: KeptUntil
  readonly #audited: AuditedNamespaces
  readonly #dates: CalendarDates

  constructor(table: Table, shardCount: number, kept: KeptUntil, audited: AuditedNamespaces) {
    this.#table = table
    this.#shardCount = shardCount
    this.#keptUntil = kept
    this.#audited = audited
    this.#dates = new CalendarDates(table)
  }

  #shardOf(jobId: string): number {
    return shardOf(hashOfId(jobId), this.#shardCount)
  }

  async read(jobId: string): Promise<StoredJob | null> {
    const [job] = await this.readMany([jobId])
    if (job === undefined || job.bodyVersion === null) return job ?? null
    const [payload] = await this.bodies([{ jobId, version: job.bodyVersion }])
    return { ...job, definition: { ...job.definition, payload: payload as StoredJob['definition']['payload'] } }
  }

  async readMany(jobIds: readonly string[]): Promise<StoredJob[]> {
    const ids = [...new Set(jobIds)]
    const jobs: StoredJob[] = []
    // Ten thousand at once would keep the store, and the process, from everything else for seconds.
    for (let first = 0; first < ids.length; first += JOBS_READ_AT_ONCE) {
      const items = await this.#table.getMany(
        ids.slice(first, first + JOBS_READ_AT_ONCE).flatMap((id) => this.#placesOf(id)),
      )
      jobs.push(...(await Promise.all(items.map((item) => this.#model(item)))))
    }
    return jobs
  }

  /** A job is stored in one of two places. */
  #placesOf(id: string): TableKey[] {
    const shard = this.#shardOf(id)
    return [jobKeyOf({ id, isOnce: false }, shard), jobKeyOf({ id, isOnce: true }, shard)]
  }

  #model(item: Attributes): StoredJob | Promise<StoredJob> {
    const job = readJob(item)
    return hasCalendars(job) ? this.#withDates(job) : job
  }

  async #withDates(job: KeptJob): Promise<StoredJob> {
    return { ...job, versions: await Promise.all(job.versions.map((version) => this.#dates.resolve(version))) }
  }

  async bodies(wanted: readonly { readonly jobId: string; readonly version: number }[]): Promise<unknown[]> {
    const items = await this.#table.getMany(wanted.map(({ jobId, version }) => bodyKey(jobId, version)))
    const found = new Map(items.map((item) => [JSON.stringify(keyOfItem(item)), readValue(item)]))
    return wanted.map(({ jobId, version }) => found.get(JSON.stringify(bodyKey(jobId, version))) ?? null)
  }

  async commit(write: JobWrite): Promise<boolean> {
    const [before, after] = await Promise.all([
      write.before === null ? null : this.#withDatesApart(write.before),
      this.#withDatesApart({ ...write.after, bodyVersion: bodyVersionOf(write) }),
      this.#audited.note(write.audit),
    ])
    const writer = randomUUID()
    const parts = jobParts({ ...write, before, after, writer }, this.#keptUntil)
    const key = jobKeyOf(after, write.shard)
    return this.#table.transact(parts, async () => (await this.#table.get(key))?.writer?.S === writer)
  }

  async #withDatesApart(job: StoredJob): Promise<KeptJob> {
    return { ...job, versions: await Promise.all(job.versions.map((version) => this.#dates.keep(version))) }
  }

  async amend(job: StoredJob): Promise<void> {
    const kept = await this.#withDatesApart(job)
    const { versions } = writeJob(kept)
    const key = jobKeyOf(job, this.#shardOf(job.id))
    await this.#table.update(key, { set: { versions }, onlyIf: equals('version', number(job.version)) })
    await this.#table.update(versionKey(job.id, job.version), {
      set: writeVersion(kept.versions[kept.versions.length - 1]),
    })
  }

  async announce(change: Change): Promise<void> {
    await this.#table.put(changeKey(change), { ...writeChange(change), ttl: number(this.#keptUntil.change(change.ms)) })
  }

  async *load(shard: number): AsyncGenerator<StoredJob[]> {
    const pk = partitionOfType('job', { shard })
    const parts = Array.from({ length: LOADED_AT_ONCE }, (_, part) =>
      this.#table.pages({ pk, from: firstIdOf(part), to: lastIdOf(part) })[Symbol.asyncIterator](),
    )
    const next = async (part: number) => ({ part, page: await parts[part].next() })
    const waiting = new Map(parts.map((_, part) => [part, next(part)]))
    while (waiting.size > 0) {
      const { part, page } = await Promise.race(waiting.values())
      if (page.done === true) {
        waiting.delete(part)
        continue
      }
      // The next page is asked for only when this one is taken, so that no more than a few are ever in memory.
      yield* this.#inPieces(page.value)
      waiting.set(part, next(part))
    }
  }

  async *loadOnce(shard: number): AsyncGenerator<StoredJob[]> {
    for await (const page of this.#table.pages({ pk: partitionOfType('once', { shard }) })) {
      yield* this.#inPieces(page)
    }
  }

  /** Reading a page of thousands takes longer than what else runs in the process may be held up. */
  async *#inPieces(items: readonly Attributes[]): AsyncGenerator<StoredJob[]> {
    for (let first = 0; first < items.length; first += JOBS_A_PIECE) {
      if (first > 0) await new Promise((resolve) => setImmediate(resolve))
      yield Promise.all(items.slice(first, first + JOBS_A_PIECE).map((item) => this.#model(item)))
    }
  }

  async changes(shard: number, fromMs: number): Promise<Change[]> {
    const pk = partitionOfType('change', { shard })
    const changes: Change[] = []
    const query = { pk, from: sortPart('ms', Math.max(0, fromMs)), itemsAPage: CHANGES_A_PAGE }
    for await (const page of this.#table.pages(query)) for (const item of page) changes.push(readChange(item))
    return changes
  }

  async countChanges(shard: number, fromMs: number, toMs: number): Promise<number> {
    const pk = partitionOfType('change', { shard })
    // Behind its time a key goes on, so those of `toMs` itself come after the end.
    return this.#table.count({ pk, from: sortPart('ms', Math.max(0, fromMs)), to: sortPart('ms', Math.max(0, toMs)) })
  }

  async pointers(shard: number, minute: number): Promise<Pointer[]> {
    const items = await this.#table.query({ pk: partitionOfType('pointer', { shard, minute }) })
    return items.flatMap((item) => {
      const key = itemOf(keyOfItem(item))
      return key.type === 'pointer' ? [{ shard, second: key.second, jobId: key.jobId }] : []
    })
  }

  async versions(jobId: string): Promise<JobVersion[]> {
    const items = await this.#table.query({ pk: partitionOfType('version', { jobId }) })
    return Promise.all(items.map((item) => this.#dates.resolve(readVersion(item))))
  }
  async definitions(jobId: string, belowVersion: number | null, limit: number): Promise<SavedDefinition[]> {
    const pk = partitionOfType('definition', { jobId })
    const range = belowVersion === null ? {} : { to: sortPart('version', Math.max(0, belowVersion - 1)) }
    return (await this.#table.query({ pk, ...range, newestFirst: true, limit })).map(readSaved)
  }

  async definition(jobId: string, version: number): Promise<SavedDefinition | null> {
    const item = await this.#table.get(definitionKey(jobId, version))
    return item === null ? null : readSaved(item)
  }
}

/** Without calendars a job is kept just as it is. */
const hasCalendars = (job: KeptJob | StoredJob): job is KeptJob =>
  job.versions.some(({ timing }) => timing.calendars !== undefined)

/** Where a large payload is stored: where it was, if it did not change, else with the new version. */
function bodyVersionOf({ before, after }: JobWrite): number | null {
  const { payload } = after.definition
  if (!isLarge(payload)) return null
  // The payload of a job that was deleted goes with it, so a job that takes its name has one of its own.
  const isKept = before?.bodyVersion != null && !isDeleted(before)
  return isKept && isSameJson(before.definition.payload, payload) ? before.bodyVersion : after.version
}

const firstHashOf = (part: number): bigint => (HASHES * BigInt(part)) / BigInt(LOADED_AT_ONCE)
const firstIdOf = (part: number): string => idOfHash(firstHashOf(part))
const lastIdOf = (part: number): string => idOfHash(firstHashOf(part + 1) - 1n)

// Jobs in memory: what the job store means, without a database.

import type { AuditEntry } from '../../../shared/core/audit-entry.ts'
import { firstPlace } from '../../../shared/core/binary-search.ts'
import { hashOfId, shardOf } from '../../../shared/core/job/id.ts'
import type { Change, JobWrite, Pointer, SavedDefinition, StoredJob } from '../../../shared/core/job/stored.ts'
import type { JobVersion } from '../../../shared/core/job/version.ts'
import type { Jobs } from '../../../shared/ports.ts'
import type { Witness } from './witness.ts'

const INLINE_PAYLOAD_BYTES = 1024
const LOADED_AT_ONCE = 500

export class MemoryJobs implements Jobs {
  readonly #jobs = new Map<string, StoredJob>()
  readonly #bodies = new Map<string, StoredJob['definition']['payload']>()
  readonly #versions = new Map<string, JobVersion[]>()
  readonly #changes: Change[] = []
  readonly #pointers: Pointer[] = []
  readonly #definitions = new Map<string, SavedDefinition[]>()
  readonly #audit: AuditEntry[] | null
  readonly #shardCount: number

  readonly #witness: Witness

  constructor(shardCount: number, witness: Witness = {}, audit: AuditEntry[] | null = null) {
    this.#shardCount = shardCount
    this.#audit = audit
    this.#witness = witness
  }

  async read(jobId: string): Promise<StoredJob | null> {
    const job = this.#jobs.get(jobId)
    if (job === undefined || job.bodyVersion === null) return job ?? null
    const payload = this.#bodies.get(`${jobId}.${job.bodyVersion}`) ?? null
    return { ...job, definition: { ...job.definition, payload } }
  }

  async readMany(jobIds: readonly string[]): Promise<StoredJob[]> {
    return [...new Set(jobIds)].flatMap((id) => this.#jobs.get(id) ?? [])
  }

  async bodies(wanted: readonly { readonly jobId: string; readonly version: number }[]): Promise<unknown[]> {
    return wanted.map(({ jobId, version }) => this.#bodies.get(`${jobId}.${version}`) ?? null)
  }

  async commit(write: JobWrite): Promise<boolean> {
    const { before, after, change, pointers } = write
    const current = this.#jobs.get(after.id)
    if ((current?.version ?? null) !== (before?.version ?? null)) return false
    this.#jobs.set(after.id, this.#withoutLargeBody(before, after))
    this.#keepVersion(after)
    this.#keepChange(change)
    this.#pointers.push(...pointers)
    this.#keepDefinition(write)
    this.#audit?.push(write.audit)
    this.#witness.commit?.(write)
    return true
  }

  #keepDefinition({ after: { id, updatedAtMs: atMs }, audit: { by, changes } }: JobWrite): void {
    const { definition, bodyVersion, version, versions } = this.#jobs.get(id) as StoredJob
    const { activeFrom, status } = versions[versions.length - 1]
    const saved = { version, activeFrom, atMs, by, status, changes, definition, bodyVersion }
    this.#definitions.set(id, [saved, ...(this.#definitions.get(id) ?? [])])
  }

  #withoutLargeBody(before: StoredJob | null, after: StoredJob): StoredJob {
    const { payload } = after.definition
    const isSmall = Buffer.byteLength(JSON.stringify(payload)) <= INLINE_PAYLOAD_BYTES
    if (isSmall) return { ...after, bodyVersion: null }
    const isSame = before?.bodyVersion != null && JSON.stringify(before.definition.payload) === JSON.stringify(payload)
    const bodyVersion = isSame ? before.bodyVersion : after.version
    this.#bodies.set(`${after.id}.${bodyVersion}`, payload)
    return { ...after, bodyVersion, definition: { ...after.definition, payload: null } }
  }

  #keepVersion({ id, versions }: StoredJob): void {
    const newest = versions[versions.length - 1]
    const others = (this.#versions.get(id) ?? []).filter(({ version }) => version !== newest.version)
    this.#versions.set(id, [...others, newest])
  }

  async amend(job: StoredJob): Promise<void> {
    const current = this.#jobs.get(job.id)
    if (current?.version !== job.version) return
    this.#jobs.set(job.id, { ...current, versions: job.versions })
    this.#keepVersion(job)
    this.#witness.amend?.(job)
  }

  async announce(change: Change): Promise<void> {
    this.#keepChange(change)
  }

  /** In order of time; most come at the end. */
  #keepChange(change: Change): void {
    const place = firstPlace(this.#changes.length, (each) => this.#changes[each].ms > change.ms)
    this.#changes.splice(place, 0, change)
  }

  #inShard(shard: number, isOnce: boolean): StoredJob[] {
    return [...this.#jobs.values()].filter(
      (job) => job.isOnce === isOnce && shardOf(hashOfId(job.id), this.#shardCount) === shard,
    )
  }

  async *load(shard: number): AsyncGenerator<StoredJob[]> {
    const jobs = this.#inShard(shard, false)
    for (let first = 0; first < jobs.length; first += LOADED_AT_ONCE) yield jobs.slice(first, first + LOADED_AT_ONCE)
  }

  async *loadOnce(shard: number): AsyncGenerator<StoredJob[]> {
    const jobs = this.#inShard(shard, true)
    if (jobs.length > 0) yield jobs
  }

  async changes(shard: number, fromMs: number): Promise<Change[]> {
    const first = firstPlace(this.#changes.length, (each) => this.#changes[each].ms >= fromMs)
    return this.#changes.slice(first).filter((change) => change.shard === shard)
  }

  async countChanges(shard: number, fromMs: number, toMs: number): Promise<number> {
    return (await this.changes(shard, fromMs)).filter(({ ms }) => ms < toMs).length
  }

  async pointers(shard: number, minute: number): Promise<Pointer[]> {
    const here = this.#pointers.filter((each) => each.shard === shard && Math.floor(each.second / 60) === minute)
    return [...new Map(here.map((each) => [`${each.second}.${each.jobId}`, each])).values()]
  }

  async versions(jobId: string): Promise<JobVersion[]> {
    return this.#versions.get(jobId) ?? []
  }

  async definitions(jobId: string, belowVersion: number | null, limit: number): Promise<SavedDefinition[]> {
    const all = this.#definitions.get(jobId) ?? []
    return all.filter(({ version }) => belowVersion === null || version < belowVersion).slice(0, limit)
  }

  async definition(jobId: string, version: number): Promise<SavedDefinition | null> {
    return (this.#definitions.get(jobId) ?? []).find((saved) => saved.version === version) ?? null
  }
}

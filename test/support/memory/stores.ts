// All stores in memory: the readable reference of what shared/ports.ts promises.

import type { StoredKey } from '../../../shared/core/access/key.ts'
import type { AuditEntry } from '../../../shared/core/audit-entry.ts'
import { FREE, type JobState, type Lock, NEW_STATE } from '../../../shared/core/gate/state.ts'
import type { ListedRun, OpenRun } from '../../../shared/core/run/record.ts'
import type {
  ApiKeys,
  AuditTrail,
  DocumentWrite,
  IdempotencyKeys,
  KeyRing,
  LockChange,
  Locks,
  OpenRuns,
  PendingEdit,
  PendingEdits,
  Reservation,
  States,
  Stores,
  Versioned,
  VersionedDocuments,
} from '../../../shared/ports.ts'
import { MemoryJobs } from './jobs.ts'
import { MemoryLedger } from './ledger.ts'
import { MemoryShards } from './shards.ts'
import type { Witness } from './witness.ts'

class MemoryOpenRuns implements OpenRuns {
  readonly #runs = new Map<string, OpenRun>()
  readonly #witness: Witness

  constructor(witness: Witness) {
    this.#witness = witness
  }

  async put(run: Omit<OpenRun, 'listedMs'>): Promise<void> {
    this.#runs.set(nameOf(run), { ...run, listedMs: run.dueMs })
    this.#witness.open?.('put', run)
  }

  async list(shard: number, limit: number): Promise<ListedRun[]> {
    return [...this.#runs.values()].filter((run) => run.shard === shard).slice(0, limit)
  }

  async due(shard: number, untilMs: number, limit: number): Promise<OpenRun[]> {
    return [...this.#runs.values()]
      .filter((run) => run.shard === shard && run.dueMs <= untilMs)
      .sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
      .slice(0, limit)
  }

  async move<Run extends ListedRun>(run: Run, to: Pick<ListedRun, 'dueMs' | 'times'>): Promise<Run | null> {
    const known = this.#runs.get(nameOf(run))
    if (known === undefined) return null
    this.#runs.delete(nameOf(run))
    const moved = { ...run, ...to }
    this.#runs.set(nameOf(moved), { ...known, ...to })
    this.#witness.open?.('remove', run)
    this.#witness.open?.('put', moved)
    return moved
  }

  async remove(run: OpenKey): Promise<void> {
    if (this.#runs.delete(nameOf(run))) this.#witness.open?.('remove', run)
  }
}

/** As a table sorts them: by time, run and attempt. */
const sortKeyOf = ({ dueMs, runId, attempt }: OpenRun): string =>
  `${String(dueMs).padStart(15, '0')}#${runId}#${String(attempt).padStart(3, '0')}`

type OpenKey = Parameters<OpenRuns['remove']>[0]

const nameOf = ({ shard, dueMs, runId, attempt }: OpenKey): string => [shard, dueMs, runId, attempt].join('#')

class MemoryStates implements States {
  readonly #states = new Map<string, JobState>()
  readonly #witness: Witness

  constructor(witness: Witness) {
    this.#witness = witness
  }

  async read(jobId: string): Promise<JobState> {
    return this.#states.get(jobId) ?? NEW_STATE
  }

  async change<Result>(
    jobId: string,
    decide: (state: JobState) => { readonly state: JobState | null; readonly result: Result },
  ): Promise<Result> {
    const { state, result } = decide(this.#states.get(jobId) ?? NEW_STATE)
    if (state !== null) {
      this.#states.set(jobId, state)
      this.#witness.state?.(jobId, state)
    }
    return result
  }
}

class MemoryLocks implements Locks {
  readonly #locks = new Map<string, Lock>()
  readonly #witness: Witness

  constructor(witness: Witness) {
    this.#witness = witness
  }

  async read(jobId: string): Promise<Lock> {
    return this.#locks.get(jobId) ?? FREE
  }

  async change<Result>(changes: readonly LockChange<Result>[]): Promise<Result[]> {
    return changes.map(({ jobId, decide }) => {
      const before = this.#locks.get(jobId) ?? FREE
      const { lock, result } = decide(before)
      if (lock !== null) {
        this.#locks.set(jobId, lock)
        this.#witness.lock?.(jobId, before, lock)
      }
      return result
    })
  }
}

class MemoryVersionedDocuments<Value> implements VersionedDocuments<Value> {
  readonly #values = new Map<string, Versioned<Value>>()
  readonly #audit: AuditEntry[]

  constructor(audit: AuditEntry[]) {
    this.#audit = audit
  }

  async read(namespace: string, name: string): Promise<Versioned<Value> | null> {
    return this.#values.get(`${namespace}/${name}`) ?? null
  }

  async list(namespace: string): ReturnType<VersionedDocuments<Value>['list']> {
    return [...this.#values]
      .filter(([name]) => name.startsWith(`${namespace}/`))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([fullName, { value, ...rest }]) =>
        value === null ? [] : [{ ...rest, value, name: fullName.slice(namespace.length + 1) }],
      )
  }

  async write({ namespace, name, value, expectedVersion, audit }: DocumentWrite<Value>): Promise<boolean> {
    const isExpected = (this.#values.get(`${namespace}/${name}`)?.version ?? 0) === expectedVersion
    if (!isExpected) return false
    this.#values.set(`${namespace}/${name}`, { value, version: expectedVersion + 1, updatedAtMs: audit.atMs })
    this.#audit.push(audit)
    return true
  }
}

class MemoryPendingEdits implements PendingEdits {
  readonly #edits = new Map<string, PendingEdit>()

  async list(): Promise<PendingEdit[]> {
    return [...this.#edits.values()]
  }

  async put(edit: PendingEdit): Promise<void> {
    this.#edits.set(`${edit.namespace}/${edit.name}`, edit)
  }

  async remove({ namespace, name }: Pick<PendingEdit, 'namespace' | 'name'>): Promise<void> {
    this.#edits.delete(`${namespace}/${name}`)
  }
}

const DAY_MS = 86_400_000

class MemoryIdempotencyKeys implements IdempotencyKeys {
  readonly #reservations = new Map<string, { readonly reservation: Reservation; readonly untilMs: number }>()

  async reserve(hash: string, wanted: Omit<Reservation, 'answer'>, nowMs: number): Promise<Reservation | null> {
    const found = this.#reservations.get(hash)
    const there = found === undefined || found.untilMs <= nowMs ? null : found.reservation
    const isDead = there?.answer === null && nowMs >= there.pendingUntilMs
    if (there !== null && (!isDead || there.bodyHash !== wanted.bodyHash)) return there
    const plan = there?.plan ?? wanted.plan
    this.#reservations.set(hash, { reservation: { ...wanted, plan, answer: null }, untilMs: nowMs + DAY_MS })
    return there
  }

  async answer(hash: string, answer: string): Promise<void> {
    const found = this.#reservations.get(hash)
    if (found !== undefined) this.#reservations.set(hash, { ...found, reservation: { ...found.reservation, answer } })
  }

  async release(hash: string): Promise<void> {
    this.#reservations.delete(hash)
  }
}

class MemoryApiKeys implements ApiKeys {
  readonly #keys = new Map<string, StoredKey>()
  readonly #audit: AuditEntry[]
  #revision = 0

  constructor(audit: AuditEntry[]) {
    this.#audit = audit
  }

  async read(id: string): Promise<StoredKey | null> {
    return this.#keys.get(id) ?? null
  }

  async all(): Promise<KeyRing> {
    return { keys: [...this.#keys.values()], revision: this.#revision }
  }

  async write(change: Parameters<ApiKeys['write']>[0], revision: number, audit: AuditEntry): Promise<boolean> {
    if (revision !== this.#revision) return false
    if ('put' in change) this.#keys.set(change.put.id, change.put)
    else this.#keys.delete(change.remove)
    this.#revision += 1
    this.#audit.push(audit)
    return true
  }

  async touch(id: string, atMs: number): Promise<void> {
    const key = this.#keys.get(id)
    if (key !== undefined) this.#keys.set(id, { ...key, lastUsedAtMs: atMs })
  }
}

class MemoryAuditTrail implements AuditTrail {
  readonly #entries: AuditEntry[]

  constructor(entries: AuditEntry[]) {
    this.#entries = entries
  }

  async put(entry: AuditEntry): Promise<void> {
    this.#entries.push(entry)
  }

  async namespacesOf(day: number): Promise<string[]> {
    const ofDay = this.#entries.filter(({ atMs }) => Math.floor(atMs / DAY_MS) === day)
    return [...new Set(ofDay.map(({ namespace }) => namespace))].sort()
  }

  async ofDay(namespace: string, day: number, fromMs: number, toMs: number): Promise<AuditEntry[]> {
    return this.#entries
      .filter((entry) => entry.namespace === namespace && Math.floor(entry.atMs / DAY_MS) === day)
      .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
      .sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1))
  }
}

export function memoryStores(shardCount: number, witness: Witness = {}): Stores {
  const audit: AuditEntry[] = []
  const open = new MemoryOpenRuns(witness)
  return {
    jobs: new MemoryJobs(shardCount, witness, audit),
    shards: new MemoryShards(witness),
    ledger: new MemoryLedger(shardCount, witness, audit, open),
    open,
    states: new MemoryStates(witness),
    locks: new MemoryLocks(witness),
    calendars: new MemoryVersionedDocuments(audit),
    templates: new MemoryVersionedDocuments(audit),
    namespaces: new MemoryVersionedDocuments(audit),
    pendingEdits: new MemoryPendingEdits(),
    idempotency: new MemoryIdempotencyKeys(),
    apiKeys: new MemoryApiKeys(audit),
    audit: new MemoryAuditTrail(audit),
  }
}

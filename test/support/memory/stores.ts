// All stores in memory: the readable reference of what shared/ports.ts promises.

import { FREE, type JobState, type Lock, NEW_STATE } from '../../../shared/core/gate/state.ts'
import type { OpenRun } from '../../../shared/core/run/record.ts'
import type { Answers, LockChange, Locks, Named, OpenRuns, States, Stores, Versioned } from '../../../shared/ports.ts'
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

  async put(run: OpenRun): Promise<void> {
    this.#runs.set(nameOf(run), run)
    this.#witness.open?.('put', run)
  }

  async due(shard: number, untilMs: number, limit: number): Promise<OpenRun[]> {
    return [...this.#runs.values()]
      .filter((run) => run.shard === shard && run.dueMs <= untilMs)
      .sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
      .slice(0, limit)
  }

  async move(run: OpenRun, to: Pick<OpenRun, 'dueMs' | 'times'>): Promise<OpenRun | null> {
    if (!this.#runs.delete(nameOf(run))) return null
    const moved = { ...run, ...to }
    this.#runs.set(nameOf(moved), moved)
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

class MemoryNamed<Value> implements Named<Value> {
  readonly #values = new Map<string, Versioned<Value>>()

  async read(namespace: string, name: string): Promise<Versioned<Value> | null> {
    return this.#values.get(`${namespace}/${name}`) ?? null
  }

  async list(namespace: string): Promise<Versioned<Value>[]> {
    return [...this.#values]
      .filter(([name]) => name.startsWith(`${namespace}/`))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, value]) => value)
  }

  async put(namespace: string, name: string, value: Value, expectedVersion: number | null): Promise<boolean> {
    const isExpected = (this.#values.get(`${namespace}/${name}`)?.version ?? null) === expectedVersion
    if (isExpected) this.#values.set(`${namespace}/${name}`, { value, version: (expectedVersion ?? 0) + 1 })
    return isExpected
  }

  async remove(namespace: string, name: string, expectedVersion: number): Promise<boolean> {
    const current = this.#values.get(`${namespace}/${name}`)
    if (current !== undefined && current.version !== expectedVersion) return false
    this.#values.delete(`${namespace}/${name}`)
    return true
  }
}

class MemoryAnswers implements Answers {
  readonly #answers = new Map<string, string>()

  async keep(requestHash: string, answer: string): Promise<string> {
    const kept = this.#answers.get(requestHash) ?? answer
    this.#answers.set(requestHash, kept)
    return kept
  }
}

export function memoryStores(shardCount: number, witness: Witness = {}): Stores {
  return {
    jobs: new MemoryJobs(shardCount, witness),
    shards: new MemoryShards(witness),
    ledger: new MemoryLedger(witness),
    open: new MemoryOpenRuns(witness),
    states: new MemoryStates(witness),
    locks: new MemoryLocks(witness),
    calendars: new MemoryNamed(),
    templates: new MemoryNamed(),
    answers: new MemoryAnswers(),
  }
}

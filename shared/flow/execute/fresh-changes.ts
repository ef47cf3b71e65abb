// The log of changes, read after a claim. Pages that are claimed while a read is under way share the next one, because a read
// that began before a claim cannot tell what was committed before it.

import type { Change } from '../../core/job/stored.ts'
import type { Jobs } from '../../ports.ts'

interface Reading {
  fromMs: number
  readonly changes: Promise<Change[]>
}

export class FreshChanges {
  readonly #jobs: Pick<Jobs, 'changes'>
  readonly #underWay = new Map<number, Promise<unknown>>()
  readonly #next = new Map<number, Reading>()

  constructor(jobs: Pick<Jobs, 'changes'>) {
    this.#jobs = jobs
  }

  /** At least all changes of a shard from a time on, read after this call. */
  since(shard: number, fromMs: number): Promise<Change[]> {
    const next = this.#next.get(shard)
    if (next !== undefined) {
      next.fromMs = Math.min(next.fromMs, fromMs)
      return next.changes
    }
    const before = this.#underWay.get(shard) ?? Promise.resolve()
    const reading: Reading = { fromMs, changes: before.then(() => this.#read(shard, reading)) }
    this.#next.set(shard, reading)
    return reading.changes
  }

  #read(shard: number, { fromMs, changes }: Reading): Promise<Change[]> {
    this.#next.delete(shard)
    this.#underWay.set(
      shard,
      changes.catch(() => []),
    )
    return this.#jobs.changes(shard, fromMs)
  }
}

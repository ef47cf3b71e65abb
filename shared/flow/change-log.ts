// What is new in the log of changes of a shard. Some of the log is read again each time, because a change may be committed a little
// after its stamp. Where that is much, it is only counted: a count that has not grown says that nothing has come late. A follower that
// needs acknowledged writes at once, and others soon, looks at what is settled only from time to time.

import type { Change } from '../core/job/stored.ts'
import { CHANGES_OVERLAP_SECONDS, CHANGES_SETTLED_MS } from '../core/timings.ts'
import type { Jobs } from '../ports.ts'

/** A count is a call of its own, and fewer changes than this are read about as quickly. */
const LEAST_COUNTED = 100

const nameOf = ({ ms, jobId, version, slowThroughMinute = 0 }: Change): string =>
  [ms, jobId, version, slowThroughMinute].join('.')

export class ChangeLog {
  readonly #jobs: Pick<Jobs, 'changes' | 'countChanges'>
  readonly #shard: number
  readonly #settledEveryMs: number
  #settledReadMs = Number.NEGATIVE_INFINITY
  /** Changes taken in already, with their times, as long as they may be read again. */
  readonly #seen = new Map<string, number>()

  /** What is settled is looked at so often; each time, unless told. */
  constructor(jobs: Pick<Jobs, 'changes' | 'countChanges'>, shard: number, settledEveryMs = 0) {
    this.#jobs = jobs
    this.#shard = shard
    this.#settledEveryMs = settledEveryMs
  }

  /** What came since the log was read at a time, late ones too. They are new until they are `taken`. */
  async fresh(readMs: number, nowMs: number): Promise<Change[]> {
    const fromMs = readMs - CHANGES_OVERLAP_SECONDS * 1000
    for (const [name, ms] of this.#seen) if (ms < fromMs) this.#seen.delete(name)
    const settledMs = readMs - CHANGES_SETTLED_MS
    const isSettledRead = nowMs - this.#settledReadMs >= this.#settledEveryMs
    const changes = await (isSettledRead ? this.#read(fromMs, settledMs) : this.#jobs.changes(this.#shard, settledMs))
    if (isSettledRead) this.#settledReadMs = nowMs
    return changes.filter((change) => !this.#seen.has(nameOf(change)))
  }

  async #read(fromMs: number, settledMs: number): Promise<Change[]> {
    let known = 0
    for (const ms of this.#seen.values()) if (ms < settledMs) known += 1
    if (known < LEAST_COUNTED) return this.#jobs.changes(this.#shard, fromMs)
    const [count, recent] = await Promise.all([
      this.#jobs.countChanges(this.#shard, fromMs, settledMs),
      this.#jobs.changes(this.#shard, settledMs),
    ])
    return count === known ? recent : this.#jobs.changes(this.#shard, fromMs)
  }

  taken(changes: readonly Change[]): void {
    for (const change of changes) this.#seen.set(nameOf(change), change.ms)
  }

  forget(): void {
    this.#settledReadMs = Number.NEGATIVE_INFINITY
    this.#seen.clear()
  }
}

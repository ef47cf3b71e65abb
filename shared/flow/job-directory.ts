// All jobs of all shards as the API searches them, kept current by the same log that tickers follow. What search reads stands
// behind this one class.

import {
  type JobFilter,
  type JobPage,
  type JobQuery,
  matcherOf,
  type Searchable,
  searchJobs,
} from '../core/job/search.ts'
import { isDeleted, type StoredJob } from '../core/job/stored.ts'
import { nextDue, RUNS } from '../core/planner/due.ts'
import { NEVER } from '../core/time/instants.ts'
import { type Follower, type FollowWorld, JobsOfShard } from './follow-jobs.ts'
import { type FailuresWorld, RecentFailures } from './recent-failures.ts'
import { nowOf } from './tick-world.ts'

class ListedJob implements Searchable {
  readonly job: StoredJob
  readonly #failures: RecentFailures
  /** Asked of the schedule once, and again when it has passed. */
  #next: number | null = null

  constructor(job: StoredJob, failures: RecentFailures) {
    this.job = job
    this.#failures = failures
  }

  next(now: number): number {
    const isPast = this.#next !== null && this.#next !== NEVER && this.#next <= now
    if (this.#next === null || isPast) this.#next = nextDue(this.job, now, RUNS)
    return this.#next
  }

  lastFailureMs(): number | null {
    return this.#failures.lastOf(this.job.id)
  }
}

class ListedJobs implements Follower {
  readonly jobs = new Map<string, ListedJob>()
  readonly #failures: RecentFailures

  constructor(failures: RecentFailures) {
    this.#failures = failures
  }

  take(jobs: readonly StoredJob[]): void {
    for (const job of jobs) {
      const known = this.jobs.get(job.id)
      if (known === undefined || known.job.version <= job.version)
        this.jobs.set(job.id, new ListedJob(job, this.#failures))
    }
  }

  knows(jobId: string): boolean {
    return this.jobs.has(jobId)
  }
}

/** A failure that is asked for is looked for this far back. */
const FAILURE_DAYS = 7

export class JobDirectory {
  readonly #world: FollowWorld
  readonly #failures: RecentFailures
  readonly #shards: readonly JobsOfShard<ListedJobs>[]
  #running: Promise<void> | null = null
  #waiting: Promise<void> | null = null

  constructor(world: FollowWorld & FailuresWorld, shardCount: number) {
    this.#world = world
    this.#failures = new RecentFailures(world, shardCount, FAILURE_DAYS)
    this.#shards = Array.from(
      { length: shardCount },
      (_, shard) => new JobsOfShard(world, shard, () => new ListedJobs(this.#failures), true),
    )
  }

  async search(query: JobQuery): Promise<JobPage<Searchable>> {
    await this.#current()
    if (query.sort === 'lastFailure' || query.failedSinceMs !== undefined) await this.#failures.update()
    return searchJobs(this.#listed(), query, nowOf(this.#world))
  }

  /** The jobs that match, in no order. */
  async matching(filter: JobFilter): Promise<StoredJob[]> {
    await this.#current()
    const isWanted = matcherOf(filter, nowOf(this.#world))
    return [...this.#listed()].filter(isWanted).map(({ job }) => job)
  }

  /** Every job that is not deleted. */
  async all(): Promise<StoredJob[]> {
    await this.#current()
    return [...this.#listed()].map(({ job }) => job).filter((job) => !isDeleted(job))
  }

  /** Jobs by id, deleted ones too while their tombstones are kept; as current as the last look at all of them. */
  known(jobId: string): StoredJob | null {
    for (const { current } of this.#shards) {
      const found = current.jobs.get(jobId)
      if (found !== undefined) return found.job
    }
    return null
  }

  *#listed(): Generator<ListedJob> {
    for (const { current } of this.#shards) yield* current.jobs.values()
  }

  /**
   * Returns when every write that was acknowledged before the call is known. One look at a time: who comes while one is under
   * way waits for the next, together with all others who do.
   */
  #current(): Promise<void> {
    if (this.#running === null) {
      this.#running = this.#drain().finally(() => {
        this.#running = null
      })
      return this.#running
    }
    this.#waiting ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#waiting = null
        return this.#current()
      })
    return this.#waiting
  }

  async #drain(): Promise<void> {
    const now = nowOf(this.#world)
    await Promise.all(this.#shards.map((shard) => shard.drain(now)))
  }
}

// All jobs of all shards as the API searches them, kept current by the same log that tickers follow. What search reads stands
// behind this one class.

import { type JobFilter, type JobPage, type JobQuery, JobSearch, matcherOf } from '../core/job/search.ts'
import { SearchedJob } from '../core/job/searched-job.ts'
import { isDeleted, type StoredJob } from '../core/job/stored.ts'
import { type Follower, type FollowWorld, JobsOfShard } from './follow-jobs.ts'
import { type FailuresWorld, RecentFailures } from './recent-failures.ts'
import { nowOf } from './tick-world.ts'
import { type Rest, Turns } from './turns.ts'

class ListedJobs implements Follower {
  readonly jobs = new Map<string, SearchedJob>()
  readonly #failures: RecentFailures

  constructor(failures: RecentFailures) {
    this.#failures = failures
  }

  take(jobs: readonly StoredJob[]): void {
    for (const job of jobs) {
      const known = this.jobs.get(job.id)
      if (known === undefined || known.job.version <= job.version)
        this.jobs.set(job.id, new SearchedJob(job, this.#failures))
    }
  }

  knows(jobId: string): boolean {
    return this.jobs.has(jobId)
  }

  isTaken(jobId: string, version: number): boolean {
    return (this.jobs.get(jobId)?.job.version ?? 0) >= version
  }
}

/** A failure that is asked for is looked for this far back. */
const FAILURE_DAYS = 7
/** About a millisecond's work. */
const JOBS_A_TURN = 5000

export class JobDirectory {
  readonly #world: FollowWorld
  readonly #failures: RecentFailures
  readonly #shards: readonly JobsOfShard<ListedJobs>[]
  readonly #turns: Turns
  #running: Promise<void> | null = null
  #waiting: Promise<void> | null = null

  /** `rest` is for a process in which other work waits beside searches. */
  constructor(world: FollowWorld & FailuresWorld, shardCount: number, rest: Rest = async () => {}) {
    this.#world = world
    this.#turns = new Turns(rest)
    this.#failures = new RecentFailures(world, shardCount, FAILURE_DAYS)
    this.#shards = Array.from(
      { length: shardCount },
      (_, shard) => new JobsOfShard(world, shard, () => new ListedJobs(this.#failures), true),
    )
  }

  async search(query: JobQuery): Promise<JobPage> {
    await this.#current()
    if (query.sort === 'lastFailure' || query.failedSinceMs !== undefined) await this.#failures.update()
    const search = new JobSearch(query, nowOf(this.#world))
    await this.#each((found) => search.offer(found))
    return search.page()
  }

  /** The jobs that match, in no order. */
  async matching(filter: JobFilter): Promise<StoredJob[]> {
    await this.#current()
    const isWanted = matcherOf(filter, nowOf(this.#world))
    const matching: StoredJob[] = []
    await this.#each((found) => {
      if (isWanted(found)) matching.push(found.job)
    })
    return matching
  }

  /** Every job that is not deleted. */
  async all(): Promise<StoredJob[]> {
    await this.#current()
    const all: StoredJob[] = []
    await this.#each(({ job }) => {
      if (!isDeleted(job)) all.push(job)
    })
    return all
  }

  /** Jobs by id, deleted ones too while their tombstones are kept; as current as the last look at all of them. */
  known(jobId: string): StoredJob | null {
    for (const { current } of this.#shards) {
      const found = current.jobs.get(jobId)
      if (found !== undefined) return found.job
    }
    return null
  }

  /**
   * Asks about every job, in pieces. Many requests wait for one look at the log and go on at its end, so each piece has a turn to itself.
   * What comes in meanwhile takes the place of what it follows, so no job is asked about twice.
   */
  async #each(ask: (found: SearchedJob) => void): Promise<void> {
    const known = this.#shards.map(({ current }) => current.jobs)
    let asked = 0
    for (const jobs of known) {
      for (const found of jobs.values()) {
        if (asked % JOBS_A_TURN === 0) await this.#turns.own()
        asked += 1
        ask(found)
      }
    }
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

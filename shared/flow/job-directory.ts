// All jobs of all shards as the API searches them, kept current by the same log that tickers follow.

import { type JobPage, type JobQuery, type Searchable, searchJobs } from '../core/job/search.ts'
import { type StoredJob, statusOf } from '../core/job/stored.ts'
import { type Follower, type FollowWorld, JobsOfShard } from './follow-jobs.ts'

export interface ListedJob extends Searchable {
  readonly job: StoredJob
}

class ListedJobs implements Follower {
  readonly jobs = new Map<string, ListedJob>()

  take(jobs: readonly StoredJob[]): void {
    for (const job of jobs) this.jobs.set(job.id, listed(job))
  }

  knows(jobId: string): boolean {
    return this.jobs.has(jobId)
  }
}

export class JobDirectory {
  readonly #shards: readonly JobsOfShard<ListedJobs>[]

  constructor(world: FollowWorld, shardCount: number) {
    this.#shards = Array.from(
      { length: shardCount },
      (_, shard) => new JobsOfShard(world, shard, () => new ListedJobs()),
    )
  }

  async search(query: JobQuery, nowSecond: number): Promise<JobPage<ListedJob>> {
    await Promise.all(this.#shards.map((shard) => shard.drain(nowSecond)))
    return searchJobs(
      this.#shards.flatMap(({ current }) => [...current.jobs.values()]),
      query,
    )
  }
}

const listed = (job: StoredJob): ListedJob => ({
  id: job.id,
  definition: job.definition,
  status: statusOf(job),
  updatedAt: job.updatedAt,
  job,
})

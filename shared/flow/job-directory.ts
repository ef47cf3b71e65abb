// All jobs of all shards as the API searches them, kept current by the same log that tickers follow.

import { type JobPage, type JobQuery, type Searchable, searchJobs } from '../core/job/search.ts'
import { type StoredJob, statusOf } from '../core/job/stored.ts'
import { type FollowWorld, JobsOfShard } from './follow-jobs.ts'

export interface ListedJob extends Searchable {
  readonly job: StoredJob
}

export class JobDirectory {
  readonly #jobs = new Map<string, ListedJob>()
  readonly #shards: JobsOfShard[]

  constructor(world: FollowWorld, shardCount: number) {
    this.#shards = Array.from({ length: shardCount }, (_, shard) => {
      const mine = new Set<string>()
      return new JobsOfShard(world, shard, {
        begin: () => {
          for (const id of mine) this.#jobs.delete(id)
          mine.clear()
        },
        take: (jobs) => {
          for (const job of jobs) {
            mine.add(job.id)
            this.#jobs.set(job.id, listed(job))
          }
        },
        knows: (id) => mine.has(id),
      })
    })
  }

  async search(query: JobQuery, nowSecond: number): Promise<JobPage<ListedJob>> {
    await Promise.all(this.#shards.map((shard) => shard.drain(nowSecond)))
    return searchJobs(this.#jobs.values(), query)
  }
}

const listed = (job: StoredJob): ListedJob => ({
  id: job.id,
  definition: job.definition,
  status: statusOf(job),
  updatedAt: job.updatedAt,
  job,
})

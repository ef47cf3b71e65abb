// Looks at a stack's jobs and ledger once a second, for the picture: what the next seconds hold, and which runs began.

import { isDeleted, type StoredJob } from '../../shared/core/job/stored.ts'
import type { PageEntry } from '../../shared/core/pages/entry.ts'
import { Snapshot } from '../../shared/core/planner/snapshot.ts'
import type { PageKey } from '../../shared/core/run/record.ts'
import { explainSchedule } from '../../shared/core/schedule/explain.ts'
import { NEVER } from '../../shared/core/time/instants.ts'
import { type Follower, type FollowWorld, JobsOfShard } from '../../shared/flow/follow-jobs.ts'
import type { Stores } from '../../shared/ports.ts'
import type { Ahead, SeenRun } from './ring-model.ts'
import { SECONDS_AHEAD } from './view.ts'

export type WatchWorld = FollowWorld & Pick<Stores, 'shards' | 'ledger'> & { readonly shardCount: number }

export interface Looked {
  /** Those that no look before this one told of. */
  readonly fired: readonly SeenRun[]
  readonly running: number
  readonly ahead: Ahead
}

/** A run that is taken later than this after its second is not shown by name; it is counted all the same. */
const LOOKED_BACK_SECONDS = 8
const MOST_PAGES = 60

class NamedJobs implements Follower {
  readonly snapshot = new Snapshot()
  readonly jobs = new Map<string, StoredJob>()

  take(jobs: readonly StoredJob[]): void {
    for (const job of jobs) {
      const known = this.jobs.get(job.id)
      if (known === undefined || known.version < job.version) this.jobs.set(job.id, job)
    }
    this.snapshot.apply(jobs.map(({ id, versions }) => ({ id, versions })))
  }

  knows(jobId: string): boolean {
    return this.jobs.has(jobId)
  }

  nameOf(jobId: string): string {
    const { namespace, name } = this.jobs.get(jobId)?.definition ?? { namespace: '', name: jobId }
    return namespace === 'default' || namespace === '' ? name : `${namespace}/${name}`
  }
}

export class RunsWatcher {
  readonly #world: WatchWorld
  readonly #shards: readonly JobsOfShard<NamedJobs>[]
  /** Runs that were told of, by their second. */
  readonly #told = new Map<number, Set<string>>()
  readonly #running = new Map<string, PageKey>()

  constructor(world: WatchWorld) {
    this.#world = world
    this.#shards = Array.from(
      { length: world.shardCount },
      (_, shard) => new JobsOfShard(world, shard, () => new NamedJobs()),
    )
  }

  async look(nowSecond: number): Promise<Looked> {
    const fired: SeenRun[] = []
    for (const [shard, followed] of this.#shards.entries()) {
      await followed.drain(nowSecond)
      fired.push(...(await this.#lookAtPages(shard, followed.current, nowSecond)))
    }
    for (const second of this.#told.keys()) if (second < nowSecond - 2 * LOOKED_BACK_SECONDS) this.#told.delete(second)
    return { fired, running: this.#running.size, ahead: this.#ahead(nowSecond) }
  }

  async #lookAtPages(shard: number, known: NamedJobs, nowSecond: number): Promise<SeenRun[]> {
    const item = await this.#world.shards.read(shard)
    const keys: PageKey[] = [...this.#running.values()].filter((key) => key.shard === shard)
    for (let second = nowSecond; second > nowSecond - LOOKED_BACK_SECONDS; second--) {
      const depth = item?.depths.get(second)
      if (depth === undefined) continue
      for (let page = 0; page < 2 ** depth && keys.length < MOST_PAGES; page++)
        keys.push({ shard, second, depth, page })
    }
    const distinct = [...new Map(keys.map((key) => [`${key.second}/${key.page}`, key])).values()]
    const pages = await this.#world.ledger.readPages(distinct)
    return pages.flatMap(({ key, entries }) =>
      [...entries].flatMap(([jobId, entry]) => this.#seen(key, jobId, entry, known)),
    )
  }

  #seen(key: PageKey, jobId: string, entry: PageEntry, known: NamedJobs): SeenRun[] {
    const { second } = key
    const runId = `${jobId}.${second}`
    if (entry.status === 'RUNNING') this.#running.set(runId, key)
    else this.#running.delete(runId)
    const hasBegun = entry.status === 'RUNNING' || ('startOffsetMs' in entry && entry.startOffsetMs > 0)
    const told = this.#told.get(second) ?? new Set()
    this.#told.set(second, told)
    // An id with a sign after it is no run: see shared/core/pages/entry.ts.
    if (!hasBegun || told.has(jobId) || jobId.endsWith('~')) return []
    told.add(jobId)
    const latenessMs = 'startOffsetMs' in entry ? entry.startOffsetMs : null
    return [{ second, name: known.nameOf(jobId), attempt: entry.attempt, latenessMs }]
  }

  #ahead(nowSecond: number): Ahead {
    const counts = new Map<number, number>()
    const next = new Map<string, number>()
    const jobs = new Map<string, StoredJob>()
    const nextRuns: number[] = []
    for (const { current } of this.#shards) {
      for (const { second, jobId } of current.snapshot.due(nowSecond + 1, nowSecond + 1 + SECONDS_AHEAD)) {
        counts.set(second, (counts.get(second) ?? 0) + 1)
        const name = current.nameOf(jobId)
        if (!next.has(name)) next.set(name, second)
        const job = current.jobs.get(jobId)
        if (job !== undefined && !isDeleted(job)) jobs.set(name, job)
      }
      nextRuns.push(current.snapshot.nextDue(nowSecond + 1))
    }
    const coming = nextRuns.filter((second) => second !== NEVER)
    const nextRun = coming.length === 0 ? NEVER : Math.min(...coming)
    return { counts, nextRun, next, explanationOf: (name) => explain(jobs.get(name)) }
  }
}

function explain(job: StoredJob | undefined): string {
  const [schedule] = job?.definition.schedules ?? []
  return job === undefined || schedule === undefined ? '' : explainSchedule(schedule, job.id)
}

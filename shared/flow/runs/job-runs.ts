// What ran of one job, newest first: its instants, computed again from its versions and looked up in their pages, beside the runs
// that have an item of their own. A request looks at a bounded number of pages; where that is not enough, the next one goes on.

import { hashOfId, shardOf } from '../../core/job/id.ts'
import { LIMITS } from '../../core/job/limits.ts'
import type { StoredJob } from '../../core/job/stored.ts'
import type { VersionedJob } from '../../core/job/version.ts'
import { pageKeyOfJob } from '../../core/pages/page.ts'
import { previousRun } from '../../core/planner/due.ts'
import { NEVER } from '../../core/time/instants.ts'
import type { MissedItem } from '../../ports.ts'
import { Depths } from '../depths.ts'
import { Effort } from './effort.ts'
import { dueAt, newestSecond, type RunsWorld, type RunView, statusOfRun, viewOfEntry, viewOfRecord } from './view.ts'

/** Newest first: by second, and within one by id, because runs of many jobs share a second. */
export interface RunPosition {
  readonly second: number
  readonly runId: string
}

export interface RunsQuery {
  /** [from, to) */
  readonly from: number
  readonly to: number
  readonly isWanted: (run: Pick<RunView, 'entry' | 'trigger'>) => boolean
  readonly limit: number
  /** The last run of the page before. */
  readonly after: RunPosition | null
  /** False where gaps do not matter. */
  readonly wantsMissed?: boolean
}

export interface RunsPage<Missed = MissedItem> {
  readonly items: readonly RunView[]
  /** Instants in the part that was searched that never ran, and that no run stands for. */
  readonly missed: readonly Missed[]
  readonly next: RunPosition | null
  /** Everything from here on was looked at. */
  readonly searchedTo: number
}

/** Behind every id of a second: what comes next is of the seconds before it. */
export const LAST_ID = '~'

export const positionOf = ({ id, runId }: Pick<RunView, 'id' | 'runId'>): RunPosition => ({ second: id.second, runId })

/** A look takes as many instants as are wanted, and more each time that was not enough. */
const MOST_INSTANTS_A_LOOK = 100
const ITEMS_A_LOOK = 500

export const isAfter = (run: Pick<RunView, 'id' | 'runId'>, position: RunPosition | null): boolean =>
  position === null ||
  run.id.second < position.second ||
  (run.id.second === position.second && run.runId > position.runId)

export const newestFirst = (a: RunView, b: RunView): number => b.id.second - a.id.second || (a.runId < b.runId ? -1 : 1)

export async function runsOfJob(world: RunsWorld, job: StoredJob, query: RunsQuery): Promise<RunsPage> {
  const { limit, after, isWanted } = query
  const from = Math.max(0, query.from)
  const end = Math.min(query.to, newestSecond(world) + 1, after === null ? Number.POSITIVE_INFINITY : after.second + 1)
  const effort = new Effort(world.clock)
  const reader = new JobPages(world, job)
  const found: RunView[] = []
  let before = end
  let instants = limit + 1
  while (found.length <= limit && before > from && !effort.isSpent) {
    const { runs, low, pages } = await reader.look(from, before, Math.min(instants, MOST_INSTANTS_A_LOOK))
    instants *= 2
    effort.spend(pages)
    found.push(...runs.filter((run) => isWanted(run) && isAfter(run, after)).sort(newestFirst))
    before = low
  }
  const items = found.slice(0, limit)
  const last = items[items.length - 1]
  const isCut = found.length > limit
  const searchedTo = isCut ? last.id.second : before
  const stopped: RunPosition | null = before > from ? { second: before, runId: LAST_ID } : null
  const { wantsMissed = true } = query
  const [shown, missed] = await Promise.all([
    reader.withDetails(items),
    wantsMissed ? world.ledger.missedOf(job.id, searchedTo, Math.max(searchedTo, end)) : [],
  ])
  return { items: shown, missed, next: isCut ? positionOf(last) : stopped, searchedTo }
}

/** Looks at stretches of a job's past, from the newest to the oldest. */
class JobPages {
  readonly #world: RunsWorld
  readonly #job: StoredJob
  readonly #shard: number
  readonly #depths: Depths
  #versioned: Promise<VersionedJob> | null = null
  /** Runs whose detail is not read yet. */
  readonly #onPages = new Set<RunView>()

  constructor(world: RunsWorld, job: StoredJob) {
    this.#world = world
    this.#job = job
    this.#shard = shardOf(hashOfId(job.id), world.shardCount)
    this.#depths = new Depths(world, this.#shard)
  }

  /** All runs of [low, before), where low is as far as one look goes. */
  async look(from: number, before: number, most: number): Promise<{ runs: RunView[]; low: number; pages: number }> {
    const { id } = this.#job
    const { instants, versioned } = await this.#instants(from, before, most)
    const low = instants.length < most ? from : instants[instants.length - 1]
    const items = await this.#world.ledger.runsOf(id, low, before, ITEMS_A_LOOK)
    // Where there are more items than one look takes, it goes only as far as the oldest of them.
    const isCut = items.length === ITEMS_A_LOOK && items[items.length - 1].id.second > low
    const reached = isCut ? items[items.length - 1].id.second + 1 : low
    const own = items.filter((item) => item.id.second >= reached).map((item) => viewOfRecord(this.#job, item))
    const taken = new Set(own.filter((run) => run.id.suffix === '').map((run) => run.id.second))
    const seconds = instants.filter((second) => second >= reached && !taken.has(second))
    const onPages = await this.#readPages(versioned, seconds)
    for (const run of onPages) this.#onPages.add(run)
    return { runs: [...own, ...onPages], low: reached, pages: Math.max(1, seconds.length) }
  }

  /** The newest instants, by the versions that the job itself has where those go back far enough. */
  async #instants(
    from: number,
    before: number,
    most: number,
  ): Promise<{ instants: readonly number[]; versioned: VersionedJob }> {
    const [oldest] = this.#job.versions
    // A version that the job no longer has may have put runs behind its end, by its spread.
    const knownFrom = oldest.version === 1 ? 0 : oldest.activeFrom + LIMITS.spreadSeconds
    const recent = instantsOf(this.#job, Math.max(from, knownFrom), before, most)
    if (recent.length === most || knownFrom <= from) return { instants: recent, versioned: this.#job }
    const { id } = this.#job
    this.#versioned ??= this.#world.jobs.versions(id).then((versions) => ({ id, versions }))
    const versioned = await this.#versioned
    return { instants: instantsOf(versioned, from, before, most), versioned }
  }

  /** Seconds that were gaps have no page: the records of missed instants speak of those. */
  async #readPages(versioned: VersionedJob, seconds: readonly number[]): Promise<RunView[]> {
    const places = await Promise.all(seconds.map(async (second) => ({ second, depth: await this.#depths.at(second) })))
    const keys = places.flatMap(({ second, depth }) =>
      depth === undefined ? [] : [pageKeyOfJob(this.#shard, { jobId: this.#job.id, second }, depth)],
    )
    const pages = await this.#world.ledger.readPages(keys)
    return pages.map(({ key: { second }, entries }) =>
      viewOfEntry(this.#job, second, dueAt(versioned, second), entries.get(this.#job.id) ?? null, null),
    )
  }

  /** Details are read only of what is shown. */
  async withDetails(runs: readonly RunView[]): Promise<RunView[]> {
    const wanted = runs.filter((run) => this.#onPages.has(run) && statusOfRun(run) !== 'QUEUED')
    const details = await this.#world.ledger.readDetails(wanted.map(({ id }) => id))
    const byRun = new Map(wanted.map((run, place) => [run, details[place]]))
    return runs.map((run) => withDetail(run, byRun.get(run) ?? null))
  }
}

function instantsOf(job: VersionedJob, from: number, before: number, most: number): number[] {
  const instants: number[] = []
  for (let t = previousRun(job, before); t !== NEVER && t >= from; t = previousRun(job, t)) {
    instants.push(t)
    if (instants.length === most) break
  }
  return instants
}

/** What is kept beside an entry says more than the entry. */
export const withDetail = (run: RunView, detail: RunView['detail'] | null): RunView =>
  detail === null
    ? run
    : {
        ...run,
        detail,
        version: detail.version ?? run.version,
        trigger: detail.trigger ?? run.trigger,
        nominal: detail.nominal ?? run.nominal,
      }

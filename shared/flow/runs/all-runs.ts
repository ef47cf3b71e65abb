// What ran of all jobs, newest first. Where the question allows it a short list answers: the failures, the runs that are open, the
// chain of a first run. Otherwise the pages and the feed are walked back minute by minute.

import type { StoredJob } from '../../core/job/stored.ts'
import { parseRunId, type Trigger } from '../../core/run/run.ts'
import { isFailure, isTerminal, type RunStatus } from '../../core/run/status.ts'
import { hourOf, minuteOf } from '../../core/time/units.ts'
import type { FeedLine, MissedItem } from '../../ports.ts'
import { Depths } from '../depths.ts'
import { mapLimited } from '../map-limited.ts'
import { Effort } from './effort.ts'
import { findRun } from './find-run.ts'
import {
  isAfter,
  LAST_ID,
  newestFirst,
  positionOf,
  type RunPosition,
  type RunsPage,
  type RunsQuery,
  withDetail,
} from './job-runs.ts'
import { dueAt, newestSecond, type RunsWorld, type RunView, statusOfRun, viewOfEntry, viewOfRecord } from './view.ts'

export interface AllRunsQuery extends RunsQuery {
  /** Which jobs may be seen and are wanted, deleted ones too; null for any other. */
  readonly jobOf: (jobId: string) => StoredJob | null
  readonly statuses: readonly RunStatus[] | null
  readonly triggers: readonly Trigger[] | null
}

export interface MissedOfJob extends MissedItem {
  readonly job: StoredJob
}

export type AllRunsPage = RunsPage<MissedOfJob>

export async function runsOfAll(world: RunsWorld, query: AllRunsQuery): Promise<AllRunsPage> {
  const { statuses } = query
  if (statuses?.every(isFailure) === true) return listed(world, query, await failedRuns(world, query))
  if (statuses?.every((status) => !isTerminal(status)) === true)
    return listed(world, query, await openRuns(world, query))
  return walk(world, query)
}

/** The runs that follow from a first one, and that one. */
export async function runsOfChain(world: RunsWorld, root: string, query: AllRunsQuery): Promise<AllRunsPage> {
  return listed(world, query, [root, ...(await world.ledger.chainOf(root))])
}

const MOST_LISTED = 1000

type IdentifiedRun = Pick<RunView, 'id' | 'runId'>

/** A list of ids, each looked up as it stands now. */
async function listed(world: RunsWorld, query: AllRunsQuery, runIds: readonly string[]): Promise<AllRunsPage> {
  const isInRange = ({ id, runId }: IdentifiedRun) =>
    id.second >= query.from &&
    id.second < query.to &&
    isAfter({ id, runId }, query.after) &&
    query.jobOf(id.jobId) !== null
  const identified = [...new Set(runIds)].map((runId): IdentifiedRun => ({ runId, id: parseRunId(runId) }))
  const wanted = identified.filter(isInRange).sort((a, b) => b.id.second - a.id.second || (a.runId < b.runId ? -1 : 1))
  const found = await mapLimited(wanted.slice(0, MOST_LISTED), ({ runId }) => findRun(world, runId))
  const runs = found.filter((run) => run !== null && query.isWanted(run)).map((run) => run as RunView)
  runs.sort(newestFirst)
  const items = runs.slice(0, query.limit)
  const isCut = runs.length > query.limit
  const unseen = wanted.length > MOST_LISTED ? positionOf(wanted[MOST_LISTED - 1]) : null
  return { items, missed: [], next: isCut ? positionOf(items[items.length - 1]) : unseen, searchedTo: query.from }
}

/** A run may end long after its second: its line stands under the hour of its end. */
const LONGEST_RUN_HOURS = 25
const MOST_HOURS = 24 * 31

async function failedRuns(world: RunsWorld, { from, to }: AllRunsQuery): Promise<string[]> {
  const now = newestSecond(world)
  const last = Math.min(hourOf(now), hourOf(to) + LONGEST_RUN_HOURS)
  const first = Math.max(hourOf(from), last - MOST_HOURS)
  const hours = Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => last - place)
  const lines = await mapLimited(hours, (hour) =>
    Promise.all(shardsOf(world).map((shard) => world.ledger.recent(shard, hour, 'failed'))),
  )
  return lines.flat(2).map(({ runId }) => runId)
}

const MINUTES_BACK = 3
const MOST_OPEN = 2000

/** What waits, is tried again or takes long is in the list of open runs; any other has been due just now. */
async function openRuns(world: RunsWorld, query: AllRunsQuery): Promise<string[]> {
  const lists = await Promise.all(shardsOf(world).map((shard) => world.open.list(shard, MOST_OPEN)))
  const now = newestSecond(world)
  const recent = await walk(world, {
    ...query,
    from: now - MINUTES_BACK * 60,
    to: now + 1,
    after: null,
    limit: MOST_OPEN,
  })
  return [...lists.flat().map(({ runId }) => runId), ...recent.items.map(({ runId }) => runId)]
}

const shardsOf = ({ shardCount }: RunsWorld): number[] => Array.from({ length: shardCount }, (_, shard) => shard)

async function walk(world: RunsWorld, query: AllRunsQuery): Promise<AllRunsPage> {
  const { limit, after } = query
  const from = Math.max(0, query.from)
  const end = Math.min(query.to, newestSecond(world) + 1, after === null ? Number.POSITIVE_INFINITY : after.second + 1)
  const effort = new Effort(world.clock)
  const walkers = shardsOf(world).map((shard) => new ShardWalk(world, shard, query))
  const found: RunView[] = []
  const missed: MissedOfJob[] = []
  let before = end
  while (found.length <= limit && before > from && !effort.isSpent) {
    const low = Math.max(from, minuteOf(before - 1) * 60)
    const looks = await Promise.all(walkers.map((walker) => walker.look(low, before)))
    effort.spend(looks.reduce((sum, { pages }) => sum + pages, 0))
    const runs = looks.flatMap((look) => look.runs)
    found.push(...runs.filter((run) => query.isWanted(run) && isAfter(run, after)).sort(newestFirst))
    missed.push(...looks.flatMap((look) => look.missed))
    // Minutes of which nothing is known, as before the first start, are passed over an hour at a time.
    const isEmpty = looks.every(({ isIdleHour }) => isIdleHour)
    before = isEmpty ? Math.max(from, hourOf(low) * 3600) : low
  }
  const items = found.slice(0, limit)
  const isCut = found.length > limit
  const last = items[items.length - 1]
  const stopped: RunPosition | null = before > from ? { second: before, runId: LAST_ID } : null
  return {
    items: await withDetails(world, items),
    missed,
    next: isCut ? positionOf(last) : stopped,
    searchedTo: isCut ? last.id.second : before,
  }
}

async function withDetails(world: RunsWorld, runs: readonly RunView[]): Promise<RunView[]> {
  const wanted = runs.filter((run) => Object.keys(run.detail).length === 0 && statusOfRun(run) !== 'QUEUED')
  const details = await world.ledger.readDetails(wanted.map(({ id }) => id))
  const byRun = new Map(wanted.map((run, place) => [run, details[place]]))
  return runs.map((run) => withDetail(run, byRun.get(run) ?? null))
}

interface Look {
  readonly runs: RunView[]
  readonly missed: MissedOfJob[]
  readonly pages: number
  readonly isIdleHour: boolean
}

class ShardWalk {
  readonly #world: RunsWorld
  readonly #shard: number
  readonly #query: AllRunsQuery
  readonly #depths: Depths
  #hour = -1
  #feed: readonly FeedLine[] = []

  constructor(world: RunsWorld, shard: number, query: AllRunsQuery) {
    this.#world = world
    this.#shard = shard
    this.#query = query
    this.#depths = new Depths(world, shard)
  }

  /** Everything of [low, before), which lies in one minute. */
  async look(low: number, before: number): Promise<Look> {
    const minute = minuteOf(low)
    const depths = await this.#depths.ofMinute(minute)
    const feed = await this.#feedOf(hourOf(low))
    const pages = depths.size === 0 ? [] : await this.#world.ledger.pagesOfMinute(this.#shard, minute, depths)
    const isHere = (second: number) => second >= low && second < before
    const onPages = pages
      .filter(({ key }) => isHere(key.second))
      .flatMap(({ key, entries }) =>
        [...entries].flatMap(([id, entry]) => {
          const job = id.endsWith('~') ? null : this.#query.jobOf(id)
          return job === null ? [] : [viewOfEntry(job, key.second, dueAt(job, key.second), entry, null)]
        }),
      )
    const lines = feed.filter(({ second }) => isHere(second))
    const own = await this.#readOwn(lines)
    const missed = lines.flatMap((line) => {
      const job = line.type === 'missed' ? this.#query.jobOf(line.missed.jobId) : null
      return line.type === 'missed' && job !== null ? [{ ...line.missed, job }] : []
    })
    const isIdleHour = depths.size === 0 && feed.length === 0 && (await this.#depths.isIdleHour(hourOf(low)))
    return { runs: [...own, ...onPages], missed, pages: Math.max(1, pages.length), isIdleHour }
  }

  async #readOwn(lines: readonly FeedLine[]): Promise<RunView[]> {
    const ids = lines.flatMap((line) => {
      if (line.type !== 'run') return []
      const id = parseRunId(line.runId)
      return this.#query.jobOf(id.jobId) === null ? [] : [id]
    })
    const records = ids.length === 0 ? [] : await this.#world.ledger.readRuns(ids)
    return records.map((record) => viewOfRecord(this.#query.jobOf(record.id.jobId) as StoredJob, record))
  }

  async #feedOf(hour: number): Promise<readonly FeedLine[]> {
    if (hour !== this.#hour) {
      this.#feed = await this.#world.ledger.feed(this.#shard, hour, (hour + 1) * 3600)
      this.#hour = hour
    }
    return this.#feed
  }
}

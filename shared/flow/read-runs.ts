// What ran: the history of a job, the feed over all jobs, the failures of a day. A job's history is its instants, computed
// again from its versions and looked up in their pages, beside the runs that have an item of their own.

import { hashOfId, shardOf } from '../core/job/id.ts'
import type { VersionedJob } from '../core/job/version.ts'
import type { PageEntry } from '../core/pages/entry.ts'
import { pageKeyOfJob } from '../core/pages/page.ts'
import { previousRun } from '../core/planner/due.ts'
import { DETAIL_SUFFIX, type RecentRun, type RunDetail } from '../core/run/record.ts'
import { formatRunId, parseRunId } from '../core/run/run.ts'
import { NEVER } from '../core/time/instants.ts'
import type { MissedItem, Stores } from '../ports.ts'
import { Depths, type DepthsWorld } from './depths.ts'

export interface ReadWorld extends DepthsWorld, Pick<Stores, 'jobs' | 'ledger'> {
  readonly shardCount: number
}

export interface RunLine {
  readonly runId: string
  readonly second: number
  /** Null for an instant that nobody has claimed yet. */
  readonly entry: PageEntry | null
  readonly detail: RunDetail
}

export interface History {
  /** Newest first. */
  readonly runs: readonly RunLine[]
  /** Instants that never ran, which no run stands for. */
  readonly missed: readonly MissedItem[]
}

const minuteOf = (second: number): number => Math.floor(second / 60)
const hourOf = (second: number): number => Math.floor(second / 3600)

/** The runs of a job in [from, to). */
export async function historyOf(
  world: ReadWorld,
  jobId: string,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<History> {
  const shard = shardOf(hashOfId(jobId), world.shardCount)
  const depths = new Depths(world, shard)
  const instants = instantsOf({ id: jobId, versions: await world.jobs.versions(jobId) }, from, to, limit)
  const places = await Promise.all(instants.map(async (second) => ({ second, depth: await depths.at(second) })))
  const live = places.flatMap(({ second, depth }) =>
    depth === undefined ? [] : [pageKeyOfJob(shard, { jobId, second }, depth)],
  )
  const [pages, items, missed] = await Promise.all([
    world.ledger.readPages(live),
    world.ledger.runsOf(jobId, from, to, limit),
    world.ledger.missedOf(jobId, from, to),
  ])
  const details = new Map(
    items.filter(({ id }) => id.suffix === DETAIL_SUFFIX).map(({ id, detail }) => [id.second, detail]),
  )
  const fromPages = pages.map(
    ({ key: { second }, entries }): RunLine => ({
      runId: formatRunId({ jobId, second, suffix: '' }),
      second,
      entry: entries.get(jobId) ?? null,
      detail: details.get(second) ?? {},
    }),
  )
  const fromItems = items
    .filter(({ id }) => id.suffix !== DETAIL_SUFFIX)
    .map(({ id, entry, detail }): RunLine => ({ runId: formatRunId(id), second: id.second, entry, detail }))
  const runs = [...fromPages, ...fromItems].sort((a, b) => b.second - a.second).slice(0, limit)
  return { runs, missed }
}

/** The newest instants of a job in [from, to), newest first. */
function instantsOf(job: VersionedJob, from: number, to: number, limit: number): number[] {
  const instants: number[] = []
  for (let t = previousRun(job, to); t !== NEVER && t >= from && instants.length < limit; t = previousRun(job, t)) {
    instants.push(t)
  }
  return instants
}

/** The newest runs of all jobs of a shard that ended or began in the minutes up to a second, newest first. */
export async function feedOf(
  world: ReadWorld,
  shard: number,
  { until, minutes, limit }: { until: number; minutes: number; limit: number },
): Promise<RunLine[]> {
  const depths = new Depths(world, shard)
  const lines: RunLine[] = []
  for (let minute = minuteOf(until); minute > minuteOf(until) - minutes && lines.length < limit; minute--) {
    const pages = await world.ledger.pagesOfMinute(shard, minute, await depths.ofMinute(minute))
    for (const { key, entries } of pages) {
      for (const [id, entry] of entries) {
        if (!id.endsWith('~'))
          lines.push({
            runId: formatRunId({ jobId: id, second: key.second, suffix: '' }),
            second: key.second,
            entry,
            detail: {},
          })
      }
    }
  }
  const others = await Promise.all(
    hoursOf(until - minutes * 60, until).map((hour) => world.ledger.recent(shard, hour, 'other')),
  )
  return [...lines, ...others.flat().map(lineOf)].sort((a, b) => b.second - a.second).slice(0, limit)
}

/** What failed, timed out or was lost in [from, to), newest first. */
export async function failuresOf(world: ReadWorld, shard: number, from: number, to: number): Promise<RunLine[]> {
  const lists = await Promise.all(hoursOf(from, to).map((hour) => world.ledger.recent(shard, hour, 'failed')))
  return lists
    .flat()
    .filter(({ ms }) => ms >= from * 1000 && ms < to * 1000)
    .sort((a, b) => b.ms - a.ms)
    .map(lineOf)
}

function hoursOf(from: number, to: number): number[] {
  return Array.from({ length: hourOf(to) - hourOf(from) + 1 }, (_, place) => hourOf(from) + place)
}

const lineOf = ({ runId, entry, trigger, reason }: RecentRun): RunLine => ({
  runId,
  second: parseRunId(runId).second,
  entry,
  detail: { trigger, ...(reason === null ? {} : { reason }) },
})

// Runs of one second as they travel: by the first bits of their jobs' hashes into pages, and each page by lane.
// The page of a run depends on its second's depth and its job alone, never on its lane, so a replay finds the same keys.

import { hashOfId, pageBitsOf } from '../job/id.ts'
import type { Lane } from '../lanes.ts'
import type { PageKey } from '../run/record.ts'
import { pageOf } from './depth.ts'

export interface PageRun {
  readonly jobId: string
  readonly second: number
  readonly pageBits: number
}

export interface Page<Run extends PageRun> {
  readonly second: number
  readonly depth: number
  readonly page: number
  readonly runs: readonly Run[]
}

/** What one message carries. */
export interface Parcel<Run extends PageRun> extends Page<Run> {
  readonly lane: Lane
}

/** Where the entry of a run of this depth stands. */
export const pageKeyOf = (shard: number, { second, pageBits }: Omit<PageRun, 'jobId'>, depth: number): PageKey => ({
  shard,
  second,
  depth,
  page: pageOf(pageBits, depth),
})

/** The same for a caller that knows the job and not its bits. */
export const pageKeyOfJob = (
  shard: number,
  { jobId, second }: Pick<PageRun, 'jobId' | 'second'>,
  depth: number,
): PageKey => pageKeyOf(shard, { second, pageBits: pageBitsOf(hashOfId(jobId)) }, depth)

/** The page's first bits as text; a depth of 0 has one page without a prefix. */
export const prefixOf = (page: number, depth: number): string =>
  depth === 0 ? '' : page.toString(2).padStart(depth, '0')

/** Pages of a busy second are stored in up to 32 partitions, so that none is hot. */
export const PARTITION_BITS = 5
export const partitionOf = (page: number, depth: number): string => prefixOf(page, depth).slice(0, PARTITION_BITS)

/** All runs of one second, in the order in which they came. */
export function packPages<Run extends PageRun>(runs: readonly Run[], second: number, depth: number): Page<Run>[] {
  const pages = new Map<number, Run[]>()
  for (const run of runs) {
    const page = pageOf(run.pageBits, depth)
    const list = pages.get(page)
    if (list === undefined) pages.set(page, [run])
    else list.push(run)
  }
  return [...pages].map(([page, list]) => ({ second, depth, page, runs: list }))
}

/** The fast runs of a page travel together; each slow one goes by itself. */
export function splitByLane<Run extends PageRun>(page: Page<Run>, laneOf: (run: Run) => Lane): Parcel<Run>[] {
  const fast = page.runs.filter((run) => laneOf(run) === 'fast')
  const slow = page.runs.filter((run) => laneOf(run) === 'slow')
  const alone = slow.map((run): Parcel<Run> => ({ ...page, runs: [run], lane: 'slow' }))
  return fast.length === 0 ? alone : [{ ...page, runs: fast, lane: 'fast' }, ...alone]
}

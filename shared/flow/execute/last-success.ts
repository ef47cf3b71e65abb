// When a job last succeeded, for the jobs that run only after it. It is not written at every run, but looked up in the ledger, newest
// first, and only as far back as is asked.

import { hashOfId, shardOf } from '../../core/job/id.ts'
import type { PageEntry } from '../../core/pages/entry.ts'
import { pageKeyOfJob } from '../../core/pages/page.ts'
import { previousRun } from '../../core/planner/due.ts'
import { NEVER } from '../../core/time/instants.ts'
import { Depths } from '../depths.ts'
import { findJobs } from '../find-job.ts'
import type { ExecuteWorld } from './world.ts'

const INSTANTS_A_LOOK = 25
/** A job of every second that has not succeeded for a quarter of an hour is as good as one that never has. */
const MOST_LOOKS = 40
const MOST_ITEMS = 1000

/** The second in which it ended, or null where there was no success in that time. */
export async function lastSuccessOf(
  world: ExecuteWorld,
  { job, within }: { readonly job: string; readonly within: number },
  now: number,
): Promise<number | null> {
  const jobId = (await findJobs(world, [job])).get(job)?.id
  if (jobId === undefined) return null
  const from = now - within
  const [onPages, inItems] = await Promise.all([
    newestOnPages(world, jobId, from, now),
    newestInItems(world, jobId, from, now),
  ])
  const newest = Math.max(onPages ?? 0, inItems ?? 0)
  return newest === 0 ? null : newest
}

const endOf = (entry: PageEntry | null | undefined, second: number): number | null =>
  entry?.status === 'SUCCEEDED' ? second + Math.floor((entry.startOffsetMs + entry.durationMs) / 1000) : null

async function newestOnPages(world: ExecuteWorld, jobId: string, from: number, now: number): Promise<number | null> {
  const shard = shardOf(hashOfId(jobId), world.shardCount)
  const depths = new Depths(world, shard)
  const versioned = { id: jobId, versions: await world.jobs.versions(jobId) }
  let before = now + 1
  for (let look = 0; look < MOST_LOOKS; look++) {
    const seconds: number[] = []
    for (let t = previousRun(versioned, before); t !== NEVER && t >= from; t = previousRun(versioned, t)) {
      seconds.push(t)
      if (seconds.length === INSTANTS_A_LOOK) break
    }
    if (seconds.length === 0) return null
    const keys = await Promise.all(
      seconds.map(async (second) => {
        const depth = await depths.at(second)
        return depth === undefined ? [] : [pageKeyOfJob(shard, { jobId, second }, depth)]
      }),
    )
    for (const { key, entries } of await world.ledger.readPages(keys.flat())) {
      const end = endOf(entries.get(jobId), key.second)
      if (end !== null) return end
    }
    before = seconds[seconds.length - 1]
  }
  return null
}

async function newestInItems(world: ExecuteWorld, jobId: string, from: number, now: number): Promise<number | null> {
  const items = await world.ledger.runsOf(jobId, from, now + 1, MOST_ITEMS)
  const ends = items.map(({ id, entry }) => endOf(entry, id.second)).filter((end) => end !== null)
  return ends.length === 0 ? null : Math.max(...ends)
}

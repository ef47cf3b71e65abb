// One run by its id. An id that no run can have finds nothing: a second at which the job was not due, another spelling, a future
// instant.

import { InputError } from '../../core/errors.ts'
import { hashOfId, shardOf } from '../../core/job/id.ts'
import type { StoredJob } from '../../core/job/stored.ts'
import { neverStarted } from '../../core/pages/entry.ts'
import { pageKeyOfJob } from '../../core/pages/page.ts'
import { parseRunId, type RunId } from '../../core/run/run.ts'
import { Depths } from '../depths.ts'
import { covers, dueAt, newestSecond, type RunsWorld, type RunView, viewOfEntry, viewOfRecord } from './view.ts'

export interface FoundRun extends RunView {
  readonly job: StoredJob
  /** The depth of its page, or null where it has an item of its own. */
  readonly depth: number | null
}

export async function findRun(world: RunsWorld, text: string): Promise<FoundRun | null> {
  const id = readId(text)
  if (id === null) return null
  const [[job], record] = await Promise.all([world.jobs.readMany([id.jobId]), world.ledger.readRun(id)])
  if (job === undefined) return null
  if (record !== null) return { ...viewOfRecord(job, record), job, depth: null }
  return id.suffix === '' ? findOnPage(world, job, id.second) : null
}

function readId(text: string): RunId | null {
  try {
    return parseRunId(text)
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

async function findOnPage(world: RunsWorld, job: StoredJob, second: number): Promise<FoundRun | null> {
  if (second > newestSecond(world)) return null
  const shard = shardOf(hashOfId(job.id), world.shardCount)
  const [versions, depth] = await Promise.all([world.jobs.versions(job.id), new Depths(world, shard).at(second)])
  const due = dueAt({ id: job.id, versions }, second)
  if (depth !== undefined) {
    const [[page], [detail]] = await Promise.all([
      world.ledger.readPages([pageKeyOfJob(shard, { jobId: job.id, second }, depth)]),
      world.ledger.readDetails([{ jobId: job.id, second }]),
    ])
    const entry = page.entries.get(job.id) ?? null
    if (entry === null && due === null) return null
    return { ...viewOfEntry(job, second, due, entry, detail), job, depth }
  }
  if (due === null) return null
  const missed = (await world.ledger.missedOf(job.id, second, second + 1)).find((each) => covers(each, due))
  if (missed === undefined) return { ...viewOfEntry(job, second, due, null, null), job, depth: null }
  const view = viewOfEntry(job, second, due, neverStarted('MISSED'), { reason: missed.reason })
  return { ...view, job, depth: null }
}

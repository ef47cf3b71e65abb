// A stop that a schedule brings: ends what runs, waits or is queued of its job from before its second. Those with a lock are
// in it; those that time keeps apart, and those that nobody claimed yet, are found by their instants.

import { type Release, stop as stopLock } from '../../core/gate/release.ts'
import { FREE, type GateRun } from '../../core/gate/state.ts'
import { type DueItem, dueBetween, RUNS } from '../../core/planner/due.ts'
import { formatRunId } from '../../core/run/run.ts'
import { Depths } from '../depths.ts'
import { nowOf } from '../tick-world.ts'
import { cancelRun } from './cancel.ts'
import type { Batch, Life } from './life.ts'
import { releaseAt, sendReleased } from './locking.ts'
import type { ExecuteWorld } from './world.ts'

/** A run that was due longer ago than this and its timeout cannot be running without a lock. */
const MARGIN_SECONDS = 20

export async function carryOutStop(world: ExecuteWorld, batch: Batch, life: Life): Promise<void> {
  const reason = `${life.kind === 'stop' ? 'a stop' : 'a restart'} was due at ${life.second}`
  const { ended, ...released } = await endThoseInTheLock(world, life)
  const others = await thoseBefore(world, batch, life)
  const all = new Map([...others, ...ended].map((run) => [run.runId, run]))
  for (const run of all.values()) await cancelRun(world.ledger, batch.shard, run, reason)
  await sendReleased(world, batch, life.job, released)
}

async function endThoseInTheLock(
  world: ExecuteWorld,
  { jobId, second, job }: Life,
): Promise<Release & { readonly ended: readonly GateRun[] }> {
  const at = await releaseAt(world, jobId, job)
  const [stopped] = await world.locks.change([
    {
      jobId,
      believed: FREE,
      decide: (lock) => {
        const result = stopLock(lock, second, at)
        return { lock: result.ended.length > 0 ? result.lock : null, result }
      },
    },
  ])
  return stopped
}

/** Runs of instants so near before the stop that they may run without a lock, or still be on their way. */
async function thoseBefore(world: ExecuteWorld, { shard }: Batch, { jobId, second, job }: Life): Promise<GateRun[]> {
  const [stored] = await world.jobs.readMany([jobId])
  if (stored === undefined) return []
  const due: DueItem[] = []
  const reach = job.timeoutSeconds + MARGIN_SECONDS + Math.max(0, nowOf(world) - second)
  dueBetween(stored, second - reach, second, due)
  const depths = new Depths(world, shard)
  const runs = await Promise.all(
    due
      .filter(({ kind }) => RUNS.includes(kind))
      .map(async (item): Promise<GateRun[]> => {
        const depth = await depths.at(item.second)
        if (depth === undefined) return []
        const runId = formatRunId({ jobId, second: item.second, suffix: '' })
        const trigger = item.kind === 'restart' ? 'RESTART' : 'SCHEDULE'
        return [{ runId, trigger, instant: item.second, nominal: item.nominal, attempt: 1, depth, openMs: null }]
      }),
  )
  return runs.flat()
}

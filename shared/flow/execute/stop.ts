// A stop that a schedule brings: ends what runs, waits or is queued of its job from before its second. Those with a lock are
// in it; those that time keeps apart, and those that no executor has claimed yet, are found by their instants.

import { stop as stopLock } from '../../core/gate/release.ts'
import { FREE, type GateRun } from '../../core/gate/state.ts'
import { type DueItem, dueBetween, RUNS } from '../../core/planner/due.ts'
import { formatRunId } from '../../core/run/run.ts'
import { GAP_MARGIN_SECONDS } from '../../core/timings.ts'
import { Depths } from '../depths.ts'
import { nowOf } from '../tick-world.ts'
import { cancelRun } from './cancel.ts'
import type { Batch, Life } from './life.ts'
import { releaseAt, sendReleased } from './locking.ts'
import type { ExecuteWorld } from './world.ts'

const MOST_TRIES = 5
const TRIED_EVERY_MS = 1000

/** A stop that is late is dropped, so what fails is tried again here and now. */
export async function carryOutStop(world: ExecuteWorld, batch: Batch, life: Life): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await stopOnce(world, batch, life)
      return
    } catch (error) {
      if (tries === MOST_TRIES) throw error
      await world.until(world.clock.nowMs() + TRIED_EVERY_MS)
    }
  }
}

/** First the runs, then the lock: a lock that is free while its run goes on would let the next one in. */
async function stopOnce(world: ExecuteWorld, batch: Batch, life: Life): Promise<void> {
  const { jobId, second, job, kind } = life
  const reason = `${kind === 'stop' ? 'a stop' : 'a restart'} was due at ${second}`
  const at = await releaseAt(world, jobId, job)
  const inLock = stopLock(await world.locks.read(jobId), second, at).ended
  const all = new Map([...(await thoseBefore(world, batch, life)), ...inLock].map((run) => [run.runId, run]))
  for (const run of all.values()) await cancelRun(world.ledger, batch.shard, run, reason)
  const [{ ended, ...released }] = await world.locks.change([
    {
      jobId,
      believed: FREE,
      decide: (lock) => {
        const result = stopLock(lock, second, at)
        return { lock: result.ended.length + result.send.length > 0 ? result.lock : null, result }
      },
    },
  ])
  const added = ended.filter(({ runId }) => !all.has(runId))
  for (const run of added) await cancelRun(world.ledger, batch.shard, run, reason)
  await sendReleased(world, batch, job, released)
}

/** Runs of instants so near before the stop that they may run without a lock, or still be on their way. */
async function thoseBefore(world: ExecuteWorld, { shard }: Batch, { jobId, second, job }: Life): Promise<GateRun[]> {
  const [stored] = await world.jobs.readMany([jobId])
  if (stored === undefined) return []
  const due: DueItem[] = []
  // A run without a lock that was due longer ago cannot be running any more.
  const reach = job.timeoutSeconds + GAP_MARGIN_SECONDS + Math.max(0, nowOf(world) - second)
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

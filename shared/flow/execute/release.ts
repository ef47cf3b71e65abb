// What follows the end of a run: its lock goes on to the next, the jobs that come after it are triggered, and it is taken out of the
// list of open runs. An executor that gets a message about a run that has ended does all of it again.

import { keepForRetry, type Release, release as releaseLock } from '../../core/gate/release.ts'
import { FREE, type Lock } from '../../core/gate/state.ts'
import { triggeredBy } from '../../core/run/settlement.ts'
import { START_WITHIN_SECONDS } from '../../core/timings.ts'
import type { LockChange } from '../../ports.ts'
import { mapLimited } from '../map-limited.ts'
import { nowOf } from '../tick-world.ts'
import { triggerDependent } from './dependents.ts'
import type { Batch, Life } from './life.ts'
import { releaseAt, sendReleased } from './locking.ts'
import { removeOpen } from './open.ts'
import { sendRun } from './send-again.ts'
import type { Settled } from './settle.ts'
import type { EndingWorld } from './world.ts'

export async function release(world: EndingWorld, batch: Batch, settled: readonly Settled[]): Promise<void> {
  const runs = settled.filter(({ life }) => life.kind !== 'stop')
  const released = await releaseLocks(world, runs)
  const isFollowed = ({ life, retryInSeconds, entry }: Settled) =>
    retryInSeconds !== null ||
    life.opens.length > 0 ||
    (released.get(life.id)?.send.length ?? 0) > 0 ||
    triggeredBy(entry.status, life.job.then).length > 0
  await mapLimited(runs.filter(isFollowed), async ({ life, retryInSeconds, entry }) => {
    const given = released.get(life.id)
    if (given !== undefined) await sendReleased(world, batch, life.job, given)
    if (retryInSeconds !== null) {
      await sendRun(world, batch, life.run, life.job, { inSeconds: retryInSeconds, notBefore: life.notBefore })
      await removeOpen(world, batch, life, life.run.openMs)
      return
    }
    for (const job of triggeredBy(entry.status, life.job.then)) await triggerDependent(world, life, job)
    await removeOpen(world, batch, life)
  })
}

async function releaseLocks(world: EndingWorld, runs: readonly Settled[]): Promise<Map<string, Release>> {
  const locked = runs.filter(({ life }) => mayHold(life))
  if (locked.length === 0) return new Map()
  const changes = await Promise.all(locked.map((each) => lockChange(world, each)))
  const results = await world.locks.change(changes)
  return new Map(locked.map(({ life }, place) => [life.id, results[place]]))
}

/** A run that ended before, was taken over or had waited may hold the lock, though this executor did not take it. */
export const mayHold = ({ holds, isRepeat, end, lockHint, run, wasKnown }: Life): boolean =>
  holds !== null || isRepeat || wasKnown || end?.status === 'LOST' || lockHint === 'check' || run.attempt > 1

async function lockChange(world: EndingWorld, { life, retryInSeconds }: Settled): Promise<LockChange<Release>> {
  const { jobId, run, holds } = life
  const at = await releaseAt(world, jobId, life.job)
  const believed: Lock = holds === null ? FREE : { holders: [holds], waiting: [] }
  const retryAt = nowOf(world) + (retryInSeconds ?? 0)
  return {
    jobId,
    believed,
    decide: (lock) => {
      const isHeld = lock.holders.some(({ runId }) => runId === run.runId)
      if (retryInSeconds !== null) {
        return {
          lock: isHeld ? keepForRetry(lock, run, retryAt, retryAt + START_WITHIN_SECONDS) : null,
          result: { lock, send: [], promoted: null },
        }
      }
      const result = releaseLock(lock, run.runId, at)
      const isInLine = lock.waiting.some(({ runId }) => runId === run.runId)
      return { lock: isHeld || isInLine || result.send.length > 0 ? result.lock : null, result }
    },
  }
}

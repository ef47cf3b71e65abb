// The last step before a run starts: what takes long is listed, and its claim is young enough to outlive it.

import { deadlineOf, mayStart } from '../../core/claim.ts'
import { release } from '../../core/gate/release.ts'
import type { Holder } from '../../core/gate/state.ts'
import { whereNeeded } from '../in-bunches.ts'
import { nowOf, secondOf } from '../tick-world.ts'
import { type Batch, isGoing, type Life } from './life.ts'
import { releaseAt, sendReleased } from './locking.ts'
import { putOpen } from './open.ts'
import type { ExecuteWorld } from './world.ts'

/** Those that may start. What was taken over while it was decided about is left out, and gives back its lock. */
export async function makeReady(world: ExecuteWorld, batch: Batch, lives: readonly Life[]): Promise<Life[]> {
  const isLong = (life: Life) => batch.lane === 'slow' && isGoing(life)
  const listed = await whereNeeded(lives, isLong, (life) =>
    putOpen(world, batch, life, { fromMs: world.clock.nowMs() }),
  )
  const ready = await renewOld(world, batch, listed)
  const lost = listed.filter((life) => life.holds !== null && !ready.some(({ id }) => id === life.id))
  for (const life of lost) await letGo(world, batch, life, life.holds as Holder)
  return ready
}

/** Claims that grew old on the way are made anew, so that they outlive their runs. Those that are lost are left out. */
export async function renewOld(world: ExecuteWorld, batch: Batch, lives: readonly Life[]): Promise<Life[]> {
  const now = nowOf(world)
  const isOld = (life: Life) => isGoing(life) && !mayStart(secondOf(life.claimedMs), now)
  const renewed = await whereNeeded<Life | null>(
    lives,
    (life) => life !== null && isOld(life),
    async (life) => {
      const { entry, id, job } = life as Life
      if (entry?.status !== 'RUNNING') return life
      const next = { ...entry, deadlineSecond: deadlineOf(now, job.timeoutSeconds, batch.lane) }
      const result = (await batch.place.swap([{ id, expect: entry, next }])).get(id)
      return result?.done === true ? { ...(life as Life), entry: next, claimedMs: world.clock.nowMs() } : null
    },
  )
  return renewed.filter((life) => life !== null)
}

/** Frees a lock that was taken for a run that is no longer ours. */
async function letGo(world: ExecuteWorld, batch: Batch, { jobId, run, job }: Life, holds: Holder): Promise<void> {
  const at = await releaseAt(world, jobId, job)
  const [released] = await world.locks.change([
    {
      jobId,
      believed: { holders: [holds], waiting: [] },
      decide: (lock) => {
        const isMine = lock.holders.some(({ runId, attempt }) => runId === run.runId && attempt === run.attempt)
        const result = release(lock, run.runId, at)
        return isMine ? { lock: result.lock, result } : { lock: null, result: { lock, send: [] } }
      },
    },
  ])
  await sendReleased(world, batch, job, released)
}

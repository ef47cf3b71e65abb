// What a claim must be before the rules are asked, and when its run starts: young enough to outlive it, and on the right lane.

import { deadlineOf, mayStart } from '../../core/claim.ts'
import { laneOf, NEW_LANE } from '../../core/lanes.ts'
import { secondOf } from '../../core/time/units.ts'
import { mapLimited, mapWhere } from '../map-limited.ts'
import { nowOf } from '../tick-world.ts'
import { swapClaimed } from './claimed-entry.ts'
import { type Batch, isGoing, type Life } from './life.ts'
import { putOpen } from './open.ts'
import { putOff } from './put-off.ts'
import type { Routed } from './route.ts'
import type { ExecuteWorld } from './world.ts'

type Maybe = Life | null

const present = (lives: readonly Maybe[]): Life[] => lives.filter((life) => life !== null)

const isOld = (life: Maybe, now: number): life is Life =>
  life !== null && isGoing(life) && !mayStart(secondOf(life.claimedMs), now)

/**
 * Before the rules are asked: claims that grew old are made anew, those that are lost are left out, and what an edit has made too long
 * for the fast lane goes to the slow one.
 */
export async function renewOld(world: ExecuteWorld, batch: Batch, lives: readonly Life[]): Promise<Life[]> {
  const now = nowOf(world)
  // A stop takes no time, so it may be carried out anywhere.
  const isMisplaced = (life: Maybe): life is Life =>
    life !== null &&
    isGoing(life) &&
    life.kind !== 'stop' &&
    batch.lane === 'fast' &&
    laneOf(NEW_LANE, life.job.timeoutSeconds, now) === 'slow'
  const placed = await mapWhere<Maybe>(lives, isMisplaced, async (life) => {
    await putOff(world, batch, life as Life, { isSentNow: true, lane: 'slow' })
    return null
  })
  return present(
    await mapWhere<Maybe>(
      placed,
      (life) => isOld(life, now),
      (life) => renewed(world, batch, life as Life),
    ),
  )
}

async function renewed(world: ExecuteWorld, batch: Batch, life: Life): Promise<Maybe> {
  const { entry, id, job } = life
  if (entry?.status !== 'RUNNING') return life
  const claimedMs = world.clock.nowMs()
  const next = { ...entry, deadlineSecond: deadlineOf(secondOf(claimedMs), job.timeoutSeconds, batch.lane) }
  const result = (await swapClaimed(batch.place, [{ id, expect: entry, next }])).get(id)
  return result?.done === true ? { ...life, entry: next, claimedMs } : null
}

/** Before the start: runs of the slow lane take long, so they are listed as open, and the audit comes back to them. */
export function makeReady(world: ExecuteWorld, batch: Batch, lives: readonly Life[]): Promise<readonly Life[]> {
  const isLong = (life: Life) => batch.lane === 'slow' && isGoing(life)
  return mapWhere(lives, isLong, (life) => putOpen(world, batch, life, { fromMs: world.clock.nowMs() }))
}

/**
 * At the very start: what took so long to decide about that its claim grew old goes round again, because neither its lock nor the
 * rules that let it start are what they were.
 */
export const isTooOldToStart = ({ life }: Routed, now: number): boolean => isOld(life, now)

export async function goRoundAgain(world: ExecuteWorld, batch: Batch, tooOld: readonly Routed[]): Promise<void> {
  await mapLimited(tooOld, ({ life }) => putOff(world, batch, life, { isSentNow: true }))
}

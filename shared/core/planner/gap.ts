// Seconds that nobody opened in time: what becomes of a job's instants in them, by its misfire rule. All of them are
// accounted for: one runs, some are caught up, the rest are counted as missed with the reason.

import type { VersionedJob } from '../job/version.ts'
import type { CatchUpCursor } from './catch-up.ts'
import { type DueItem, dueBetween } from './due.ts'
import { latestStartSeconds } from './misfire.ts'
import type { SecondRange } from './tick.ts'

/** Instants that will never run, as one record. */
export interface Missed {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly reason: string
}

export interface GapPlan {
  /** The one instant to run now, with trigger MISFIRE. */
  readonly fire: DueItem | null
  readonly catchUp: CatchUpCursor | null
  readonly missed: readonly Missed[]
}

export const REASONS = {
  doNothing: 'the job does nothing about missed instants',
  newerFires: 'a newer instant fires in its place',
  tooLate: 'it is later than maxLateness allows',
  outsideWindow: 'it lies outside the catch-up window',
  overCap: 'more were missed than the job catches up',
  onlyLatest: 'the job catches up only the latest',
  stopTooLate: 'a stop or restart is not made up for',
  deletedSince: 'the job was deleted before it could be caught up',
  policyChanged: 'the job no longer catches up',
} as const

/** What a job does about a gap, looked at from `now`. */
export function planGap(job: VersionedJob, { from, to }: SecondRange, now: number): GapPlan {
  const items: DueItem[] = []
  dueBetween(job, from, to + 1, items)
  const starts = items.filter(({ kind }) => kind === 'start')
  const others = items.filter(({ kind }) => kind !== 'start')
  const plan = planStarts(starts, now)
  return { ...plan, missed: [...missedOf(others, REASONS.stopTooLate), ...plan.missed] }
}

export function missedOf(items: readonly DueItem[], reason: string): Missed[] {
  if (items.length === 0) return []
  return [{ from: items[0].second, to: items[items.length - 1].second, count: items.length, reason }]
}

function planStarts(starts: readonly DueItem[], now: number): GapPlan {
  const newest = starts.at(-1)
  if (newest === undefined) return { fire: null, catchUp: null, missed: [] }
  const { misfire } = newest.version
  switch (misfire.policy) {
    case 'DO_NOTHING':
      return { fire: null, catchUp: null, missed: missedOf(starts, REASONS.doNothing) }
    case 'FIRE_ONCE_NOW': {
      const older = missedOf(starts.slice(0, -1), REASONS.newerFires)
      const isTooLate = now - newest.second > latestStartSeconds(newest.version)
      if (isTooLate) return { fire: null, catchUp: null, missed: missedOf(starts, REASONS.tooLate) }
      return { fire: newest, catchUp: null, missed: older }
    }
    case 'CATCH_UP':
      return planCatchUpOf(starts, now, misfire)
  }
}

function planCatchUpOf(
  starts: readonly DueItem[],
  now: number,
  misfire: { window: number; overlap: 'skip' | 'all' | 'latest'; max: number },
): GapPlan {
  const inside = starts.filter(({ second }) => second >= now - misfire.window)
  const outside = starts.slice(0, starts.length - inside.length)
  const keep = misfire.overlap === 'latest' ? 1 : misfire.max
  const kept = inside.slice(-keep)
  const cut = inside.slice(0, inside.length - kept.length)
  const reason = misfire.overlap === 'latest' ? REASONS.onlyLatest : REASONS.overCap
  const missed = [...missedOf(outside, REASONS.outsideWindow), ...missedOf(cut, reason)]
  const [first, last] = [kept.at(0), kept.at(-1)]
  if (first === undefined || last === undefined) return { fire: null, catchUp: null, missed }
  return { fire: null, catchUp: { from: first.second, to: last.second, next: first.second, left: kept.length }, missed }
}

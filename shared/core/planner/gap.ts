// Seconds that no tick opened within LIVE_SECONDS: what becomes of a job's instants in them, by its misfire rule. All of them are
// accounted for: one runs, some are caught up, the rest are counted as missed with the reason.

import type { Misfire } from '../job/job.ts'
import type { VersionedJob } from '../job/version.ts'
import type { CatchUpCursor } from './catch-up.ts'
import { type DueItem, dueBetween } from './due.ts'
import { latestStartSeconds } from './misfire.ts'
import type { SecondRange } from './tick.ts'

/** Instants that will never run, as one record. Starts and stops are counted apart: a record speaks of its own kind only. */
export interface Missed {
  readonly of: 'starts' | 'stops and restarts'
  readonly from: number
  readonly to: number
  readonly count: number
  readonly reason: string
}

export interface GapPlan {
  /** The one instant to run now, with trigger MISFIRE. */
  readonly fire: DueItem | null
  readonly catchUp: readonly CatchUpCursor[]
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

/**
 * What a job does about a gap. It is judged from the second in which the gap was opened, which is stored with it. So every link that
 * works it off, however often, decides the same.
 */
export function planGap(job: VersionedJob, { from, to }: SecondRange, openedAt: number): GapPlan {
  const items: DueItem[] = []
  dueBetween(job, from, to + 1, items)
  const others = items.filter(({ kind }) => kind !== 'start')
  const groups = byVersion(items.filter(({ kind }) => kind === 'start'))
  const plans = groups.map((starts, index) => planStarts(starts, openedAt, index === groups.length - 1))
  return {
    fire: plans.at(-1)?.fire ?? null,
    catchUp: plans.flatMap(({ catchUp }) => catchUp),
    missed: [...missedOf(others, REASONS.stopTooLate, 'stops and restarts'), ...plans.flatMap(({ missed }) => missed)],
  }
}

/** The definition in force at an instant decides about it, also in a gap over an edit. */
function byVersion(starts: readonly DueItem[]): DueItem[][] {
  const groups: DueItem[][] = []
  for (const item of starts) {
    const last = groups.at(-1)
    if (last !== undefined && last[0].version === item.version) last.push(item)
    else groups.push([item])
  }
  return groups
}

function missedOf(items: readonly DueItem[], reason: string, of: Missed['of'] = 'starts'): Missed[] {
  if (items.length === 0) return []
  return [{ of, from: items[0].second, to: items[items.length - 1].second, count: items.length, reason }]
}

/** The starts of one definition, of which there is at least one. */
function planStarts(starts: readonly DueItem[], openedAt: number, isNewest: boolean): GapPlan {
  const newest = starts[starts.length - 1]
  const { misfire } = newest.version
  const allMissed = (reason: string): GapPlan => ({ fire: null, catchUp: [], missed: missedOf(starts, reason) })
  switch (misfire.policy) {
    case 'DO_NOTHING':
      return allMissed(REASONS.doNothing)
    case 'FIRE_ONCE_NOW': {
      if (!isNewest) return allMissed(REASONS.newerFires)
      if (openedAt - newest.second > latestStartSeconds(newest.version)) return allMissed(REASONS.tooLate)
      return { fire: newest, catchUp: [], missed: missedOf(starts.slice(0, -1), REASONS.newerFires) }
    }
    case 'CATCH_UP':
      return planCatchUpOf(starts, openedAt, misfire)
  }
}

function planCatchUpOf(
  starts: readonly DueItem[],
  openedAt: number,
  misfire: Extract<Misfire, { policy: 'CATCH_UP' }>,
): GapPlan {
  const inside = starts.filter(({ second }) => second >= openedAt - misfire.window)
  const outside = starts.slice(0, starts.length - inside.length)
  const keep = misfire.overlap === 'latest' ? 1 : misfire.max
  const kept = inside.slice(-keep)
  const cut = inside.slice(0, inside.length - kept.length)
  const reason = misfire.overlap === 'latest' ? REASONS.onlyLatest : REASONS.overCap
  const missed = [...missedOf(outside, REASONS.outsideWindow), ...missedOf(cut, reason)]
  const cursors = missedOf(kept, '').map(({ from, to, count }) => ({ from, to, next: from, left: count }))
  return { fire: null, catchUp: cursors, missed }
}

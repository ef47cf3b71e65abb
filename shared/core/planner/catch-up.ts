// Missed instants of a CATCH_UP job, worked off oldest first and at a bounded rate, with a cursor that survives crashes.

import { isRunningAt, type VersionedJob, versionAt } from '../job/version.ts'
import { type DueItem, dueBetween } from './due.ts'
import { REASONS } from './gap.ts'

/** One gap that is being caught up: seconds `next` to `to`, in which `left` of the job's instants lie. */
export interface CatchUpCursor {
  readonly from: number
  readonly to: number
  readonly next: number
  readonly left: number
}

/** What one shard sends a second, over all its jobs. */
const CATCH_UP_PER_SECOND = 50

export interface CatchUpStep {
  readonly send: readonly DueItem[]
  /** What is left to do. A gap for itself each, because the seconds between two gaps were live and have run. */
  readonly cursors: readonly CatchUpCursor[]
  /** Each for itself, because another link may just have put a run for one of them: the first write decides. */
  readonly missed: readonly MissedInstant[]
}

/** An instant that will never run. */
export interface MissedInstant {
  readonly item: DueItem
  readonly reason: string
}

/** The cursors with those of a gap that were never among them, and how far that goes. Gaps come in the order of time. */
export function addCursors<State extends { catchUp: readonly CatchUpCursor[]; caughtUpThrough: number | null }>(
  state: State,
  cursors: readonly CatchUpCursor[],
): State | null {
  const added = cursors.filter(({ from }) => state.caughtUpThrough === null || from > state.caughtUpThrough)
  if (added.length === 0) return null
  const caughtUpThrough = added.reduce((last, { to }) => Math.max(last, to), state.caughtUpThrough ?? 0)
  return { ...state, catchUp: [...state.catchUp, ...added], caughtUpThrough }
}

/** Live instants of the job wait behind its catch-up only while this holds. */
export const isCatchingUp = (cursors: readonly CatchUpCursor[]): boolean => cursors.some(({ next, to }) => next <= to)

function startsOf(job: VersionedJob, { next, to }: CatchUpCursor): DueItem[] {
  const items: DueItem[] = []
  dueBetween(job, next, to + 1, items)
  return items.filter(({ kind }) => kind === 'start')
}

/** The next few instants of one job. A stop freezes the cursors; a delete or another policy ends them. */
export function stepCatchUp(
  job: VersionedJob,
  cursors: readonly CatchUpCursor[],
  now: number,
  budget: number,
): CatchUpStep {
  const version = versionAt(job, now)
  if (version === null || version.status === 'DELETED') return endAll(job, cursors, REASONS.deletedSince)
  if (version.misfire.policy !== 'CATCH_UP') return endAll(job, cursors, REASONS.policyChanged)
  if (!isRunningAt(job, now)) return { send: [], cursors, missed: [] }
  const windowFrom = now - version.misfire.window
  const send: DueItem[] = []
  const missed: MissedInstant[] = []
  const left: CatchUpCursor[] = []
  for (const cursor of cursors) {
    const rest = startsOf(job, cursor)
    const inside = rest.filter(({ second }) => second >= windowFrom)
    missed.push(...eachMissed(rest.slice(0, rest.length - inside.length), REASONS.outsideWindow))
    send.push(...inside.slice(0, budget - send.length))
    const later = inside.filter((item) => !send.includes(item))
    if (later.length > 0) left.push({ ...cursor, next: later[0].second, left: later.length })
  }
  return { send, cursors: left, missed }
}

const eachMissed = (items: readonly DueItem[], reason: string): MissedInstant[] =>
  items.map((item) => ({ item, reason }))

function endAll(job: VersionedJob, cursors: readonly CatchUpCursor[], reason: string): CatchUpStep {
  return { send: [], cursors: [], missed: cursors.flatMap((cursor) => eachMissed(startsOf(job, cursor), reason)) }
}

/** How many instants each of some jobs may send this second: as even as it goes, the first ones changing from second to second. */
export function shareBudget(jobs: number, second: number, budget = CATCH_UP_PER_SECOND): number[] {
  const each = Math.floor(budget / Math.max(jobs, 1))
  const extra = budget - each * jobs
  return Array.from({ length: jobs }, (_, job) => each + ((job + second) % jobs < extra ? 1 : 0))
}

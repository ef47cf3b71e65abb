// Gaps that wait to be worked off, a few jobs at a time, so that a long outage never holds up the seconds that are due.

import { type GapPlan, planGap } from './gap.ts'
import type { Snapshot } from './snapshot.ts'
import type { SecondRange } from './tick.ts'

/** A gap and how far it is done: jobs up to `afterJob`, in order of id, have been dealt with. */
export interface BacklogEntry extends SecondRange {
  /** The second of the tick that opened the gap, by which lateness and windows are judged. */
  readonly openedAt: number
  readonly afterJob: string | null
}

/**
 * Every gap is for itself, also where it follows another at once. The link that opened the first may have fired for it already,
 * and died before the next link knew of it. If both were judged again as one, what the link fired would be counted as missed.
 */
export const addGap = (backlog: readonly BacklogEntry[], gap: SecondRange, openedAt: number): BacklogEntry[] => [
  ...backlog,
  { ...gap, openedAt, afterJob: null },
]

export interface BacklogStep {
  readonly plans: readonly { readonly jobId: string; readonly plan: GapPlan }[]
  readonly backlog: readonly BacklogEntry[]
  /** Jobs whose last instants lay in the gap. One that is still being caught up is not among them. */
  readonly finishedJobs: readonly string[]
}

/** The next few jobs of the oldest gap. */
export function stepBacklog(snapshot: Snapshot, backlog: readonly BacklogEntry[], jobs: number): BacklogStep {
  const [entry, ...others] = backlog
  if (entry === undefined) return { plans: [], backlog, finishedJobs: [] }
  const next = snapshot.jobsAfter(entry.afterJob, jobs)
  const plans = next.map((job) => ({ jobId: job.id, plan: planGap(job, entry, entry.openedAt) }))
  const isDone = next.length < jobs
  const isOver = ({ plan }: (typeof plans)[number]) =>
    plan.catchUp.length === 0 && (plan.fire !== null || plan.missed.length > 0)
  const finished = plans.filter((each) => isOver(each) && snapshot.hasNothingLeft(each.jobId, entry.openedAt))
  return {
    plans,
    backlog: isDone ? others : [{ ...entry, afterJob: next[next.length - 1].id }, ...others],
    finishedJobs: finished.map(({ jobId }) => jobId),
  }
}

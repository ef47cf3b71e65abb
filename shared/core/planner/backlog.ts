// Gaps that wait to be worked off, a few jobs at a time, so that a long outage never holds up the seconds that are due.

import { type GapPlan, planGap } from './gap.ts'
import type { Snapshot } from './snapshot.ts'
import type { SecondRange } from './tick.ts'

/** A gap and how far it is done: jobs up to `afterJob`, in order of id, have been dealt with. */
export interface BacklogEntry extends SecondRange {
  readonly afterJob: string | null
}

/** A gap right behind one that nobody has begun with makes it longer: a job that fires once then fires once for both. */
export function addGap(backlog: readonly BacklogEntry[], gap: SecondRange): BacklogEntry[] {
  const last = backlog.at(-1)
  const isNeighbour = last !== undefined && last.afterJob === null && last.to === gap.from - 1
  if (isNeighbour) return [...backlog.slice(0, -1), { from: last.from, to: gap.to, afterJob: null }]
  return [...backlog, { ...gap, afterJob: null }]
}

export interface BacklogStep {
  readonly plans: readonly { readonly jobId: string; readonly plan: GapPlan }[]
  readonly backlog: readonly BacklogEntry[]
}

/** The next few jobs of the oldest gap. */
export function stepBacklog(
  snapshot: Snapshot,
  backlog: readonly BacklogEntry[],
  now: number,
  jobs: number,
): BacklogStep {
  const [entry, ...others] = backlog
  if (entry === undefined) return { plans: [], backlog }
  const next = snapshot.jobsAfter(entry.afterJob, jobs)
  const plans = next.map((job) => ({ jobId: job.id, plan: planGap(job, entry, now) }))
  const isDone = next.length < jobs
  return { plans, backlog: isDone ? others : [{ ...entry, afterJob: next[next.length - 1].id }, ...others] }
}

// I1: every instant that was due, that of a stop too, has exactly one record, and it has ended.

import type { Violation } from '../history.ts'
import {
  type EventOf,
  eventsOf,
  isUnsure,
  type JobView,
  missedKindOf,
  recordIdOf,
  TERMINAL,
  type View,
} from './view.ts'

export function noLostRun(view: View): Violation[] {
  const missed = Map.groupBy(view.missed, ({ jobId }) => jobId)
  const frozen = new Map(eventsOf(view.history, 'cursors').map(({ jobId, left }) => [jobId, left]))
  return [...view.jobs.values()].flatMap((job) =>
    lostOf(view, job, missed.get(job.jobId) ?? [], frozen.get(job.jobId) ?? []),
  )
}

function lostOf(
  { records }: View,
  job: JobView,
  missed: readonly EventOf<'missed'>[],
  frozen: readonly (readonly number[])[],
): Violation[] {
  return job.due.flatMap((due) => {
    const { second } = due
    const runId = recordIdOf(job.jobId, due)
    const isEnded = records.get(runId)?.some(({ entry }) => TERMINAL.has(entry.status)) === true
    const isCounted = missed.some(({ of, from, to }) => of === missedKindOf(due) && from <= second && second <= to)
    // A stop freezes what is left to be caught up: it is neither run nor missed until the job runs again.
    const isFrozen = frozen.some(([from, to]) => from <= second && second <= to)
    if (isEnded || isCounted || isFrozen || isUnsure(job, second)) return []
    const [found] = records.get(runId) ?? []
    const what = found === undefined ? 'has no record' : `never ended: it is ${found.entry.status}`
    return [{ invariant: 'I1', what: `${runId} was due and ${what}`, runId }]
  })
}

// I3: nothing runs that was not due by the definition in force at its instant.

import type { Violation } from '../history.ts'
import { eventsOf, isScheduled, isUnsure, nameOf, type View } from './view.ts'

/** These say that it did not run: an executor found that an edit had taken the instant away. */
const DID_NOT_RUN: ReadonlySet<string> = new Set(['SKIPPED', 'CANCELLED', 'MISSED', 'EXPIRED'])

export function noPhantom(view: View): Violation[] {
  const started = new Set(eventsOf(view.history, 'start').map(({ runId }) => runId))
  const dueSeconds = new Map(
    [...view.jobs.values()].map(({ jobId, due }) => [
      jobId,
      {
        runs: new Set(due.filter(({ kind }) => kind !== 'stop').map(({ second }) => second)),
        stops: new Set(due.filter(({ kind }) => kind === 'stop').map(({ second }) => second)),
      },
    ]),
  )
  const ran = [...view.records].filter(
    ([runId, places]) => started.has(runId) || places.some(({ entry }) => !DID_NOT_RUN.has(entry.status)),
  )
  return ran.flatMap(([runId]) => {
    const { jobId, second, suffix, isStop } = nameOf(runId)
    if (suffix !== '') return []
    const job = view.jobs.get(jobId)
    const seconds = dueSeconds.get(jobId)
    const isDue = (isStop ? seconds?.stops : seconds?.runs)?.has(second) === true
    if (isDue || (job !== undefined && isUnsure(job, second))) return []
    const what = started.has(runId) && isScheduled(runId) ? 'started' : 'has a record'
    return [{ invariant: 'I3', what: `${runId} ${what} and was not due`, runId }]
  })
}

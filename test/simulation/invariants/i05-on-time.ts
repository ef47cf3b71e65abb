// I5: no run starts before its instant, and in good weather those that nothing else holds up start within two seconds of it.

import type { Violation } from '../history.ts'
import { eventsOf, isScheduled, isUnsure, nameOf, policyAt, runIdOf, runsOf, type View } from './view.ts'

/** No clock is ahead of the store's by more. */
const SKEW_MS = 1000
const ON_TIME_MS = 2000
/** How long a chain takes to begin, and how long all may take to be well again after a storm. */
const BEGINS_WITHIN_MS = 15_000
const WELL_AFTER_MS = 120_000

export function onTime(view: View): Violation[] {
  return [...tooEarly(view), ...tooLate(view)]
}

function tooEarly({ history }: View): Violation[] {
  return eventsOf(history, 'start').flatMap(({ runId, ms }) => {
    const earlyMs = nameOf(runId).second * 1000 - ms
    if (!isScheduled(runId) || earlyMs <= SKEW_MS) return []
    return [{ invariant: 'I5', what: `${runId} started ${earlyMs} ms early`, runId }]
  })
}

function tooLate(view: View): Violation[] {
  const { history } = view
  const beganMs = history.events[0]?.ms ?? 0
  const clear = [
    { fromMs: beganMs + BEGINS_WITHIN_MS, toMs: view.phaseMs('storm') - ON_TIME_MS },
    { fromMs: view.phaseMs('calm') + WELL_AFTER_MS, toMs: view.phaseMs('drain') - ON_TIME_MS },
  ]
  const firstStart = new Map<string, number>()
  for (const { runId, ms } of eventsOf(history, 'start')) if (!firstStart.has(runId)) firstStart.set(runId, ms)
  return [...view.jobs.values()].flatMap((job) =>
    runsOf(job).flatMap(({ second, version, kind }) => {
      const isClear = clear.some(({ fromMs, toMs }) => second * 1000 >= fromMs && second * 1000 <= toMs)
      const isFree = kind === 'start' && policyAt(job, version)?.isFree === true
      if (!isClear || !isFree || isUnsure(job, second)) return []
      const runId = runIdOf(job.jobId, second)
      const startMs = firstStart.get(runId)
      const lateMs = (startMs ?? Number.POSITIVE_INFINITY) - second * 1000
      return lateMs <= ON_TIME_MS
        ? []
        : [{ invariant: 'I5', what: `${runId} started ${lateMs} ms late in good weather`, runId }]
    }),
  )
}

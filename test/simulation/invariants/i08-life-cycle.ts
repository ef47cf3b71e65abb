// I8: a run goes through its states as they are drawn, an end is an end, and in the end nothing is left alive.

import type { Holder } from '../../../shared/core/gate/state.ts'
import type { Violation } from '../history.ts'
import { eventsOf, isUnsure, nameOf, TERMINAL, type View } from './view.ts'

/** Written down again from the drawing, not taken from the code. */
const NEXT: Readonly<Record<string, string>> = {
  nothing: 'RUNNING QUEUED MISSED CANCELLED FAILED SKIPPED',
  QUEUED: 'RUNNING CANCELLED FAILED SKIPPED MISSED',
  WAITING: 'RUNNING CANCELLED FAILED',
  RUNNING: 'RUNNING QUEUED WAITING SUCCEEDED FAILED TIMED_OUT CANCELLED LOST DISCARDED SKIPPED EXPIRED MISSED',
}

export function livesAreLegal(view: View): Violation[] {
  return [...illegalSteps(view), ...fewerAttempts(view), ...leftAlive(view), ...leftOpen(view), ...leftInLocks(view)]
}

function illegalSteps({ history }: View): Violation[] {
  return eventsOf(history, 'entry').flatMap(({ runId, from, to }) => {
    const before = from?.status ?? 'nothing'
    const isLegal = (NEXT[before] ?? '').split(' ').includes(to.status)
    return isLegal ? [] : [{ invariant: 'I8', what: `${runId} went from ${before} to ${to.status}`, runId }]
  })
}

function fewerAttempts({ history }: View): Violation[] {
  return eventsOf(history, 'entry').flatMap(({ runId, from, to }) =>
    from !== null && to.attempt < from.attempt
      ? [{ invariant: 'I8', what: `${runId} went back from attempt ${from.attempt} to ${to.attempt}`, runId }]
      : [],
  )
}

/** No executor needs to come back to anything. */
function leftOpen({ history }: View): Violation[] {
  const open = new Set<string>()
  for (const { what, runId, dueMs, attempt } of eventsOf(history, 'open')) {
    const name = `${runId} ${dueMs} ${attempt}`
    if (what === 'put') open.add(name)
    else open.delete(name)
  }
  return [...open].map((name) => {
    const [runId] = name.split(' ')
    return { invariant: 'I8', what: `${runId} is still in the list of open runs`, runId }
  })
}

/** Neither has a run the lock of its job, nor does it stand in line, once it has ended. */
function leftInLocks({ history, records, endMs }: View): Violation[] {
  const locks = new Map(eventsOf(history, 'lock').map((event) => [event.jobId, event]))
  const wipes = eventsOf(history, 'queue').filter(({ what }) => what === 'purged')
  const hasEnded = ({ runId }: { readonly runId: string }) =>
    records.get(runId)?.some(({ entry }) => TERMINAL.has(entry.status)) === true
  return [...locks.values()].flatMap(({ to: { holders, waiting }, ms }) => {
    // An executor that could not give the lock on leaves that to its message. Where that was wiped, the lock is free from its deadline on.
    const isFree = ({ runId, deadline }: Holder) =>
      deadline * 1000 <= endMs && wipes.some((wipe) => wipe.ms >= ms && wipe.runs?.includes(runId) === true)
    return [
      ...holders
        .filter((holder) => hasEnded(holder) && !isFree(holder))
        .map(({ runId }) => ({ invariant: 'I8', what: `${runId} has ended and keeps its lock`, runId })),
      ...waiting
        .filter(hasEnded)
        .map(({ runId }) => ({ invariant: 'I8', what: `${runId} has ended and still waits in line`, runId })),
    ]
  })
}

/** The audit keeps no account of what an edit made doubtful, so one whose executor died then stays as it is. */
function leftAlive({ records, jobs }: View): Violation[] {
  const isInDoubt = (runId: string) => {
    const { jobId, second } = nameOf(runId)
    const job = jobs.get(jobId)
    return job !== undefined && isUnsure(job, second)
  }
  return [...records].flatMap(([runId, places]) =>
    places.flatMap(({ entry }) =>
      TERMINAL.has(entry.status) || isInDoubt(runId)
        ? []
        : [{ invariant: 'I8', what: `${runId} is ${entry.status} in the end`, runId }],
    ),
  )
}

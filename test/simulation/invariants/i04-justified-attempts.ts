// I4: an attempt starts at most once, and another follows only where the one before failed, timed out or was lost with the executor that had
// it. A claim that was used up without a start needs a reason, too, and so does a failure that no executor had a part in.

import type { History, Violation } from '../history.ts'
import { type EventOf, eventsOf, type JobView, nameOf, type View } from './view.ts'

export function attemptsAreJustified(view: View): Violation[] {
  return [...startedTwice(view), ...unjustified(view), ...tooMany(view), ...tooSoon(view), ...failedUnsent(view)]
}

function startedTwice({ history }: View): Violation[] {
  return [...Map.groupBy(eventsOf(history, 'start'), ({ runId, attempt }) => `${runId} ${attempt}`)].flatMap(
    ([name, starts]) =>
      starts.length <= 1
        ? []
        : [
            {
              invariant: 'I4',
              what: `${name.replace(' ', ' attempt ')} started ${starts.length} times`,
              runId: starts[0].runId,
            },
          ],
  )
}

/** A claim that others took over, or that was given up as lost, while the executor that had it was well. */
function unjustified({ history }: View): Violation[] {
  const faults = faultsByProcess(history)
  const claims = new Map<string, EventOf<'entry'>>()
  return eventsOf(history, 'entry').flatMap((event) => {
    const { runId, from, to } = event
    const claim = from?.status === 'RUNNING' ? claims.get(`${runId} ${from.token}`) : undefined
    if (to.status === 'RUNNING' && !claims.has(`${runId} ${to.token}`)) claims.set(`${runId} ${to.token}`, event)
    const isTakenOver = from?.status === 'RUNNING' && to.status === 'RUNNING' && from.token !== to.token
    if (!isTakenOver && to.status !== 'LOST') return []
    if (claim === undefined) return []
    const hadTrouble = (faults.get(claim.proc) ?? []).some((ms) => ms >= claim.ms - BEFORE_CLAIM_MS && ms <= event.ms)
    if (hadTrouble) return []
    const what = to.status === 'LOST' ? 'was given up as lost' : 'was taken over'
    return [{ invariant: 'I4', what: `${runId} ${what}, though ${claim.proc} who had it met with no trouble`, runId }]
  })
}

/** A call that is struck may have begun before the claim was written. */
const BEFORE_CLAIM_MS = 50_000

function faultsByProcess(history: History): Map<string, number[]> {
  const faults = new Map<string, number[]>()
  for (const { proc, ms } of eventsOf(history, 'fault')) faults.set(proc, [...(faults.get(proc) ?? []), ms])
  // A process may also die because its time was over.
  for (const { proc, ms, how } of eventsOf(history, 'end'))
    if (how === 'died') faults.set(proc, [...(faults.get(proc) ?? []), ms])
  return faults
}

function tooMany({ history, jobs }: View): Violation[] {
  return eventsOf(history, 'start').flatMap(({ runId, attempt }) => {
    const job = jobs.get(nameOf(runId).jobId)
    if (job === undefined || attempt <= 1 + mostRetries(job)) return []
    return [{ invariant: 'I4', what: `${runId} started attempt ${attempt}, and its job never allowed so many`, runId }]
  })
}

/** No clock is further ahead of the store's. */
const SKEW_MS = 1000
/** A message comes back to another attempt so long after the time at which it may start. */
const COMES_BACK_AFTER_MS = 20_000

/**
 * Another attempt waits for the time that was written down for it when the one before failed. That is what its executor put into the list; a
 * ticker that comes back to the item meanwhile moves it on, and says nothing about the backoff with that.
 */
function tooSoon({ history }: View): Violation[] {
  const listedMs = new Map<string, number>()
  const notBeforeMs = new Map<string, number>()
  return history.events.flatMap((event): Violation[] => {
    if (event.op === 'open' && event.what === 'put')
      listedMs.set(`${event.proc} ${event.runId} ${event.attempt}`, event.dueMs)
    if (event.op === 'entry' && event.from?.status === 'RUNNING' && event.to.status === 'QUEUED') {
      const name = `${event.runId} ${event.to.attempt}`
      const dueMs = listedMs.get(`${event.proc} ${name}`)
      if (event.to.attempt > event.from.attempt && dueMs !== undefined)
        notBeforeMs.set(name, dueMs - COMES_BACK_AFTER_MS)
    }
    if (event.op !== 'start') return []
    const { runId, attempt, ms } = event
    const earlyMs = (notBeforeMs.get(`${runId} ${attempt}`) ?? 0) - ms
    return earlyMs <= SKEW_MS
      ? []
      : [{ invariant: 'I4', what: `${runId} was tried again ${earlyMs} ms too soon`, runId }]
  })
}

/** A claim that is past its deadline counts as dead so much later. */
const DEAD_AFTER_MS = 5000

/** Tickers and watchdogs fail only runs that a queue refused all by themselves, never for the company that they came in, and none that an executor has. */
function failedUnsent({ history }: View): Violation[] {
  const refused = new Set<string>()
  return history.events.flatMap((event): Violation[] => {
    if (event.op === 'refused' && event.runs.length === 1) refused.add(event.runs[0])
    if (event.op !== 'entry' || event.to.status !== 'FAILED' || !/^(tick|watch)/.test(event.proc)) return []
    const { runId, proc, from, ms } = event
    const say = (what: string) => [{ invariant: 'I4', what: `${runId} was failed by ${proc}, and ${what}`, runId }]
    if (!refused.has(runId)) return say('no queue refused it')
    const isHad = from?.status === 'RUNNING' && ms < from.deadlineSecond * 1000 + DEAD_AFTER_MS - SKEW_MS
    return isHad ? say('an executor had it') : []
  })
}

const mostRetries = ({ versions }: JobView): number => Math.max(...versions.map(({ policy }) => policy.retries))

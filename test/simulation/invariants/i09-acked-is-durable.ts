// I9: what a client was told stands, once, and does not reach back; a run by hand that was promised is there, and the same request
// is the same run.

import type { Violation } from '../history.ts'
import { type EventOf, eventsOf, nameOf, type View } from './view.ts'

export function ackedIsDurable(view: View): Violation[] {
  return [
    ...versionsStand(view),
    ...notRetroactive(view),
    ...triggersStand(view),
    ...sameKeySameRun(view),
    ...stoppedMeansStopped(view),
    ...cancelledForAStop(view),
  ]
}

function versionsStand({ history }: View): Violation[] {
  const commits = Map.groupBy(eventsOf(history, 'version'), ({ jobId, is }) => `${jobId}.${is.version}`)
  const twice = [...commits].flatMap(([name, all]) =>
    all.length <= 1 ? [] : [{ invariant: 'I9', what: `version ${name} was committed ${all.length} times` }],
  )
  const lost = eventsOf(history, 'ask').flatMap(({ kind, what, jobId, version }) =>
    kind !== 'ok' || what === 'trigger' || commits.has(`${jobId}.${version}`)
      ? []
      : [{ invariant: 'I9', what: `the ${what} of job ${jobId} was acknowledged and is not there` }],
  )
  return [...twice, ...lost]
}

/** In force two seconds after the store's time at the earliest: what was due before it was asked for is as it was. */
function notRetroactive({ history }: View): Violation[] {
  const asked = new Map(
    eventsOf(history, 'ask').flatMap(({ proc, kind, ms }) => (kind === 'invoke' ? [[proc, ms] as const] : [])),
  )
  return eventsOf(history, 'version').flatMap(({ proc, jobId, is }) => {
    const askedMs = asked.get(proc)
    const isBefore = askedMs !== undefined && is.activeFrom * 1000 < askedMs
    return isBefore
      ? [{ invariant: 'I9', what: `version ${is.version} of ${jobId} is in force since before it was asked for` }]
      : []
  })
}

/** The second before which a cancelling stop lets nothing start any more. One that only prolongs another has no second of its own. */
function cancelledBefore({ is }: EventOf<'version'>, last: Cancelling | undefined): Cancelling {
  const isProlonged = last !== undefined && (last.until === undefined || last.until > is.activeFrom)
  return { before: isProlonged ? last.before : is.activeFrom, until: is.until }
}

interface Cancelling {
  readonly before: number
  readonly until: number | undefined
}

/** Where a stop says that what is queued is not to start, nothing that was due before it and is claimed after it starts. */
function stoppedMeansStopped({ history }: View): Violation[] {
  const stops = new Map<string, Cancelling>()
  const isCancelled = (runId: string) => {
    const { jobId, second } = nameOf(runId)
    return second < (stops.get(jobId)?.before ?? 0)
  }
  const claims = new Map<string, { readonly proc: string; readonly isLate: boolean }>()
  return history.events.flatMap((event): Violation[] => {
    if (event.op === 'version') {
      const isCancelling = event.is.status === 'STOPPED' && event.policy.cancelsQueued
      if (isCancelling) stops.set(event.jobId, cancelledBefore(event, stops.get(event.jobId)))
      else stops.delete(event.jobId)
    }
    if (event.op === 'entry' && event.to.status === 'RUNNING' && event.from?.status !== 'RUNNING') {
      claims.set(event.runId, { proc: event.proc, isLate: isCancelled(event.runId) })
    }
    if (event.op !== 'start' || BY_HAND.has(event.trigger)) return []
    const claim = claims.get(event.runId)
    // Another stop in between may have let what is queued go on.
    const isStill = isCancelled(event.runId)
    return claim?.isLate === true && claim.proc === event.proc && isStill
      ? [
          {
            invariant: 'I9',
            what: `${event.runId} started after a stop that cancels what is queued`,
            runId: event.runId,
          },
        ]
      : []
  })
}

/** The words with which a run is cancelled because its job was stopped. */
const STOPPED = 'its job was stopped'

/** Such a stop reaches back from its second, and not forward: what is due after its end starts again. */
function cancelledForAStop({ history }: View): Violation[] {
  const stops = eventsOf(history, 'version').filter(({ is, policy }) => is.status === 'STOPPED' && policy.cancelsQueued)
  return eventsOf(history, 'entry').flatMap(({ runId, to, reason = '', seq }) => {
    if (to.status !== 'CANCELLED' || !reason.startsWith(STOPPED)) return []
    const { jobId, second } = nameOf(runId)
    const isMeant = stops.some((stop) => stop.jobId === jobId && stop.seq < seq && second < stop.is.activeFrom)
    return isMeant ? [] : [{ invariant: 'I9', what: `${runId} was cancelled for a stop that is over`, runId }]
  })
}

const BY_HAND: ReadonlySet<string> = new Set(['MANUAL', 'DEPENDENCY'])

function sameKeySameRun({ history }: View): Violation[] {
  const told = eventsOf(history, 'ask').filter(({ kind, key }) => kind === 'ok' && key !== undefined)
  return [...Map.groupBy(told, ({ jobId, key }) => `${jobId} ${key}`)].flatMap(([name, asks]) => {
    const runs = new Set(asks.map(({ runId }) => runId))
    return runs.size <= 1
      ? []
      : [{ invariant: 'I9', what: `one request by hand, ${name}, became ${[...runs].join(' and ')}` }]
  })
}

function triggersStand({ history, records }: View): Violation[] {
  return eventsOf(history, 'ask').flatMap(({ kind, what, runId }) =>
    kind === 'ok' && what === 'trigger' && runId !== undefined && !records.has(runId)
      ? [{ invariant: 'I9', what: `the run ${runId} was promised and is not there`, runId }]
      : [],
  )
}

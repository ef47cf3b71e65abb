// I9: what a client was told stands, once, and does not reach back; a run by hand that was promised is there, and the same request
// is the same run.

import type { Violation } from '../history.ts'
import { eventsOf, nameOf, type View } from './view.ts'

export function ackedIsDurable(view: View): Violation[] {
  return [
    ...versionsStand(view),
    ...notRetroactive(view),
    ...triggersStand(view),
    ...sameKeySameRun(view),
    ...stoppedMeansStopped(view),
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

/** Where a stop says that what is queued is not to start, nothing that is claimed after it starts. */
function stoppedMeansStopped({ history }: View): Violation[] {
  const cancelling = new Set<string>()
  const claims = new Map<string, { readonly proc: string; readonly isLate: boolean }>()
  return history.events.flatMap((event): Violation[] => {
    if (event.op === 'version') {
      const isCancelling = event.is.status === 'STOPPED' && event.policy.cancelsQueued
      if (isCancelling) cancelling.add(event.jobId)
      else cancelling.delete(event.jobId)
    }
    if (event.op === 'entry' && event.to.status === 'RUNNING' && event.from?.status !== 'RUNNING') {
      claims.set(event.runId, { proc: event.proc, isLate: cancelling.has(nameOf(event.runId).jobId) })
    }
    if (event.op !== 'start' || BY_HAND.has(event.trigger)) return []
    const claim = claims.get(event.runId)
    // Another stop in between may have let what is queued go on.
    const isStill = cancelling.has(nameOf(event.runId).jobId)
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

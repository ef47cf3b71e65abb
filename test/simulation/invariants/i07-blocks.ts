// I7: runs of a job meet only as its block strategy allows, whichever executors have them. A run that is given the lock has waited
// longest.

import type { History, Violation } from '../history.ts'
import { type EventOf, eventsOf, type JobView, nameOf, TERMINAL, type View } from './view.ts'

/** A run that was covered, stopped or cancelled hears of it within two seconds, and of its end a little later. */
const TOLD_WITHIN_MS = 3500

interface Span {
  readonly runId: string
  readonly proc: string
  readonly fromMs: number
  readonly toMs: number
  /** It was told to stop so soon that it counts as one which was covered before it began. */
  readonly isBrief: boolean
}

export function blocksAreKept(view: View): Violation[] {
  return [...overlaps(view), ...discards(view), ...promotions(view)]
}

function spansOf({ history, endMs }: View): Span[] {
  const ended = new Map(eventsOf(history, 'end').map((end) => [`${end.runId} ${end.attempt} ${end.proc}`, end]))
  // Once its entry says that it has ended, what its handler does is of no account.
  const settled = new Map<string, number>()
  for (const { runId, to, ms } of eventsOf(history, 'entry'))
    if (TERMINAL.has(to.status) && !settled.has(runId)) settled.set(runId, ms)
  return eventsOf(history, 'start').map(({ runId, attempt, proc, ms }) => {
    const end = ended.get(`${runId} ${attempt} ${proc}`)
    const toMs = Math.min(end?.ms ?? endMs, settled.get(runId) ?? endMs)
    return { runId, proc, fromMs: ms, toMs, isBrief: end?.how === 'told' && end.ms - ms <= TOLD_WITHIN_MS }
  })
}

/** How many may run at once by every version that the job had around a time. */
function mostAtOnce({ versions }: JobView, ms: number): number {
  const second = ms / 1000
  const near = versions.filter(({ is }, place) => {
    const to = versions[place + 1]?.is.activeFrom ?? Number.POSITIVE_INFINITY
    // The definition that a run was claimed with may be older than the one in force.
    return is.activeFrom <= second + 5 && to + 120 >= second
  })
  const most = near.map(({ policy: { block } }) => (block.strategy === 'CONCURRENT' ? block.max : 1))
  return Math.max(1, ...most)
}

function overlaps(view: View): Violation[] {
  const troubled = troubledProcesses(view.history)
  const byJob = Map.groupBy(spansOf(view), ({ runId }) => nameOf(runId).jobId)
  return [...byJob].flatMap(([jobId, spans]) => {
    const job = view.jobs.get(jobId)
    if (job === undefined) return []
    const mayOverlap = job.versions.some(({ policy }) => policy.block.strategy === 'COVER') || hasStops(job)
    const graceMs = mayOverlap ? TOLD_WITHIN_MS : 0
    const sorted = spans.toSorted((a, b) => a.fromMs - b.fromMs)
    return sorted.flatMap((span, place) => {
      const others = sorted
        .slice(0, place)
        .filter((each) => each.toMs - graceMs > span.fromMs && each.runId !== span.runId)
      const most = mostAtOnce(job, span.fromMs)
      // One that was frozen or whose store calls failed cannot be fenced between its last look and its start.
      const well = others.filter(({ proc, fromMs }) => !troubled(proc, fromMs, span.fromMs))
      if ((mayOverlap && span.isBrief) || well.length < most || troubled(span.proc, span.fromMs - 60_000, span.fromMs))
        return []
      const names = well.map(({ runId }) => runId).join(', ')
      return [
        {
          invariant: 'I7',
          what: `${span.runId} started while ${names} ran, and ${most} may run at once`,
          runId: span.runId,
        },
      ]
    })
  })
}

const hasStops = ({ versions }: JobView): boolean =>
  versions.some(({ is }) => is.schedules.some(({ kind }) => kind === 'stop' || kind === 'restart'))

/** Whether a process met with trouble in a time. */
function troubledProcesses(history: History): (proc: string, fromMs: number, toMs: number) => boolean {
  const faults = Map.groupBy(eventsOf(history, 'fault'), ({ proc }) => proc)
  return (proc, fromMs, toMs) => (faults.get(proc) ?? []).some(({ ms }) => ms >= fromMs - 60_000 && ms <= toMs)
}

/** A run is discarded only because another of its job was there. */
function discards({ history }: View): Violation[] {
  const live = new Map<string, Set<string>>()
  return history.events.flatMap((event): Violation[] => {
    if (event.op !== 'entry' || nameOf(event.runId).isStop) return []
    const { jobId } = nameOf(event.runId)
    const ofJob = live.get(jobId) ?? new Set<string>()
    live.set(jobId, ofJob)
    if (!TERMINAL.has(event.to.status)) ofJob.add(event.runId)
    else ofJob.delete(event.runId)
    if (event.to.status !== 'DISCARDED') return []
    return ofJob.size > 0 || hadLock(history, jobId, event.seq)
      ? []
      : [
          {
            invariant: 'I7',
            what: `${event.runId} was discarded, and no other run of its job was there`,
            runId: event.runId,
          },
        ]
  })
}

/** One that has ended may have the lock for a moment longer. */
function hadLock(history: History, jobId: string, beforeSeq: number): boolean {
  const last = history.events.findLast(
    (event): event is EventOf<'lock'> => event.seq < beforeSeq && event.op === 'lock' && event.jobId === jobId,
  )
  return (last?.to.holders.length ?? 0) > 0 || (last?.from.holders.length ?? 0) > 0
}

/** A run that is given the lock without having asked for it is the oldest of those who waited. */
function promotions({ history }: View): Violation[] {
  return eventsOf(history, 'lock').flatMap(({ from, to, jobId }) => {
    const given = to.holders.filter(
      ({ runId, sentAt }) =>
        sentAt !== null &&
        from.waiting.some((each) => each.runId === runId) &&
        !from.holders.some((each) => each.runId === runId),
    )
    return given.flatMap(({ runId }) => {
      const waiter = from.waiting.find((each) => each.runId === runId)
      const older = from.waiting.filter(
        (each) =>
          each.orderedBy < (waiter?.orderedBy ?? 0) &&
          each.trigger !== 'SCHEDULE' &&
          to.waiting.some((left) => left.runId === each.runId),
      )
      const sameKind = from.waiting.filter(
        (each) =>
          each.trigger === waiter?.trigger &&
          each.orderedBy < waiter.orderedBy &&
          to.waiting.some((left) => left.runId === each.runId),
      )
      return older.length + sameKind.length === 0
        ? []
        : [{ invariant: 'I7', what: `job ${jobId} gave the lock to ${runId}, and older runs waited`, runId }]
    })
  })
}

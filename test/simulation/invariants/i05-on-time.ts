// I5: no run starts before its instant, and in good weather those that nothing else holds up start within two seconds of it.

import type { Violation } from '../history.ts'
import { type EventOf, eventsOf, isScheduled, isUnsure, nameOf, policyAt, runIdOf, runsOf, type View } from './view.ts'

/** No clock is ahead of the store's by more. */
const SKEW_MS = 1000
const ON_TIME_MS = 2000
/** How long a chain takes to begin, and how long all may take to be well again after a storm. */
const BEGINS_WITHIN_MS = 15_000
const WELL_AFTER_MS = 120_000

export function onTime(view: View): Violation[] {
  return [...tooEarly(view), ...tooLate(view), ...deadTooLong(view)]
}

function tooEarly({ history }: View): Violation[] {
  return eventsOf(history, 'start').flatMap(({ runId, ms }) => {
    const earlyMs = nameOf(runId).second * 1000 - ms
    if (!isScheduled(runId) || earlyMs <= SKEW_MS) return []
    return [{ invariant: 'I5', what: `${runId} started ${earlyMs} ms early`, runId }]
  })
}

/** A chain that one fault has ended is back within this; where more went wrong the minute rule is the one to come. */
const BACK_WITHIN_MS = 12_000

function deadTooLong({ history }: View): Violation[] {
  const faults = eventsOf(history, 'fault').filter(({ proc }) => !/^(execute|client)/.test(proc))
  const shards = Map.groupBy(eventsOf(history, 'shard'), ({ shard }) => shard)
  return [...shards].flatMap(([shard, moves]) =>
    standstills(moves).flatMap(({ fromMs, toMs }) => {
      const near = faults.filter(({ ms }) => ms >= fromMs - 10_000 && ms <= toMs)
      const what = `shard ${shard} stood still for ${toMs - fromMs} ms, and not more than one thing went wrong`
      return near.length > 1 ? [] : [{ invariant: 'I5, restart', what }]
    }),
  )
}

/** Between two fences of a chain that did not sleep meanwhile. */
function standstills(moves: readonly EventOf<'shard'>[]): { fromMs: number; toMs: number }[] {
  const found: { fromMs: number; toMs: number }[] = []
  let fencedMs: number | null = null
  for (const { what, ms } of moves) {
    if (what === 'sleep') fencedMs = null
    if (what !== 'fence') continue
    if (fencedMs !== null && ms - fencedMs > BACK_WITHIN_MS) found.push({ fromMs: fencedMs, toMs: ms })
    fencedMs = ms
  }
  return found
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

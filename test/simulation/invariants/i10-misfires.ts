// I10: what was not opened in time is dealt with as its job says, every instant of it is counted, and what is caught up comes at a
// bounded rate.

import type { Violation } from '../history.ts'
import { type EventOf, eventsOf, isUnsure, type JobView, nameOf, policyAt, runIdOf, runsOf, type View } from './view.ts'

/** What a shard may send of old instants in a second; links overlap a little. */
const CATCH_UP_A_SECOND = 50
const WINDOW_SECONDS = 10

export function misfiresObey(view: View): Violation[] {
  return [...miscounted(view), ...wrongPolicy(view), ...tooFast(view), ...tooLateToStart(view), ...notFrozen(view)]
}

/** A record of missed instants counts exactly what was due between its ends. */
function miscounted({ missed, jobs }: View): Violation[] {
  return missed.flatMap(({ jobId, of, from, to, count }) => {
    const job = jobs.get(jobId)
    const due = (job?.due ?? []).filter(
      ({ second, kind }) => second >= from && second <= to && (kind === 'start') === (of === 'starts'),
    )
    const isInDoubt = job !== undefined && due.some(({ second }) => isUnsure(job, second))
    return due.length === count || isInDoubt
      ? []
      : [
          {
            invariant: 'I10',
            what: `${count} ${of} of ${jobId} are counted as missed from ${from} to ${to}, and ${due.length} were due`,
          },
        ]
  })
}

/** The seconds that each shard opened too late, as stretches. */
function gapsOf(view: View): Map<number, { from: number; to: number }[]> {
  const gaps = new Map<number, { from: number; to: number }[]>()
  for (const { shard, what, from, to } of eventsOf(view.history, 'shard')) {
    if (what !== 'fence' || from === null || to.fence === from.fence) continue
    const firstLive = Math.min(...[...to.depths.keys()].filter((second) => second > from.fence))
    if (firstLive <= from.fence + 1) continue
    const list = gaps.get(shard) ?? []
    const last = list.at(-1)
    if (last !== undefined && last.to === from.fence) last.to = firstLive - 1
    else list.push({ from: from.fence + 1, to: firstLive - 1 })
    gaps.set(shard, list)
  }
  return gaps
}

function wrongPolicy(view: View): Violation[] {
  const gaps = gapsOf(view)
  return [...view.jobs.values()].flatMap((job) => (gaps.get(job.shard) ?? []).flatMap((gap) => wrongIn(view, job, gap)))
}

function wrongIn({ records }: View, job: JobView, { from, to }: { from: number; to: number }): Violation[] {
  const due = runsOf(job).filter(({ second }) => second >= from && second <= to)
  return due.flatMap(({ second, version, kind }) => {
    const runId = runIdOf(job.jobId, second)
    const policy = policyAt(job, version)?.misfire.policy
    const [record] = records.get(runId) ?? []
    if (record === undefined || isUnsure(job, second)) return []
    if (record.place === 'page')
      return [{ invariant: 'I10', what: `${runId} lies in a gap and has an entry on a page`, runId }]
    const mayRun = kind === 'start' && policy !== 'DO_NOTHING'
    return mayRun
      ? []
      : [{ invariant: 'I10', what: `${runId} lies in a gap and ran, against the rule of its job`, runId }]
  })
}

/** Ten seconds by clocks that differ by one, and the time from the decision to the start. */
const LATEST_START_MS = 17_000

/** A job that does nothing about missed instants starts none that late. One that was frozen on its way cannot know. */
function tooLateToStart({ history, jobs }: View): Violation[] {
  const frozen = Map.groupBy(
    eventsOf(history, 'fault').filter(({ fault }) => fault === 'pause'),
    ({ proc }) => proc,
  )
  return eventsOf(history, 'start').flatMap(({ runId, attempt, ms, proc, trigger }) => {
    const { jobId, second } = nameOf(runId)
    const lateMs = ms - second * 1000
    if (trigger !== 'SCHEDULE' || attempt > 1 || lateMs <= LATEST_START_MS || frozen.has(proc)) return []
    const job = jobs.get(jobId)
    const version = job?.due.find((due) => due.second === second)?.version
    const policies = (job?.versions ?? [])
      .filter(({ is }) => is.version >= (version ?? 0))
      .map(({ policy }) => policy.misfire.policy)
    const isForbidden = policies.length > 0 && policies.every((policy) => policy === 'DO_NOTHING')
    return isForbidden
      ? [{ invariant: 'I10', what: `${runId} started ${lateMs} ms late, and its job does nothing so late`, runId }]
      : []
  })
}

/** A stop freezes what is left to be caught up. */
function notFrozen({ history, jobs }: View): Violation[] {
  const triggers = new Map(eventsOf(history, 'start').map(({ runId, trigger }) => [runId, trigger]))
  return eventsOf(history, 'entry').flatMap(({ runId, from, place, ms }) => {
    if (from !== null || place !== 'item' || triggers.get(runId) !== 'CATCH_UP') return []
    const versions = jobs.get(nameOf(runId).jobId)?.versions ?? []
    const isStopped = (second: number) => {
      const version = versions.findLast(({ is }) => is.activeFrom <= second)?.is
      return version?.status === 'STOPPED' && (version.until ?? second + 1) > second
    }
    const second = Math.floor(ms / 1000)
    const near = Array.from({ length: STOP_IS_SEEN_SECONDS + START_IS_SEEN_SECONDS + 1 }, (_, away) => second + away)
    const wasStopped = near.every((each) => isStopped(each - STOP_IS_SEEN_SECONDS))
    return wasStopped ? [{ invariant: 'I10', what: `${runId} was caught up while its job was stopped`, runId }] : []
  })
}

/** A link that began before a stop came into force may end after it. */
const STOP_IS_SEEN_SECONDS = 20
/** A link works a second ahead, by a clock that may be another ahead. */
const START_IS_SEEN_SECONDS = 3

function tooFast({ history, jobs }: View): Violation[] {
  const triggers = new Map(eventsOf(history, 'start').map(({ runId, trigger }) => [runId, trigger]))
  const caughtUp = eventsOf(history, 'entry').filter(
    ({ from, place, runId }) => from === null && place === 'item' && triggers.get(runId) === 'CATCH_UP',
  )
  const byShard = Map.groupBy(caughtUp, ({ runId }) => jobs.get(nameOf(runId).jobId)?.shard ?? 0)
  return [...byShard].flatMap(([shard, puts]) => tooFastIn(shard, puts))
}

function tooFastIn(shard: number, puts: readonly EventOf<'entry'>[]): Violation[] {
  let first = 0
  for (const [place, { ms }] of puts.entries()) {
    while (puts[first].ms < ms - WINDOW_SECONDS * 1000) first += 1
    const count = place - first + 1
    if (count > CATCH_UP_A_SECOND * (WINDOW_SECONDS + 2)) {
      return [{ invariant: 'I10', what: `shard ${shard} sent ${count} old instants within ${WINDOW_SECONDS} s` }]
    }
  }
  return []
}

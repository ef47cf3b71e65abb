// I12: when faults stop, all is well again within two minutes, with no restart and no operator: chains tick, accounts move on, and
// what was due in the storm has ended unless its own job's rules hold it up.

import type { PageEntry } from '../../../shared/core/pages/entry.ts'
import type { ShardItem } from '../../../shared/core/shard.ts'
import type { Violation } from '../history.ts'
import { isUnsure, policyAt, recordIdOf, runIdOf, runsOf, TERMINAL, type View } from './view.ts'

const WELL_AFTER_MS = 120_000
/** A link fences a second ahead and may be a little late. */
const ALIVE_SECONDS = 5
/** Audits come every ten seconds and look at what is fifteen seconds old. */
const ACCOUNTED_SECONDS = 60
/** What is due for longer and has not ended may well be what the last audit waited for. */
const HELD_UP_SECONDS = 30
/** And so may be what has ended since then: the link that is due to audit may serve another second first. */
const LAST_AUDIT_MS = 15_000

export function recovers(view: View): Violation[] {
  const calmMs = view.phaseMs('calm')
  const wellMs = calmMs + WELL_AFTER_MS
  if (wellMs > view.phaseMs('drain')) return []
  const entries = new Map<string, PageEntry>()
  const auditedEntries = new Map<string, PageEntry>()
  const shards = new Map<number, ShardItem>()
  const asleepMs = new Map<number, number>()
  for (const event of view.history.events) {
    if (event.ms > wellMs) break
    if (event.op === 'entry') entries.set(event.runId, event.to)
    if (event.op === 'entry' && event.ms <= wellMs - LAST_AUDIT_MS) auditedEntries.set(event.runId, event.to)
    if (event.op !== 'shard') continue
    shards.set(event.shard, event.to)
    if (event.from?.sleepUntil != null || event.to.sleepUntil !== null) asleepMs.set(event.shard, event.ms)
  }
  // A shard that has just woken has the account of the time before it slept.
  const isLongAwake = (shard: number) => wellMs - (asleepMs.get(shard) ?? 0) >= ACCOUNTED_SECONDS * 1000
  const mustAccount = (shard: number, after: number) =>
    isLongAwake(shard) && !isHeldUp(view, auditedEntries, shard, after, wellMs / 1000 - HELD_UP_SECONDS)
  return [...sleepers(shards, mustAccount, wellMs / 1000), ...unended(view, entries, calmMs / 1000)]
}

/** Where more runs are due than executors can take, the account waits for those in the queue. */
function isHeldUp(
  { jobs }: View,
  entries: ReadonlyMap<string, PageEntry>,
  shard: number,
  after: number,
  through: number,
): boolean {
  return [...jobs.values()].some(
    (job) =>
      job.shard === shard &&
      job.due.some((due) => {
        const status = entries.get(recordIdOf(job.jobId, due))?.status
        const isEnded = status !== undefined && TERMINAL.has(status)
        return due.second > after && due.second <= through && !isEnded && !isUnsure(job, due.second)
      }),
  )
}

function sleepers(
  shards: ReadonlyMap<number, ShardItem>,
  mustAccount: (shard: number, after: number) => boolean,
  second: number,
): Violation[] {
  return [...shards].flatMap(([shard, { fence, sleepUntil, sentThrough, auditedThrough }]) => {
    if (sleepUntil !== null) return []
    const say = (what: string) => [
      { invariant: 'I12', what: `shard ${shard}, two minutes after the last fault: ${what}` },
    ]
    if (fence < second - ALIVE_SECONDS) return say(`its fence is ${Math.round(second - fence)} s behind`)
    if (sentThrough < second - 2 * ALIVE_SECONDS)
      return say(`its sentThrough is ${Math.round(second - sentThrough)} s behind`)
    if (auditedThrough < second - ACCOUNTED_SECONDS && mustAccount(shard, auditedThrough))
      return say(`its account is ${Math.round(second - auditedThrough)} s behind`)
    return []
  })
}

function unended(view: View, entries: ReadonlyMap<string, PageEntry>, calm: number): Violation[] {
  const missed = Map.groupBy(view.missed, ({ jobId }) => jobId)
  return [...view.jobs.values()].flatMap((job) =>
    runsOf(job).flatMap(({ second, version }) => {
      const runId = runIdOf(job.jobId, second)
      const status = entries.get(runId)?.status
      const isFree = policyAt(job, version)?.isFree === true
      if (second > calm || !isFree || isUnsure(job, second) || (status !== undefined && TERMINAL.has(status))) return []
      if ((missed.get(job.jobId) ?? []).some(({ from, to }) => from <= second && second <= to)) return []
      return [
        { invariant: 'I12', what: `two minutes after the last fault ${runId} is ${status ?? 'not there'}`, runId },
      ]
    }),
  )
}

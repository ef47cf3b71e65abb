// I6: one chain at a time moves a shard, forward only. A second's depth never changes once it is opened, and the account says that
// a second is accounted for only when all that was due in it is.

import type { PageEntry } from '../../../shared/core/pages/entry.ts'
import type { ShardItem } from '../../../shared/core/shard.ts'
import type { Violation } from '../history.ts'
import { isUnsure, type JobView, nameOf, recordIdOf, TERMINAL, type View } from './view.ts'

const KEPT_SECONDS = 180

export function ticksAreFenced(view: View): Violation[] {
  const entries = new Map<string, PageEntry>()
  const open = new Map<string, number>()
  const jobsOfShard = Map.groupBy(view.jobs.values(), ({ shard }) => shard)
  const violations: Violation[] = []
  const say = (what: string, runId?: string) =>
    violations.push({ invariant: 'I6', what, ...(runId === undefined ? {} : { runId }) })
  for (const event of view.history.events) {
    if (event.op === 'entry') entries.set(event.runId, event.to)
    if (event.op === 'open') open.set(event.runId, (open.get(event.runId) ?? 0) + (event.what === 'put' ? 1 : -1))
    if (event.op !== 'shard' || event.from === null) continue
    const { from, to, shard } = event
    for (const what of movesBack(from, to)) say(`shard ${shard}: ${what}`)
    if (event.what === 'takeOver' && to.epoch !== from.epoch + 1)
      say(`shard ${shard}: epoch ${from.epoch} became ${to.epoch}`)
    if (event.what !== 'takeOver' && to.epoch !== from.epoch) say(`shard ${shard}: a ${event.what} changed the epoch`)
    if (event.what === 'audited') {
      for (const runId of unaccounted(view, jobsOfShard.get(shard) ?? [], from, to, entries, open)) {
        say(`shard ${shard} was audited through ${to.auditedThrough}, and ${runId} is not accounted for`, runId)
      }
    }
  }
  return violations
}

function movesBack(from: ShardItem, to: ShardItem): string[] {
  const back = (['epoch', 'fence', 'sentThrough', 'auditedThrough'] as const).filter((field) => to[field] < from[field])
  const changed = [...from.depths].filter(([second, depth]) => to.depths.has(second) && to.depths.get(second) !== depth)
  const gone = [...from.depths.keys()].filter((second) => !to.depths.has(second) && second > to.fence - KEPT_SECONDS)
  const added = [...to.depths.keys()].filter((second) => second <= from.fence && !from.depths.has(second))
  const aheadOfFence =
    to.sentThrough > to.fence ? [`the sentThrough ${to.sentThrough} is past the fence ${to.fence}`] : []
  return [
    ...back.map((field) => `${field} went back from ${from[field]} to ${to[field]}`),
    ...changed.map(([second]) => `the depth of ${second} changed`),
    ...gone.map((second) => `the depth of ${second} went too early`),
    ...added.map((second) => `the gap ${second} got a depth`),
    ...aheadOfFence,
  ]
}

function unaccounted(
  { missed }: View,
  jobs: readonly JobView[],
  from: ShardItem,
  to: ShardItem,
  entries: ReadonlyMap<string, PageEntry>,
  open: ReadonlyMap<string, number>,
): string[] {
  return jobs.flatMap((job) =>
    job.due
      .filter(({ second }) => second > from.auditedThrough && second <= to.auditedThrough && !isUnsure(job, second))
      .map((due) => recordIdOf(job.jobId, due))
      .filter((runId) => {
        const { jobId, second } = nameOf(runId)
        const status = entries.get(runId)?.status
        const isEnded = status !== undefined && TERMINAL.has(status)
        const isListed = (open.get(runId) ?? 0) > 0
        // Of a gap the backlog and the list of open runs keep account.
        const isGap = missed.some((each) => each.jobId === jobId && each.from <= second && second <= each.to)
        return !(isEnded || isListed || isGap || (status === undefined && !wasLive(to, from, second)))
      }),
  )
}

/** The shard item forgets depths after a while; a second that it does not know any more is looked at by I1. */
const wasLive = (to: ShardItem, from: ShardItem, second: number): boolean =>
  to.depths.has(second) || from.depths.has(second)

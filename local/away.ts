// What became of the runs that were due while a start was away: which fired since, which were recorded as missed.

import type { RunStatus } from '../shared/core/run/status.ts'
import { JobDirectory } from '../shared/flow/job-directory.ts'
import { runsOfAll } from '../shared/flow/runs/all-runs.ts'
import { type RunsWorld, statusOfRun } from '../shared/flow/runs/view.ts'
import { countText, durationText } from './picture/words.ts'

/** [from, to], in seconds: no tick sent anything of it. */
export interface Absence {
  readonly from: number
  readonly to: number
}

/** A pause this short is none: the next tick sends what it left. */
const LEAST_SECONDS = 3
const MOST_PAGES = 50
const RUNS_A_PAGE = 100

const TO_COME: readonly RunStatus[] = ['QUEUED', 'WAITING']
const NEVER_RAN: readonly RunStatus[] = ['MISSED', 'EXPIRED', 'SKIPPED', 'DISCARDED']

/** Null where the store is new, or was away only for a moment. */
export async function absenceUntil(
  world: Pick<RunsWorld, 'shards' | 'shardCount'>,
  to: number,
): Promise<Absence | null> {
  const items = await Promise.all(Array.from({ length: world.shardCount }, (_, shard) => world.shards.read(shard)))
  const sentThrough = items.flatMap((item) =>
    item === null ? [] : [Math.max(item.sentThrough, (item.sleepUntil ?? 0) - 1)],
  )
  if (sentThrough.length === 0) return null
  const from = Math.min(...sentThrough) + 1
  return to - from < LEAST_SECONDS ? null : { from, to }
}

/** Whether every chain has gone on beyond the absence, or sleeps. */
export async function isOver(world: Pick<RunsWorld, 'shards' | 'shardCount'>, { to }: Absence): Promise<boolean> {
  const items = await Promise.all(Array.from({ length: world.shardCount }, (_, shard) => world.shards.read(shard)))
  return items.every((item) => item !== null && (item.sentThrough > to || (item.sleepUntil ?? 0) > to))
}

export interface AwayCounts {
  readonly fired: number
  readonly missed: number
  readonly toCome: number
}

export async function countAway(world: RunsWorld, { from, to }: Absence): Promise<AwayCounts> {
  const directory = new JobDirectory(world, world.shardCount)
  await directory.all()
  const counts = { fired: 0, missed: 0, toCome: 0 }
  let after: Parameters<typeof runsOfAll>[1]['after'] = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, missed, next } = await runsOfAll(world, {
      from,
      to: to + 1,
      after,
      limit: RUNS_A_PAGE,
      isWanted: () => true,
      statuses: null,
      triggers: null,
      jobOf: (jobId) => directory.known(jobId),
    })
    for (const run of items) {
      const status = statusOfRun(run)
      counts[TO_COME.includes(status) ? 'toCome' : NEVER_RAN.includes(status) ? 'missed' : 'fired'] += 1
    }
    for (const { count } of missed) counts.missed += count
    if (next === null) break
    after = next
  }
  return counts
}

export function awayText({ from, to }: Absence, { fired, missed, toCome }: AwayCounts): string {
  const due = fired + missed + toCome
  const away = `Away for ${durationText(to - from + 1)}`
  if (due === 0) return `${away}: nothing was due.`
  const later = toCome === 0 ? '' : `, ${countText(toCome)} still to come`
  return `${away}: ${countText(due)} ${due === 1 ? 'run was' : 'runs were'} due; ${countText(fired)} fired since, ${countText(missed)} recorded as missed${later}.`
}

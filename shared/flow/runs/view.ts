// A run as it is shown: its id, its job, its entry and what is kept beside it, wherever that was found.

import type { StoredJob } from '../../core/job/stored.ts'
import { type VersionedJob, versionAt } from '../../core/job/version.ts'
import type { PageEntry } from '../../core/pages/entry.ts'
import { type DueItem, dueBetween, RUNS } from '../../core/planner/due.ts'
import type { RunDetail, RunRecord } from '../../core/run/record.ts'
import { formatRunId, type RunId, type Trigger } from '../../core/run/run.ts'
import type { RunStatus } from '../../core/run/status.ts'
import type { Clock, MissedItem, Stores } from '../../ports.ts'
import { nowOf } from '../tick-world.ts'

export interface RunsWorld extends Pick<Stores, 'jobs' | 'ledger' | 'shards' | 'open'> {
  readonly clock: Clock
  readonly shardCount: number
}

export interface RunView {
  readonly id: RunId
  readonly runId: string
  readonly job: Pick<StoredJob, 'id' | 'definition'>
  readonly version: number
  readonly trigger: Trigger
  /** Null for a run by hand that was given none. */
  readonly instant: number | null
  readonly nominal: number | null
  /** Null where no executor has claimed it yet. */
  readonly entry: PageEntry | null
  readonly detail: RunDetail
}

export const statusOfRun = ({ entry }: Pick<RunView, 'entry'>): RunStatus => entry?.status ?? 'QUEUED'

/** A run that has an item of its own. */
export function viewOfRecord(job: StoredJob, { id, entry, detail }: RunRecord): RunView {
  const isScheduled = id.suffix === ''
  return {
    id,
    runId: formatRunId(id),
    job,
    version: detail.version ?? versionAt(job, id.second)?.version ?? job.version,
    trigger: detail.trigger ?? 'MANUAL',
    instant: detail.instant ?? (isScheduled ? id.second : null),
    nominal: detail.nominal ?? (isScheduled ? id.second : null),
    entry,
    detail,
  }
}

/** What a job was due for at a second, or null. */
export function dueAt(job: VersionedJob, second: number): DueItem | null {
  const found: DueItem[] = []
  dueBetween(job, second, second + 1, found)
  return found.find(({ kind }) => RUNS.includes(kind)) ?? null
}

/** A run that stands on a page. `due` is null where no definition that is still known has it. */
export function viewOfEntry(
  job: StoredJob,
  second: number,
  due: DueItem | null,
  entry: PageEntry | null,
  detail: RunDetail | null,
): RunView {
  const id = { jobId: job.id, second, suffix: '' }
  return {
    id,
    runId: formatRunId(id),
    job,
    version: detail?.version ?? due?.version.version ?? job.version,
    trigger: detail?.trigger ?? (due?.kind === 'restart' ? 'RESTART' : 'SCHEDULE'),
    instant: second,
    nominal: detail?.nominal ?? due?.nominal ?? second,
    entry,
    detail: detail ?? {},
  }
}

export const covers = (missed: MissedItem, { second, kind }: DueItem): boolean =>
  missed.from <= second && second <= missed.to && (missed.of === 'starts') === (kind === 'start')

/** Instants beyond this have not come, so there are no runs of them. */
export const newestSecond = (world: Pick<RunsWorld, 'clock'>): number => nowOf(world)

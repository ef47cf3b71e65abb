// A job as the API answers it: whole, as a summary, and what a change did to it.

import { explanationOf, nextRunsOf, type SearchedJob } from '../../../shared/core/job/searched-job.ts'
import { type StoredJob, statusAt, stopAt } from '../../../shared/core/job/stored.ts'
import { describeFire } from '../../../shared/core/schedule/fire.ts'
import { formatInstant } from '../../../shared/core/time/instant.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import type { ComparedFire, ComparedFires } from '../../../shared/flow/compare-fires.ts'
import type { RunView } from '../../../shared/flow/runs/view.ts'
import { lastRunAnswer } from './run.ts'
import { instantText, momentText } from './times.ts'

const newestOf = (job: StoredJob) => job.versions[job.versions.length - 1]

function stoppedOf(job: StoredJob, now: number): object | null {
  const stop = stopAt(job, now)
  if (stop === null) return null
  const { code, reason, atMs, until, queued, operation, by } = stop
  return { code, reason, at: momentText(atMs), until: instantText(until), queued, operation, by }
}

export function jobAnswer(job: StoredJob, now: number, last: RunView | null): Record<string, unknown> {
  const { definition, id, version, managedBy, createdAtMs, updatedAtMs } = job
  const { activeFrom, timeoutSeconds, moves = [] } = newestOf(job)
  return {
    ...definition,
    status: statusAt(job, now),
    id,
    version,
    activeFrom: formatInstant(activeFrom),
    createdAt: momentText(createdAtMs),
    updatedAt: momentText(updatedAtMs),
    managedBy,
    effective: { timeout: timeoutSeconds },
    explain: explanationOf(job),
    stopped: stoppedOf(job, now),
    next: nextRunsOf(job, now).map(formatInstant),
    last: last === null ? null : lastRunAnswer(last),
    moved: moves
      .filter(({ from, to }) => Math.max(from, to) >= now)
      .map(({ from, to }) => ({ from: formatInstant(from), to: to === NEVER ? null : formatInstant(to) })),
  }
}

interface Summarised {
  readonly status: string
  readonly next: readonly number[]
  readonly summary: Readonly<Record<string, unknown>>
}

/** A list shows the same jobs again and again, and of a version only these change: its status, and what comes next. */
const summarised = new WeakMap<SearchedJob, Summarised>()

export function jobSummary(found: SearchedJob, now: number): Readonly<Record<string, unknown>> {
  const status = found.statusAt(now)
  const next = found.nextRuns(now)
  const known = summarised.get(found)
  if (known?.status === status && known.next === next) return known.summary
  const summary = summaryOf(found, now, status, next)
  summarised.set(found, { status, next, summary })
  return summary
}

function summaryOf(found: SearchedJob, now: number, status: string, next: readonly number[]): Record<string, unknown> {
  const { job } = found
  const { namespace, name, description, tags, target } = job.definition
  const stop = stopAt(job, now)
  return {
    namespace,
    name,
    id: job.id,
    version: job.version,
    description,
    tags,
    status,
    stopped: stop === null ? null : { code: stop.code, reason: stop.reason, until: instantText(stop.until) },
    managedBy: job.managedBy,
    target: { type: target.type },
    explain: found.explanation,
    updatedAt: momentText(job.updatedAtMs),
    next: next.map(formatInstant),
  }
}

export function firesAnswer({ from, to, same, appear, vanish }: ComparedFires): object {
  const listed = ({ count, items }: ComparedFires['appear']) => ({ count, items: items.map(fireAnswer) })
  return {
    from: formatInstant(from),
    to: formatInstant(to),
    same,
    appear: listed(appear),
    vanish: listed(vanish),
  }
}

function fireAnswer(fire: ComparedFire): object {
  const { local, zone } = describeFire(fire.jobId, fire.version, fire)
  return { instant: formatInstant(fire.second), local, zone, kind: fire.kind, job: fire.fullName }
}

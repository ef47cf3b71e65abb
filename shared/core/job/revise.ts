// What a mutation makes of a stored job: the next version beside those that are still needed, and what follows from it.

import { InputError } from '../errors.ts'
import { candidatesOf } from '../planner/due.ts'
import { NEVER } from '../time/instants.ts'
import { addVersion } from './edit.ts'
import type { Job } from './job.ts'
import { isOnceOnly, nextVersion, type Resolved } from './next-version.ts'
import { type JobWrite, type Pointer, type Stopped, type StoredJob, statusOf } from './stored.ts'
import type { JobVersion, VersionStatus } from './version.ts'

/** When a mutation happens, and what the shard still needs of the past. */
export interface Moment {
  readonly now: number
  readonly activeFrom: number
  /** No version that ended by then is needed any more. */
  readonly auditedThrough: number
}

export interface Revision extends Moment {
  readonly id: string
  readonly old: StoredJob | null
  readonly definition: Job
  readonly resolved: Resolved
  readonly status: VersionStatus
  readonly stopped: Stopped | null
}

const newestOf = (job: StoredJob): JobVersion => job.versions[job.versions.length - 1]

export function revise({ id, old, definition, resolved, status, stopped, ...moment }: Revision): StoredJob {
  const isNew = old === null || statusOf(old) === 'DELETED'
  const version = nextVersion({
    jobId: id,
    definition,
    resolved,
    status,
    until: stopped?.until ?? null,
    before: isNew ? null : { definition: old.definition, version: newestOf(old) },
    version: (old?.version ?? 0) + 1,
    activeFrom: Math.max(moment.activeFrom, old === null ? 0 : newestOf(old).activeFrom),
  })
  const job: StoredJob = {
    id,
    definition: { ...definition, status: status === 'STOPPED' ? 'STOPPED' : 'RUNNING' },
    bodyVersion: old?.bodyVersion ?? null,
    version: version.version,
    versions: old === null ? [version] : addVersion(old, version, moment.auditedThrough).versions,
    // Once recurring, a job stays where tickers hold it: they may still need its past.
    isOnce: (old === null || old.isOnce) && isOnceOnly(version),
    createdAt: isNew ? moment.now : old.createdAt,
    updatedAt: moment.now,
    managedBy: old?.managedBy ?? null,
    stopped,
  }
  refuseTooLarge(job)
  return job
}

/** A store holds 400 kB an item; the payload, and the dates of calendars, lie apart. */
const MOST_CHARACTERS = 300_000

function refuseTooLarge({ definition, versions }: StoredJob): void {
  const kept = versions.map(({ timing: { calendars: _, ...timing }, ...version }) => ({ ...version, timing }))
  const characters = JSON.stringify([{ ...definition, payload: null }, kept]).length
  if (characters <= MOST_CHARACTERS) return
  throw new InputError({
    code: 'job.too-large',
    field: 'job',
    value: `${characters} characters`,
    problem: `is more than the ${MOST_CHARACTERS} that a job and its recent versions may have together`,
    remedy: 'Use fewer schedules or headers, or wait half a minute between edits',
  })
}

/** A version that leaves the times as they are: what the last save took from template and calendars holds on. */
export function restate(job: StoredJob, change: Pick<Revision, 'status' | 'stopped'>, moment: Moment): StoredJob {
  const { timing } = newestOf(job)
  const { schedules, template } = job.definition
  const taken = timing.schedules.slice(0, timing.schedules.length - schedules.length)
  const resolved: Resolved = {
    template: taken.length === 0 ? null : { name: String(template), schedules: taken },
    calendars: timing.calendars ?? [],
  }
  return revise({ id: job.id, old: job, definition: job.definition, resolved, ...change, ...moment })
}

export function writeOf(after: StoredJob, before: StoredJob | null, shard: number, ms: number): JobWrite {
  const seconds = after.isOnce ? instantsOf(after) : []
  const once = after.isOnce ? { firstInstant: seconds[0] ?? null } : null
  const pointers = seconds.map((second): Pointer => ({ shard, second, jobId: after.id }))
  return { shard, before, after, change: { shard, ms, jobId: after.id, version: after.version, once }, pointers }
}

/** The single times of the newest version, each of which gets a pointer. */
function instantsOf(job: StoredJob): number[] {
  const newest = newestOf(job)
  const candidates = candidatesOf({ id: job.id, versions: [newest] })
  const seconds: number[] = []
  for (let t = candidates.next(newest.activeFrom - 1); t !== NEVER; t = candidates.next(t)) seconds.push(t)
  return seconds
}

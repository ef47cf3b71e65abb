// What a mutation makes of a stored job: the next version beside those that are still needed, and what follows from it.

import type { Actor } from '../actor.ts'
import type { AuditAction, AuditEntry } from '../audit-entry.ts'
import { changesBetween, type FieldChange } from '../changes.ts'
import { InputError } from '../errors.ts'
import { isSameJson } from '../json-equal.ts'
import { candidatesOf, nextDue, RUNS } from '../planner/due.ts'
import { neverFires } from '../schedule/timing.ts'
import { formatInstant } from '../time/instant.ts'
import { NEVER } from '../time/instants.ts'
import { addVersion } from './edit.ts'
import type { Job } from './job.ts'
import { isOnceOnly, nextVersion, type Resolved } from './next-version.ts'
import {
  deletedFrom,
  fullNameOf,
  isDeleted,
  type JobWrite,
  type Pointer,
  present,
  type Stopped,
  type StoredJob,
  statusAt,
  stopAt,
} from './stored.ts'
import type { JobVersion, VersionStatus } from './version.ts'

/** When a mutation happens, and what the shard still needs of the past. */
export interface Moment {
  readonly nowMs: number
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
  readonly managedBy: string | null
}

const newestOf = (job: StoredJob): JobVersion => job.versions[job.versions.length - 1]

export function revise(revision: Revision): StoredJob {
  const { id, old, definition, resolved, status, stopped, managedBy, ...moment } = revision
  const isNew = old === null || isDeleted(old)
  const version = nextVersion({
    jobId: id,
    definition,
    resolved,
    status,
    until: stopped?.until ?? null,
    before: isNew ? null : { definition: old.definition, version: newestOf(old) },
    version: (old?.version ?? 0) + 1,
    activeFrom: moment.activeFrom,
  })
  const job: StoredJob = {
    id,
    definition: { ...definition, status: status === 'STOPPED' ? 'STOPPED' : 'RUNNING' },
    bodyVersion: old?.bodyVersion ?? null,
    version: version.version,
    versions: old === null ? [version] : addVersion(old, version, moment.auditedThrough).versions,
    // Once recurring, a job stays where tickers hold it: they may still need its past.
    isOnce: (old === null || old.isOnce) && isOnceOnly(version),
    createdAtMs: isNew ? moment.nowMs : old.createdAtMs,
    updatedAtMs: moment.nowMs,
    managedBy,
    stopped,
  }
  refuseTooLarge(job)
  return job
}

/** A store holds 400 kB an item; the payload, and the dates of calendars, are stored apart. */
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
    path: '',
  })
}

/** A version that leaves the times as they are: what the last save took from template and calendars holds on. */
export function restate(job: StoredJob, change: Pick<Revision, 'status' | 'stopped'>, moment: Moment): StoredJob {
  const { id, definition, managedBy } = job
  return revise({ id, old: job, definition, managedBy, resolved: resolvedOf(job), ...change, ...moment })
}

/** What the last save took from template and calendars. */
export function resolvedOf(job: StoredJob): Resolved {
  const { timing } = newestOf(job)
  const { schedules, template } = job.definition
  const taken = timing.schedules.slice(0, timing.schedules.length - schedules.length)
  return {
    template: taken.length === 0 ? null : { name: String(template), schedules: taken },
    calendars: timing.calendars ?? [],
  }
}

/** The definition as it was saved last, a stop apart: a stop says for itself when it ends. */
const withoutStatus = ({ status: _, ...definition }: Job): Omit<Job, 'status'> => definition

/** Whether a mutation leaves everything as it stands, so that there is nothing to write. */
export function isUnchanged(before: StoredJob | null, after: StoredJob): boolean {
  if (before === null) return false
  const [old, next] = [newestOf(before), newestOf(after)]
  return (
    statusAt(before, next.activeFrom) === next.status &&
    isSameJson(stopAt(before, next.activeFrom), after.stopped) &&
    before.managedBy === after.managedBy &&
    isSameJson(old.timing, next.timing) &&
    isSameJson(old.moves, next.moves) &&
    isSameJson(withoutStatus(before.definition), withoutStatus(after.definition))
  )
}

/** Whether a job's own schedules can start it from its newest version on; null where it has none that could. */
export function hasInstantLeft(job: StoredJob): boolean | null {
  const newest = newestOf(job)
  if (newest.timing.schedules.every(({ kind }) => kind === 'stop')) return null
  const running = { ...newest, status: 'RUNNING' as const }
  return nextDue({ id: job.id, versions: [running] }, newest.activeFrom - 1, RUNS) !== NEVER
}

/** A job that is to run must have something to run at, unless only others start it. */
export function refuseIfOver(job: StoredJob): StoredJob {
  if (newestOf(job).status === 'RUNNING' && hasInstantLeft(job) === false) throw neverFires(job.definition.schedules)
  return job
}

/** All of a job that an edit can change, as the audit and the list of versions compare it. */
const comparable = (job: StoredJob): object => ({
  ...job.definition,
  managedBy: job.managedBy,
  moved: (newestOf(job).moves ?? []).map(({ from, to }) => ({
    from: formatInstant(from),
    to: to === NEVER ? null : formatInstant(to),
  })),
})

/** What a mutation changed, for people to read; that a job came or went is said by the action. */
export function changesOf(before: StoredJob | null, after: StoredJob): FieldChange[] {
  const old = present(before)
  return old === null || isDeleted(after) ? [] : changesBetween(comparable(old), comparable(after))
}

export interface Audited {
  readonly id: string
  readonly by: Actor
  readonly action: AuditAction
  readonly reason: string | null
  readonly requestId: string | null
}

export function writeOf(after: StoredJob, before: StoredJob | null, shard: number, ms: number, by: Audited): JobWrite {
  const seconds = after.isOnce ? instantsOf(after) : []
  const once = after.isOnce ? { firstInstant: seconds[0] ?? null } : null
  const deleted = deletedFrom(after)
  const pointers = [...seconds, ...(deleted === null ? [] : [deleted])]
  const audit: AuditEntry = {
    ...by,
    atMs: ms,
    namespace: after.definition.namespace,
    target: fullNameOf(after),
    operation: after.stopped?.operation ?? null,
    versionBefore: before === null || isDeleted(before) ? null : before.version,
    versionAfter: after.version,
    changes: changesOf(before, after),
  }
  return {
    shard,
    before,
    after,
    change: { shard, ms, jobId: after.id, version: after.version, once },
    pointers: pointers.map((second): Pointer => ({ shard, second, jobId: after.id })),
    audit,
  }
}

/** The single times of the newest version, each of which gets a pointer. */
function instantsOf(job: StoredJob): number[] {
  const newest = newestOf(job)
  const candidates = candidatesOf({ id: job.id, versions: [newest] })
  const seconds: number[] = []
  for (let t = candidates.next(newest.activeFrom - 1); t !== NEVER; t = candidates.next(t)) seconds.push(t)
  return seconds
}

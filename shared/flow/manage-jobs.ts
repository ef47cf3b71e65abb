// What users do to jobs: save, patch, stop, start, reschedule and delete, one by one or many at once.

import { moveOf, withMove } from '../core/job/edit.ts'
import { jobIdOf } from '../core/job/id.ts'
import type { Job } from '../core/job/job.ts'
import type { Resolved } from '../core/job/next-version.ts'
import { readJob } from '../core/job/read-job.ts'
import { restate, revise } from '../core/job/revise.ts'
import { type Stopped, type StoredJob, statusOf } from '../core/job/stored.ts'
import { parseInstant } from '../core/time/instant.ts'
import type { Named } from '../ports.ts'
import { type Asking, type JobsWorld, mutateJob } from './mutate-job.ts'
import { Conflict, NotFound } from './refusals.ts'

export interface Saved {
  readonly job: StoredJob
  readonly isNew: boolean
  readonly warnings: readonly string[]
}

/** Creates a job, or replaces its definition. A body that does not speak of the status leaves a stop in force. */
export async function saveJob(
  world: JobsWorld,
  body: unknown,
  asking: Asking & { readonly managedBy?: 'code' },
): Promise<Saved> {
  const id = idOfBody(body)
  const { job: definition, warnings } = readJob(body, id)
  const saysStatus = Object.hasOwn(Object(body), 'status')
  const resolved = await resolve(world, definition)
  const { job, before } = await mutateJob(world, id, asking, (old, moment) => {
    refuseOtherName(old, definition)
    const stopped = stoppedAfter(old, saysStatus ? definition.status : null, asking.by)
    const status = stopped === null ? 'RUNNING' : 'STOPPED'
    const next = revise({ id, old, definition, resolved, status, stopped, ...moment })
    return { ...next, managedBy: asking.managedBy ?? null }
  })
  return { job, isNew: before === null || statusOf(before) === 'DELETED', warnings }
}

/** `wanted` is null where nobody said anything about the status. */
function stoppedAfter(old: StoredJob | null, wanted: Job['status'] | null, by: string): Stopped | null {
  const current = old === null || statusOf(old) === 'DELETED' ? null : old.stopped
  if (wanted === null) return current
  return wanted === 'RUNNING' ? null : (current ?? { reason: 'saved as stopped', by, until: null })
}

export type BatchResult = { readonly saved: Saved } | { readonly error: Error }

const SAVED_AT_ONCE = 16

/** Each for itself: one that is refused keeps no other from being saved. */
export async function saveJobs(
  world: JobsWorld,
  bodies: readonly unknown[],
  asking: Asking & { readonly managedBy?: 'code' },
): Promise<BatchResult[]> {
  const results: BatchResult[] = []
  const places = bodies.keys()
  const worker = async () => {
    for (const place of places) {
      results[place] = await saveJob(world, bodies[place], asking).then(
        (saved) => ({ saved }),
        (error: unknown) => ({ error: error instanceof Error ? error : new Error(String(error)) }),
      )
    }
  }
  await Promise.all(Array.from({ length: SAVED_AT_ONCE }, worker))
  return results
}

/** Changes some fields of a job. An edit that came in between is not undone: the patch is then refused. */
export async function patchJob(world: JobsWorld, id: string, patch: object, asking: Asking): Promise<Saved> {
  const current = existing(await world.jobs.read(id), id)
  const ifVersion = asking.ifVersion ?? current.version
  const body = { ...current.definition, ...patch }
  if (idOfBody(body) !== id) throw new Conflict(id, current.version, 'cannot be renamed by a patch')
  return saveJob(world, body, { ...asking, ifVersion, ...(current.managedBy === null ? {} : { managedBy: 'code' }) })
}

/** The name is free at once; what was due before still runs, and the past stays known. */
export async function deleteJob(world: JobsWorld, id: string, asking: Asking): Promise<StoredJob> {
  const { job } = await mutateJob(world, id, asking, (old, moment) =>
    restate(existing(old, id), { status: 'DELETED', stopped: null }, moment),
  )
  return job
}

export async function stopJob(
  world: JobsWorld,
  id: string,
  stop: Omit<Stopped, 'by'>,
  asking: Asking,
): Promise<StoredJob> {
  const { job } = await mutateJob(world, id, asking, (old, moment) =>
    restate(existing(old, id), { status: 'STOPPED', stopped: { ...stop, by: asking.by } }, moment),
  )
  return job
}

export async function startJob(world: JobsWorld, id: string, asking: Asking): Promise<StoredJob> {
  const { job } = await mutateJob(world, id, asking, (old, moment) =>
    restate(existing(old, id), { status: 'RUNNING', stopped: null }, moment),
  )
  return job
}

/** Moves the next fire only. */
export async function rescheduleJob(world: JobsWorld, id: string, at: string, asking: Asking): Promise<StoredJob> {
  const to = parseInstant(at, 'at')
  const { job } = await mutateJob(world, id, asking, (old, moment) => {
    const current = existing(old, id)
    const next = restate(current, { status: statusOf(current), stopped: current.stopped }, moment)
    const newest = next.versions[next.versions.length - 1]
    const move = moveOf(current, newest.activeFrom, to)
    const moved = { ...newest, moves: withMove(newest.moves ?? [], move) }
    return { ...next, versions: [...next.versions.slice(0, -1), moved] }
  })
  return job
}

async function resolve(world: JobsWorld, { template, calendars }: Job): Promise<Resolved> {
  return {
    template: template === null ? null : await find(world.templates, 'template', template),
    calendars: await Promise.all(calendars.map((name) => find(world.calendars, 'calendar', name))),
  }
}

async function find<Value>(named: Named<Value>, kind: string, fullName: string): Promise<Value> {
  const [namespace, name] = fullName.split('/')
  const found = await named.read(namespace, name)
  if (found === null) throw new NotFound(kind, fullName)
  return found.value
}

/** A body without a proper name has no job; what is wrong with it is said when it is read. */
function idOfBody(body: unknown): string {
  const { namespace = 'default', name } = Object(body) as { namespace?: unknown; name?: unknown }
  return jobIdOf(String(namespace), String(name))
}

function existing(job: StoredJob | null, id: string): StoredJob {
  if (job === null || statusOf(job) === 'DELETED') throw new NotFound('job', id)
  return job
}

/** Ids are hashes of names. Should two names ever share one, the second is refused rather than mixed up with the first. */
function refuseOtherName(old: StoredJob | null, { namespace, name }: Job): void {
  if (old === null || (old.definition.namespace === namespace && old.definition.name === name)) return
  const other = `${old.definition.namespace}/${old.definition.name}`
  throw new Conflict(old.id, old.version, `has the name ${other}, and ${namespace}/${name} would share its id`)
}

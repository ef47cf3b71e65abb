// What users do to jobs: save, patch, stop, start, reschedule and delete.

import type { Actor } from '../core/actor.ts'
import { moveOf, withMove } from '../core/job/edit.ts'
import { jobIdOf } from '../core/job/id.ts'
import { InvalidInput } from '../core/job/invalid.ts'
import { type Job, jobSchema } from '../core/job/job.ts'
import { readJob, type Warning } from '../core/job/read-job.ts'
import {
  hasInstantLeft,
  isUnchanged,
  type Moment,
  type Revision,
  refuseIfOver,
  restate,
  revise,
} from '../core/job/revise.ts'
import { present, type Stopped, type StoredJob, statusAt, stopAt } from '../core/job/stored.ts'
import type { JobName } from './find-job.ts'
import { type Asking, type Decide, type JobsWorld, type Mutation, mutateJob } from './mutate-job.ts'
import { refuseOtherOwner } from './owners.ts'
import { referencesOf } from './references.ts'
import { notFound, Refusal, refuseOtherVersion } from './refusals.ts'

export interface Saved extends Mutation {
  readonly warnings: readonly Warning[]
}

export interface SaveAsking extends Asking {
  /** Who looks after the definition from now on; undefined where the caller says nothing of it. */
  readonly manager?: string | undefined
  /** Edits also what another manager looks after. */
  readonly isForced?: boolean
}

/** Creates a job, or replaces its definition. A body that does not speak of the status leaves a stop in force. */
export function saveJob(world: JobsWorld, name: JobName, body: object, asking: SaveAsking): Promise<Saved> {
  return saveAs(world, name, () => body, asking)
}

/** Replaces some fields of a job, whole; null restores a default. What others change meanwhile in other fields stays. */
export function patchJob(world: JobsWorld, name: JobName, patch: object, asking: SaveAsking): Promise<Saved> {
  return saveAs(
    world,
    name,
    (old) => {
      if (present(old) === null) refuseFaultsOf(patch, name)
      const { status: _, ...definition } = existing(old, name, asking).definition
      // A field that there is not has no default: it stays, and is refused.
      const wantsDefault = (field: string) =>
        Object.hasOwn(jobSchema.shape, field) && Object.hasOwn(patch, field) && Reflect.get(patch, field) === null
      return Object.fromEntries(Object.entries({ ...definition, ...patch }).filter(([field]) => !wantsDefault(field)))
    },
    asking,
  )
}

/** A body that no job would take is refused for that, also where there is no job to be patched. */
function refuseFaultsOf(patch: object, name: JobName): void {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null))
  const least = { schedules: [], target: { type: 'handler', handler: 'any' } }
  const { faults } = readJob({ ...least, ...given, ...name }, jobIdOf(name.namespace, name.name))
  if (faults.length > 0) throw new InvalidInput(faults)
}

async function saveAs(
  world: JobsWorld,
  name: JobName,
  bodyFrom: (old: StoredJob | null) => object,
  asking: SaveAsking,
): Promise<Saved> {
  const id = jobIdOf(name.namespace, name.name)
  let warnings: readonly Warning[] = []
  const mutation = await mutateJob(world, id, asking, { action: 'job.update' }, async (old) => {
    refuseOtherName(old, name)
    const body = { ...bodyFrom(old), namespace: name.namespace, name: name.name }
    const read = readJob(body, id)
    const references = await referencesOf(world, read.job)
    const faults = [...read.faults, ...references.faults]
    if (faults.length > 0) throw new InvalidInput(faults)
    warnings = [...read.warnings, ...references.warnings]
    const wanted = Object.hasOwn(body, 'status') ? read.job.status : null
    return (moment) => {
      const managedBy = refuseOtherOwner(old, asking)
      const draft = { id, old, definition: read.job, resolved: references.resolved, managedBy }
      const next = withStatus(draft, wanted, asking.by, moment)
      return isUnchanged(present(old), next) ? null : next
    }
  })
  return { ...mutation, warnings }
}

type Draft = Pick<Revision, 'id' | 'old' | 'definition' | 'resolved' | 'managedBy'>

/** `wanted` is null where the body does not speak of the status. */
function withStatus(draft: Draft, wanted: Job['status'] | null, by: Actor, moment: Moment): StoredJob {
  const old = present(draft.old)
  const stopped = old === null ? null : stopAt(old, moment.activeFrom)
  const asRunning = () => revise({ ...draft, status: 'RUNNING', stopped: null, ...moment })
  const asStopped = (stop: Stopped) => revise({ ...draft, status: 'STOPPED', stopped: stop, ...moment })
  if (wanted === 'RUNNING') return refuseIfOver(asRunning())
  if (wanted === 'STOPPED')
    return asStopped(stopped ?? newStop({ code: 'SAVED_STOPPED', reason: 'saved as stopped' }, by, moment))
  if (stopped === null) return asRunning()
  if (stopped.code !== 'NO_INSTANT_LEFT') return asStopped(stopped)
  const running = asRunning()
  return hasInstantLeft(running) === false ? asStopped(stopped) : running
}

type StopWish = Pick<Stopped, 'code' | 'reason'> & Partial<Pick<Stopped, 'until' | 'queued' | 'operation'>>

const newStop = (wish: StopWish, by: Actor, { nowMs, activeFrom }: Moment): Stopped => ({
  until: null,
  queued: 'run',
  operation: null,
  ...wish,
  by,
  atMs: nowMs,
  from: activeFrom,
})

/** The name is free at once; what was due before still runs, and the past stays known. */
export function deleteJob(world: JobsWorld, name: JobName, asking: SaveAsking): Promise<Mutation> {
  return change(world, name, asking, { action: 'job.delete', isUrgent: true }, (job) => (moment) => {
    refuseOtherOwner(job, asking)
    return restate(job, { status: 'DELETED', stopped: null }, moment)
  })
}

export function stopJob(world: JobsWorld, name: JobName, wish: StopWish, asking: Asking): Promise<Mutation> {
  const act = { action: 'job.stop', reason: wish.reason, isUrgent: true } as const
  return change(
    world,
    name,
    asking,
    act,
    (job) => (moment) => restate(job, { status: 'STOPPED', stopped: newStop(wish, asking.by, moment) }, moment),
  )
}

export function startJob(world: JobsWorld, name: JobName, asking: Asking): Promise<Mutation> {
  return change(world, name, asking, { action: 'job.start' }, async (job) => {
    const hasMore = await isCaughtUp(world, job)
    return (moment) => {
      const running = restate(job, { status: 'RUNNING', stopped: null }, moment)
      const next = hasMore ? running : refuseIfOver(running)
      return isUnchanged(job, next) ? null : next
    }
  })
}

/** Whether past instants of the job are still to be run. Then it goes on, also where it has no instant ahead. */
async function isCaughtUp({ states }: JobsWorld, { id, versions }: StoredJob): Promise<boolean> {
  const mayBe = versions.some(({ misfire }) => misfire.policy === 'CATCH_UP')
  return mayBe && (await states.read(id)).catchUp.length > 0
}

/** Moves the next fire only; null takes it away. */
export function rescheduleJob(world: JobsWorld, name: JobName, to: number | null, asking: Asking): Promise<Mutation> {
  return change(world, name, asking, { action: 'job.reschedule' }, (job) => (moment) => {
    if (statusAt(job, moment.activeFrom) === 'STOPPED') throw new InvalidInput([JOB_STOPPED])
    const next = restate(job, { status: 'RUNNING', stopped: null }, moment)
    const newest = next.versions[next.versions.length - 1]
    const move = moveOf(job, newest.activeFrom, to)
    const moved = { ...newest, moves: withMove(newest.moves ?? [], move) }
    return { ...next, versions: [...next.versions.slice(0, -1), moved] }
  })
}

const JOB_STOPPED = {
  path: '/at',
  code: 'job.stopped',
  message: 'the job is stopped, so it has no next fire to move. Start it first.',
}

/** A change of a job that must be there. */
function change(
  world: JobsWorld,
  name: JobName,
  asking: Asking,
  act: Parameters<typeof mutateJob>[3],
  plan: (job: StoredJob) => Decide | Promise<Decide>,
): Promise<Mutation> {
  const id = jobIdOf(name.namespace, name.name)
  return mutateJob(world, id, asking, act, (old) => plan(existing(old, name, asking)))
}

/** A version that was asked for is not that of a job that is not there. */
function existing(job: StoredJob | null, { namespace, name }: JobName, { ifVersion }: Asking): StoredJob {
  const found = present(job)
  if (found === null || found.definition.namespace !== namespace || found.definition.name !== name) {
    refuseOtherVersion('the job', ifVersion, 0)
    throw notFound('job', `${namespace}/${name}`)
  }
  return found
}

/** Ids are digests of names. Should two names ever share one, the second is refused rather than mixed up with the first. */
function refuseOtherName(old: StoredJob | null, { namespace, name }: JobName): void {
  if (old === null || (old.definition.namespace === namespace && old.definition.name === name)) return
  throw new Refusal('conflict', `the id of ${namespace}/${name} is taken by a job of another name. Use another name`)
}

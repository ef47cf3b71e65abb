// One mutation of a job: read, decide, commit as one transaction, and make sure that tickers see it in time. It comes
// into force two seconds after the store's time and after all that is opened, never earlier.

import type { Actor } from '../core/actor.ts'
import type { AuditAction } from '../core/audit-entry.ts'
import type { WatchMessage } from '../core/chain.ts'
import { activeFromOf, sureFromOf } from '../core/job/edit.ts'
import { hashOfId, shardOf } from '../core/job/id.ts'
import { type Moment, writeOf } from '../core/job/revise.ts'
import { type Change, isDeleted, present, type StoredJob, versionOf } from '../core/job/stored.ts'
import { nextDue } from '../core/planner/due.ts'
import type { ShardItem } from '../core/shard.ts'
import { NEVER } from '../core/time/instants.ts'
import { secondOf } from '../core/time/units.ts'
import { COMMITTED_LATE_AFTER_MS } from '../core/timings.ts'
import type { Clock, Queue, Stores } from '../ports.ts'
import { type ExpectedVersion, refuseOtherVersion, tooBusy } from './refusals.ts'

export interface JobsWorld extends Pick<Stores, 'jobs' | 'shards' | 'states' | 'calendars' | 'templates'> {
  readonly clock: Clock
  readonly shardCount: number
  /** Where a sleeping shard is woken. */
  readonly watch: Pick<Queue, 'send'>
  newId(): string
}

/** Who asks, what they believe to change, and how. */
export interface Asking {
  readonly by: Actor
  /** The version that must stand there; 0 where there must be none. Undefined where the caller does not care. */
  readonly ifVersion?: ExpectedVersion
  readonly requestId?: string | null
  /** The id of its line in the audit, where that was decided before. */
  readonly actId?: string | undefined
  /** Checks everything and changes nothing. */
  readonly isDryRun?: boolean
}

export interface Act {
  readonly action: AuditAction
  /** What the audit is to say about why. */
  readonly reason?: string | null
  /** Stops and deletes are tried for longer: an operator in need must get through. */
  readonly isUrgent?: boolean
}

/** What becomes of the job at a moment; null where it stays as it is. */
export type Decide = (moment: Moment) => StoredJob | null

const MOST_TRIES = 8
const MOST_URGENT_TRIES = 100
const MOST_ANNOUNCED = 5
/** So long after a save the same request again repeats all that follows a commit. */
const FRESH_MS = 60_000

export interface Mutation {
  readonly job: StoredJob
  readonly before: StoredJob | null
  readonly result: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'DELETED'
  readonly activeFrom: number
}

/** `plan` reads what it needs of the world; what it returns decides, and may be asked again when others came in between. */
export async function mutateJob(
  world: JobsWorld,
  id: string,
  asking: Asking,
  act: Act,
  plan: (old: StoredJob | null) => Promise<Decide> | Decide,
): Promise<Mutation> {
  const shard = shardOf(hashOfId(id), world.shardCount)
  const tries = act.isUrgent === true ? MOST_URGENT_TRIES : MOST_TRIES
  for (let left = tries; left > 0; left--) {
    const [before, shardItem] = await Promise.all([world.jobs.read(id), shardOrThrow(world, shard)])
    // Faults of a body come before a stale version, and both before what only decides.
    const decide = await plan(before)
    refuseOtherVersion('the job', asking.ifVersion, versionOf(before))
    const stampMs = world.clock.nowMs()
    const auditedThrough = before === null ? 0 : await accountedThrough(world, before, shardItem)
    const fenced = activeFromOf(secondOf(stampMs), shardItem.fence)
    const activeFrom = Math.max(fenced, before?.versions.at(-1)?.activeFrom ?? 0)
    const job = decide({ nowMs: stampMs, activeFrom, auditedThrough })
    if (job === null) return unchanged(world, before as StoredJob, shard, asking, activeFrom)
    const result = resultOf(before, job)
    if (asking.isDryRun === true) return { job, before, result, activeFrom }
    const { by, requestId = null, actId = world.newId() } = asking
    const audited = { id: actId, by, action: actionOf(act, result), reason: act.reason ?? null, requestId }
    const write = writeOf(job, before, shard, stampMs, audited)
    if (!(await world.jobs.commit(write))) continue
    await announceIfLate(world, write.change)
    return { job: await madeKnown(world, job, shard), before, result, activeFrom }
  }
  throw tooBusy('the job')
}

/** Who follows the log reads past a change that is in it late, and past an announcement that is late again. */
async function announceIfLate(world: JobsWorld, change: Change): Promise<void> {
  let { ms } = change
  for (let left = MOST_ANNOUNCED; world.clock.nowMs() > ms + COMMITTED_LATE_AFTER_MS; left--) {
    if (left === 0)
      throw new Error(`the change of job ${change.jobId} is saved, but the store is too slow to tell others`)
    ms = world.clock.nowMs()
    await world.jobs.announce({ ...change, ms })
  }
}

function resultOf(before: StoredJob | null, after: StoredJob): Mutation['result'] {
  if (isDeleted(after)) return 'DELETED'
  return present(before) === null ? 'CREATED' : 'UPDATED'
}

const actionOf = ({ action }: Act, result: Mutation['result']): AuditAction =>
  action === 'job.update' && result === 'CREATED' ? 'job.create' : action

/** What follows a commit is repeated, so that a request that broke off right after it is healed by the same request again. */
async function unchanged(
  world: JobsWorld,
  job: StoredJob,
  shard: number,
  { isDryRun = false }: Asking,
  activeFrom: number,
): Promise<Mutation> {
  const isFresh = world.clock.nowMs() - job.updatedAtMs < FRESH_MS
  const known = isFresh && !isDryRun ? await madeKnown(world, job, shard) : job
  return { job: known, before: job, result: 'UNCHANGED', activeFrom }
}

async function shardOrThrow(world: JobsWorld, shard: number): Promise<ShardItem> {
  const item = await world.shards.read(shard)
  if (item === null) {
    throw new Error(
      `the item of shard ${shard} is missing. A new deployment makes it in its last step; otherwise restore it from the table’s backup`,
    )
  }
  return item
}

/** Up to where no older version is needed: neither by the audit, nor by a gap that waits, nor by one being caught up. */
async function accountedThrough(world: JobsWorld, job: StoredJob, shard: ShardItem): Promise<number> {
  const catchesUp = job.versions.some(({ misfire }) => misfire.policy === 'CATCH_UP')
  const cursors = catchesUp ? (await world.states.read(job.id)).catchUp : []
  return Math.min(shard.auditedThrough, ...[...shard.backlog, ...cursors].map(({ from }) => from - 1))
}

/**
 * Read after the commit: where a ticker opened seconds past activeFrom before the commit was known, the version says from when on
 * it is sure; and a shard that would sleep past the job's next instant is woken. One that falls asleep later finds the change itself.
 */
async function madeKnown(world: JobsWorld, job: StoredJob, shard: number): Promise<StoredJob> {
  const { fence, sleepUntil } = await shardOrThrow(world, shard)
  const newest = job.versions[job.versions.length - 1]
  if (sleepUntil !== null) await wakeIfDue(world, shard, nextDue(job, newest.activeFrom - 1), sleepUntil)
  const sureFrom = newest.sureFrom ?? sureFromOf(newest.activeFrom, fence)
  if (sureFrom === undefined || sureFrom === newest.sureFrom) return job
  const sure = { ...job, versions: [...job.versions.slice(0, -1), { ...newest, sureFrom }] }
  await world.jobs.amend(sure)
  return sure
}

async function wakeIfDue(world: JobsWorld, shard: number, due: number, sleepUntil: number): Promise<void> {
  if (due === NEVER || due >= sleepUntil) return
  const wake: WatchMessage = { type: 'wake', shard }
  const { unsent, refused } = await world.watch.send([{ body: JSON.stringify(wake) }])
  if (unsent.length + refused.length > 0)
    throw new Error(`shard ${shard} sleeps and could not be woken. Save the job again`)
}

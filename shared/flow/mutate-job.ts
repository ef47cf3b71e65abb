// One mutation of a job: read, decide, commit as one transaction, and make sure that tickers see it in time. It comes
// into force two seconds after the store's time and after all that is opened, never earlier.

import type { WatchMessage } from '../core/chain.ts'
import { activeFromOf, sureFromOf } from '../core/job/edit.ts'
import { hashOfId, shardOf } from '../core/job/id.ts'
import { type Moment, writeOf } from '../core/job/revise.ts'
import type { StoredJob } from '../core/job/stored.ts'
import { nextDue } from '../core/planner/due.ts'
import type { ShardItem } from '../core/shard.ts'
import { NEVER } from '../core/time/instants.ts'
import type { Clock, Queue, Stores } from '../ports.ts'
import { Conflict } from './refusals.ts'

export interface JobsWorld extends Pick<Stores, 'jobs' | 'shards' | 'states' | 'calendars' | 'templates'> {
  readonly clock: Clock
  readonly shardCount: number
  /** Where a sleeping shard is woken. */
  readonly watch: Pick<Queue, 'send'>
}

/** Who asks, and which version they believe to change; undefined where they do not care. */
export interface Asking {
  readonly by: string
  readonly ifVersion?: number | undefined
}

const MOST_TRIES = 8
/** A change that was committed later than this after its stamp is announced again, lest a ticker has read past it. */
const LATE_AFTER_MS = 5000

export interface Mutation {
  readonly job: StoredJob
  readonly before: StoredJob | null
}

export async function mutateJob(
  world: JobsWorld,
  id: string,
  { ifVersion }: Asking,
  decide: (old: StoredJob | null, moment: Moment) => StoredJob,
): Promise<Mutation> {
  const shard = shardOf(hashOfId(id), world.shardCount)
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const [before, shardItem] = await Promise.all([world.jobs.read(id), shardOrThrow(world, shard)])
    if (ifVersion !== undefined && (before?.version ?? 0) !== ifVersion) throw new Conflict(id, before?.version ?? 0)
    const stampMs = world.clock.nowMs()
    const now = Math.floor(stampMs / 1000)
    const auditedThrough = before === null ? 0 : await accountedThrough(world, before, shardItem)
    const job = decide(before, { now, activeFrom: activeFromOf(now, shardItem.fence), auditedThrough })
    const write = writeOf(job, before, shard, stampMs)
    if (!(await world.jobs.commit(write))) continue
    const committedMs = world.clock.nowMs()
    if (committedMs > stampMs + LATE_AFTER_MS) await world.jobs.announce({ ...write.change, ms: committedMs })
    return { job: await madeKnown(world, job, shard), before }
  }
  throw new Error(`job ${id} was changed by others ${MOST_TRIES} times in a row. Try again`)
}

async function shardOrThrow(world: JobsWorld, shard: number): Promise<ShardItem> {
  const item = await world.shards.read(shard)
  if (item === null) throw new Error(`the item of shard ${shard} is missing. Restore it from the table’s backup`)
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
  const sureFrom = sureFromOf(newest.activeFrom, fence)
  if (sureFrom === undefined) return job
  const sure = { ...job, versions: [...job.versions.slice(0, -1), { ...newest, sureFrom }] }
  await world.jobs.amend(sure)
  return sure
}

async function wakeIfDue(world: JobsWorld, shard: number, due: number, sleepUntil: number): Promise<void> {
  if (due === NEVER || due >= sleepUntil) return
  const wake: WatchMessage = { type: 'wake', shard }
  const unsent = await world.watch.send([{ body: JSON.stringify(wake) }])
  if (unsent.length > 0) throw new Error(`shard ${shard} sleeps and could not be woken. Save the job again`)
}

// What a link does when its second is fired and the next event is on its way: catch-up, audit, minutes, and jobs that
// have no instant left. Nothing here is in a hurry, and all of it can be repeated.

import { type Actor, SYSTEM } from '../core/actor.ts'
import { onceFromOf } from '../core/chain.ts'
import { wholeMinutes } from '../core/planner/depth-map.ts'
import type { ShardItem } from '../core/shard.ts'
import { minuteOf } from '../core/time/units.ts'
import { ACTIVE_AFTER_SECONDS, AUDIT_EVERY_SECONDS } from '../core/timings.ts'
import { type Audited, auditShard } from './audit.ts'
import type { JobName } from './find-job.ts'
import { catchUp } from './gaps.ts'
import { deleteJob, stopJob } from './manage-jobs.ts'
import type { ShardMemory } from './shard-memory.ts'
import { nowOf, type TickWorld } from './tick-world.ts'

export interface Maintenance {
  readonly audited: Audited | null
}

interface Link {
  readonly second: number
  readonly latenessMs: number | null
  readonly finishedJobs: readonly string[]
  readonly catchesUp: boolean
}

/** Each part for itself: one that fails keeps no other from being done, and is begun again by the next link. */
export async function maintain(
  world: TickWorld,
  memory: ShardMemory,
  item: ShardItem,
  link: Link,
): Promise<Maintenance> {
  const attempt = async <Result>(what: string, work: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await work()
    } catch (error) {
      world.warn(`${what} failed and is begun again`, { shard: memory.shard, reason: String(error) })
      return null
    }
  }
  await attempt('keeping minutes', () => keepMinutes(world, memory, item, link))
  const lastAuditMs = Math.max(memory.lastAuditMs, memory.finishedAuditMs)
  const isAuditDue = world.clock.nowMs() - lastAuditMs >= AUDIT_EVERY_SECONDS * 1000
  const audited = isAuditDue ? await attempt('the audit', () => auditShard(world, memory, item)) : null
  if (audited !== null && memory.item !== null) memory.item = { ...memory.item, auditedThrough: audited.auditedThrough }
  const caughtUp = link.catchesUp ? await attempt('catching up', () => catchUpAfresh(world, memory, item, link)) : []
  // While a gap waits, it is not known yet what a job still has to do.
  const overlooked = memory.overlookedJobs(link.second)
  const finished = item.backlog.length > 0 ? [] : [...link.finishedJobs, ...(caughtUp ?? []), ...overlooked]
  await attempt('stopping jobs', () => stopFinished(world, memory, finished, link.second))
  await attempt('deleting jobs', () => deleteOld(world, memory, link.second))
  return { audited }
}

/** The depths of minutes that are over go into items of their own, with what was sent in them and how late. */
async function keepMinutes(
  world: TickWorld,
  memory: ShardMemory,
  item: ShardItem,
  { second, latenessMs }: Link,
): Promise<void> {
  const minute = minuteOf(second)
  if (latenessMs !== null) {
    const { maxMs = 0, sumMs = 0 } = memory.lateness.get(minute) ?? {}
    memory.lateness.set(minute, { maxMs: Math.max(maxMs, latenessMs), sumMs: sumMs + latenessMs })
  }
  for (const whole of wholeMinutes(item.depths, item.fence, memory.minutesThrough)) {
    const fires = memory.snapshot.due(whole.minute * 60, (whole.minute + 1) * 60).length
    const lateness = memory.lateness.get(whole.minute) ?? { maxMs: 0, sumMs: 0 }
    await world.shards.putMinute({ shard: memory.shard, minute: whole.minute, depths: whole.depths, fires, lateness })
    memory.minutesThrough = whole.minute
  }
  for (const old of memory.lateness.keys()) if (old <= memory.minutesThrough) memory.lateness.delete(old)
}

/** What comes before may take long in a bad store: then stops that have come into force meanwhile are looked for first. */
async function catchUpAfresh(
  world: TickWorld,
  memory: ShardMemory,
  item: ShardItem,
  { second }: Link,
): Promise<string[]> {
  const isHeldUp = world.clock.nowMs() - memory.changesReadAtMs > ACTIVE_AFTER_SECONDS * 1000
  const hasWork = memory.catchingUp === null || memory.catchingUp.size > 0
  if (isHeldUp && hasWork) await memory.drain(onceFromOf(item))
  return catchUp(world, memory, Math.max(second, nowOf(world)))
}

/** A job that will never be due again says so; an edit revives it. */
async function stopFinished(
  world: TickWorld,
  memory: ShardMemory,
  jobIds: readonly string[],
  second: number,
): Promise<void> {
  for (const jobId of new Set(jobIds)) {
    const isCatchingUp = memory.catchingUp?.has(jobId) === true
    if (isCatchingUp || !memory.snapshot.hasNothingLeft(jobId, second)) continue
    const { version } = memory.snapshot.job(jobId)?.versions.at(-1) ?? { version: 0 }
    const stop = { code: 'NO_INSTANT_LEFT', reason: 'no instant left' } as const
    await asSystem(world, jobId, version, (name, asking) => stopJob(world, name, stop, asking))
  }
}

/** Jobs whose last instant is so long past that they are to be deleted by themselves. */
async function deleteOld(world: TickWorld, memory: ShardMemory, second: number): Promise<void> {
  for (const { jobId, version } of memory.deletable(second)) {
    await asSystem(world, jobId, version, (name, asking) => deleteJob(world, name, { ...asking, isForced: true }))
  }
}

/** An edit that came meanwhile decides: then nothing happens here. */
async function asSystem(
  world: TickWorld,
  jobId: string,
  version: number,
  act: (name: JobName, asking: { by: Actor; ifVersion: number }) => Promise<unknown>,
): Promise<void> {
  const [job] = await world.jobs.readMany([jobId])
  if (job === undefined || job.version !== version) return
  try {
    await act(job.definition, { by: SYSTEM, ifVersion: version })
  } catch (error) {
    world.warn('a job without instants was not dealt with', { jobId, reason: String(error) })
  }
}

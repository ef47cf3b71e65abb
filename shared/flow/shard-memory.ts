// What a warm ticker remembers of its shard: the jobs, the tickets made of them, the shard item as it wrote it last. All of
// it can be lost at any time; the store has what is needed to begin again.

import { deletedFrom, isDeleted, type StoredJob } from '../core/job/stored.ts'
import { type Lane, laneOf, NEW_LANE } from '../core/lanes.ts'
import { type PlannedRun, Snapshot } from '../core/planner/snapshot.ts'
import { ticketJobOf, writeTicketJob } from '../core/run/message.ts'
import type { ShardItem } from '../core/shard.ts'
import { NEVER } from '../core/time/instants.ts'
import { type Drained, type Follower, type FollowWorld, JobsOfShard } from './follow-jobs.ts'
import { SentRuns } from './sent-runs.ts'

/** A job that could not be deleted keeps its shard awake for so long; later it is tried whenever the shard is awake. */
const DELETION_TRIED_SECONDS = 60

/** A shard of 25,000 jobs is gone through in some ten minutes; a link spends about a millisecond on it. */
const LOOKED_AT_A_LINK = 200

export interface MinuteStats {
  maxMs: number
  sumMs: number
}

/** The jobs of a shard, with the tickets that messages are made of. */
class KnownJobs implements Follower {
  readonly snapshot = new Snapshot()
  readonly tickets = new Map<string, string>()
  /** Jobs with long runs, and the last minute of which that is known. */
  readonly slow = new Map<string, number>()
  /** Jobs that do not compile, with the reason, until they are mended. */
  readonly broken = new Map<string, string>()
  /** Jobs without an instant left, and when they are to be deleted. */
  readonly ending = new Map<string, { readonly version: number; readonly from: number }>()
  readonly #onTaken: (jobs: number) => void

  constructor(onTaken: (jobs: number) => void) {
    this.#onTaken = onTaken
  }

  take(jobs: readonly StoredJob[]): void {
    this.#onTaken(jobs.length)
    for (const job of jobs) {
      this.broken.delete(job.id)
      const from = isDeleted(job) ? null : deletedFrom(job)
      if (from === null) this.ending.delete(job.id)
      else this.ending.set(job.id, { version: job.version, from })
      this.tickets.set(job.id, writeTicketJob(ticketJobOf(job)))
    }
    const changes = this.snapshot.apply(jobs.map(({ id, versions }) => ({ id, versions })))
    for (const change of changes) if (change.type === 'broken') this.broken.set(change.jobId, change.reason)
  }

  knows(jobId: string): boolean {
    return this.snapshot.job(jobId) !== null
  }

  markSlow(jobId: string, throughMinute: number): void {
    this.slow.set(jobId, Math.max(throughMinute, this.slow.get(jobId) ?? throughMinute))
  }
}

export class ShardMemory {
  readonly shard: number
  readonly #jobs: JobsOfShard<KnownJobs>
  /** As this ticker last wrote or read it. */
  item: ShardItem | null = null
  /** Jobs that are being caught up, or null where that is not known yet. */
  catchingUp: Set<string> | null = null
  /** Those of them that are stopped: nothing happens to them until some job is changed. */
  readonly #frozen = new Set<string>()
  /** Of seconds that are not sent as a whole yet. */
  readonly sent = new SentRuns()
  changesReadAtMs = 0
  /** Grows while jobs come in: tells a long load from one that hangs. */
  jobsTaken = 0
  /** The last minute of which this ticker wrote the item. */
  minutesThrough = 0
  /** When this ticker last began an audit, and when the last finished audit that it knows of began, its own or another ticker's. */
  lastAuditMs = 0
  finishedAuditMs = 0
  /** The last minute whose one-time jobs a minute rule has looked for. */
  pointersThroughMinute = 0
  lastSentMs = 0
  readonly lateness = new Map<number, MinuteStats>()
  #lookedThroughJob: string | null = null

  constructor(world: FollowWorld, shard: number) {
    this.shard = shard
    const count = (jobs: number) => {
      this.jobsTaken += jobs
    }
    this.#jobs = new JobsOfShard(world, shard, () => new KnownJobs(count))
  }

  get snapshot(): Snapshot {
    return this.#jobs.current.snapshot
  }

  /** Jobs that are left out because they do not compile, with the reason. */
  get broken(): ReadonlyMap<string, string> {
    return this.#jobs.current.broken
  }

  async drain(onceFrom: number): Promise<Drained> {
    const drained = await this.#jobs.drain(onceFrom)
    this.changesReadAtMs = drained.startedMs
    if (drained.isCold) this.catchingUp = null
    if (drained.changes > 0) this.#thaw()
    return drained
  }

  freezeCatchUp(jobId: string): void {
    if (this.catchingUp?.delete(jobId) === true) this.#frozen.add(jobId)
  }

  #thaw(): void {
    for (const jobId of this.#frozen) this.catchingUp?.add(jobId)
    this.#frozen.clear()
  }

  ticketOf(jobId: string): string {
    const ticket = this.#jobs.current.tickets.get(jobId)
    if (ticket === undefined) throw new Error(`job ${jobId} was planned and is not known`)
    return ticket
  }

  laneOf({ jobId, version, second }: PlannedRun): Lane {
    const slowThroughMinute = this.#jobs.current.slow.get(jobId) ?? NEW_LANE.slowThroughMinute
    return laneOf({ ...NEW_LANE, slowThroughMinute }, version.timeoutSeconds, second)
  }

  /** The first second after the given one for which the shard must be awake, or NEVER. */
  nextDue(after: number): number {
    let first = this.snapshot.nextDue(after)
    for (const { from } of this.#jobs.current.ending.values()) {
      const isAhead = from > after - DELETION_TRIED_SECONDS
      if (isAhead && (first === NEVER || from < first)) first = from
    }
    return first
  }

  /** Jobs whose time to be deleted has come. */
  deletable(second: number): { readonly jobId: string; readonly version: number }[] {
    return [...this.#jobs.current.ending].flatMap(([jobId, { version, from }]) =>
      from <= second ? [{ jobId, version }] : [],
    )
  }

  /**
   * Of the next few jobs those that have no instant left. The link in which a job's last instant came stops it, but that link may have had a gap
   * to work off first, or may have died: so every job is looked at again now and then.
   */
  overlookedJobs(second: number): string[] {
    const some = this.snapshot.jobsAfter(this.#lookedThroughJob, LOOKED_AT_A_LINK)
    this.#lookedThroughJob = some.length < LOOKED_AT_A_LINK ? null : (some.at(-1)?.id ?? null)
    return this.snapshot.finished(some, second)
  }

  /** Jobs that catch up what they missed, by any definition that is still known. */
  jobsThatCatchUp(): string[] {
    const { tickets, snapshot } = this.#jobs.current
    const catchesUp = (id: string) =>
      snapshot.job(id)?.versions.some(({ misfire }) => misfire.policy === 'CATCH_UP') === true
    return [...tickets.keys()].filter(catchesUp)
  }
}

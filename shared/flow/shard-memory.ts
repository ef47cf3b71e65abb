// What a warm ticker remembers of its shard: the jobs, the tickets made of them, the shard item as it wrote it last. All of
// it can be lost at any time; the store has what is needed to begin again.

import type { StoredJob } from '../core/job/stored.ts'
import { Snapshot } from '../core/planner/snapshot.ts'
import { ticketJobOf } from '../core/run/message.ts'
import type { ShardItem } from '../core/shard.ts'
import { type Drained, type FollowWorld, JobsOfShard } from './follow-jobs.ts'

export interface MinuteStats {
  maxMs: number
  sumMs: number
}

export class ShardMemory {
  readonly shard: number
  snapshot = new Snapshot()
  readonly #tickets = new Map<string, string>()
  readonly #jobs: JobsOfShard
  /** Jobs that do not compile, with the reason, until they are mended. */
  readonly broken = new Map<string, string>()
  /** As this ticker last wrote or read it. */
  item: ShardItem | null = null
  /** Jobs that are being caught up, or null where that is not known yet. */
  catchingUp: Set<string> | null = null
  drainedMs = 0
  /** Grows while jobs come in: tells a long load from one that hangs. */
  jobsTaken = 0
  /** The last minute of which this ticker wrote the item. */
  minutesThrough = 0
  lastAuditMs = 0
  lastSentMs = 0
  readonly lateness = new Map<number, MinuteStats>()

  constructor(world: FollowWorld, shard: number) {
    this.shard = shard
    this.#jobs = new JobsOfShard(world, shard, {
      begin: () => this.#forgetAll(),
      take: (jobs) => this.#take(jobs),
      knows: (id) => this.snapshot.job(id) !== null,
    })
  }

  async drain(onceFrom: number): Promise<Drained> {
    const drained = await this.#jobs.drain(onceFrom)
    this.drainedMs = drained.startedMs
    return drained
  }

  ticketOf(jobId: string): string {
    const ticket = this.#tickets.get(jobId)
    if (ticket === undefined) throw new Error(`job ${jobId} was planned and is not known`)
    return ticket
  }

  /** Jobs that catch up what they missed, by their newest definition. */
  jobsThatCatchUp(): string[] {
    const catchesUp = (id: string) =>
      this.snapshot.job(id)?.versions.some(({ misfire }) => misfire.policy === 'CATCH_UP') === true
    return [...this.#tickets.keys()].filter(catchesUp)
  }

  #forgetAll(): void {
    this.snapshot = new Snapshot()
    this.#tickets.clear()
    this.broken.clear()
    this.catchingUp = null
  }

  #take(jobs: readonly StoredJob[]): void {
    this.jobsTaken += jobs.length
    for (const job of jobs) {
      this.broken.delete(job.id)

      this.#tickets.set(job.id, ticketJobOf(job))
    }
    const changes = this.snapshot.apply(jobs.map(({ id, versions }) => ({ id, versions })))
    for (const change of changes) if (change.type === 'broken') this.broken.set(change.jobId, change.reason)
  }
}

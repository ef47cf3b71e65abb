// Follows the jobs of a shard: all of them at first, then what the log of changes says. Tickers plan by it and the API
// searches in it. It reads some of the log again each time, because a change may be committed a little after its stamp.

import type { Change, StoredJob } from '../core/job/stored.ts'
import type { Clock, Jobs } from '../ports.ts'

/** How far back the log is read again. */
const OVERLAP_MS = 60_000
/** One-time jobs are read when their minute is this near. */
const NEAR_SECONDS = 180
/** After a long sleep there are many minutes to look into. */
const MINUTES_AT_ONCE = 16
/** What was not kept up for so long, or is so old, is thrown away and loaded anew. */
const STALE_AFTER_MS = 10 * 60_000
const OLD_AFTER_MS = 30 * 60_000

export interface FollowWorld {
  readonly jobs: Jobs
  readonly clock: Clock
}

/** Takes in jobs as they come; `begin` is called before a load, when everything known so far is to be forgotten. */
export interface Follower {
  begin(): void
  take(jobs: readonly StoredJob[]): void
  knows(jobId: string): boolean
}

export interface Drained {
  /** The store's time at which the reading began: what was committed before it is known now. */
  readonly startedMs: number
  readonly isCold: boolean
  readonly changes: number
}

const minuteOf = (second: number): number => Math.floor(second / 60)
const nameOf = ({ jobId, version }: Change): string => `${jobId}.${version}`

export class JobsOfShard {
  readonly #world: FollowWorld
  readonly #shard: number
  readonly #follower: Follower
  /** Changes taken in already, with their times, as long as they may be read again. */
  readonly #seen = new Map<string, number>()
  #loadedMs = Number.NEGATIVE_INFINITY
  #drainedMs = Number.NEGATIVE_INFINITY
  /** One-time jobs up to the end of this minute are known. */
  #onceThroughMinute = 0

  constructor(world: FollowWorld, shard: number, follower: Follower) {
    this.#world = world
    this.#shard = shard
    this.#follower = follower
  }

  /** `onceFrom` is the first second whose one-time jobs still matter; it is asked only on a cold start. */
  async drain(onceFrom: number): Promise<Drained> {
    const startedMs = this.#world.clock.nowMs()
    const isCold = startedMs - this.#drainedMs > STALE_AFTER_MS || startedMs - this.#loadedMs > OLD_AFTER_MS
    if (isCold) await this.#load(startedMs, onceFrom)
    const changes = await this.#takeChanges((isCold ? startedMs : this.#drainedMs) - OVERLAP_MS)
    await this.#takeOnce(minuteOf(startedMs / 1000 + NEAR_SECONDS))
    this.#drainedMs = startedMs
    return { startedMs, isCold, changes }
  }

  async #load(startedMs: number, onceFrom: number): Promise<void> {
    this.#drainedMs = Number.NEGATIVE_INFINITY
    this.#follower.begin()
    this.#seen.clear()
    for await (const jobs of this.#world.jobs.load(this.#shard)) this.#follower.take(jobs)
    this.#onceThroughMinute = minuteOf(onceFrom) - 1
    this.#loadedMs = startedMs
  }

  async #takeChanges(fromMs: number): Promise<number> {
    const changes = await this.#world.jobs.changes(this.#shard, fromMs)
    const fresh = changes.filter((change) => !this.#seen.has(nameOf(change)))
    const wanted = fresh.filter((change) => this.#isWanted(change)).map(({ jobId }) => jobId)
    if (wanted.length > 0) this.#follower.take(await this.#world.jobs.readMany(wanted))
    for (const change of fresh) this.#seen.set(nameOf(change), change.ms)
    for (const [name, ms] of this.#seen) if (ms < fromMs) this.#seen.delete(name)
    return fresh.length
  }

  /** A one-time job that is far ahead is found again by its pointer when its minute comes near. */
  #isWanted({ once, jobId }: Change): boolean {
    if (once === null || this.#follower.knows(jobId)) return true
    return once.firstInstant !== null && minuteOf(once.firstInstant) <= this.#onceThroughMinute
  }

  async #takeOnce(throughMinute: number): Promise<void> {
    while (this.#onceThroughMinute < throughMinute) {
      const last = Math.min(throughMinute, this.#onceThroughMinute + MINUTES_AT_ONCE)
      const minutes = Array.from({ length: last - this.#onceThroughMinute }, (_, n) => last - n)
      const pointers = await Promise.all(minutes.map((minute) => this.#world.jobs.pointers(this.#shard, minute)))
      const ids = pointers.flat().map(({ jobId }) => jobId)
      const unknown = ids.filter((id) => !this.#follower.knows(id))
      if (unknown.length > 0) this.#follower.take(await this.#world.jobs.readMany(unknown))
      this.#onceThroughMinute = last
    }
  }
}

// Follows the jobs of a shard: all of them at first, then what the log of changes says. Tickers plan by it and the API
// searches in it.

import { type Change, isLaneNotice, type StoredJob } from '../core/job/stored.ts'
import { minuteOf } from '../core/time/units.ts'
import type { Clock, Jobs } from '../ports.ts'
import { ChangeLog } from './change-log.ts'

/** A notice about a lane matters for two minutes, so the first read of the log after a load goes back that far. */
const LANES_BACK_MS = 120_000
/** One-time jobs are read when their minute is this near. */
const NEAR_SECONDS = 180
/** After a long sleep there are many minutes to look into. */
const MINUTES_AT_ONCE = 16
/** What was not kept up for so long, or is so old, is thrown away and loaded anew. */
const STALE_AFTER_MS = 10 * 60_000
const OLD_AFTER_MS = 30 * 60_000
/** A function is frozen between two calls, and what it was reading may never come: then it is begun again, and at last done at once. */
const RELOAD_GIVEN_UP_MS = 2 * 60_000
const MOST_RELOADS = 5
/** A change whose writer died before it could announce it late is found by a search within this. */
const SEARCH_SETTLED_EVERY_MS = 5000

export interface FollowWorld {
  readonly jobs: Jobs
  readonly clock: Clock
}

/** Takes in jobs as they come. One that is older than what is known changes nothing. */
export interface Follower {
  take(jobs: readonly StoredJob[]): void
  knows(jobId: string): boolean
  /** Whether a version need not be read again. Tickers do not have this: a version may still be amended after its commit. */
  isTaken?(jobId: string, version: number): boolean
  /** The job's runs go on the slow lane up to the end of a minute. */
  markSlow?(jobId: string, throughMinute: number): void
}

export interface Drained {
  /** The store's time at which the reading began: what was committed before it is known now. */
  readonly startedMs: number
  readonly isCold: boolean
  readonly changes: number
}

/** A load that runs beside the ticks: what is old is replaced when its successor is whole. */
interface Reload<Known> {
  readonly known: Known
  readonly startedMs: number
  state: 'loading' | 'loaded' | 'failed'
}

export class JobsOfShard<Known extends Follower> {
  readonly #world: FollowWorld
  readonly #shard: number
  readonly #make: () => Known
  /** Whether one-time jobs are held however far ahead they are, and not only when their minute is near. */
  readonly #holdsAllOnce: boolean
  /** What is known now. */
  current: Known
  readonly #log: ChangeLog
  #reload: Reload<Known> | null = null
  #reloadsFailed = 0
  #loadedMs = Number.NEGATIVE_INFINITY
  #changesReadAtMs = Number.NEGATIVE_INFINITY
  /** One-time jobs up to the end of this minute are known. */
  #onceThroughMinute = 0

  constructor(world: FollowWorld, shard: number, make: () => Known, forSearch = false) {
    this.#world = world
    this.#shard = shard
    // A ticker must know every commit, a search each that was acknowledged.
    this.#log = new ChangeLog(world.jobs, shard, forSearch ? SEARCH_SETTLED_EVERY_MS : 0)
    this.#make = make
    this.#holdsAllOnce = forSearch
    this.current = make()
  }

  /** `onceFrom` is the first second whose one-time jobs still matter; it is asked only when jobs were loaded anew. */
  async drain(onceFrom: number): Promise<Drained> {
    const startedMs = this.#world.clock.nowMs()
    const isCold = startedMs - this.#changesReadAtMs > STALE_AFTER_MS || this.#reloadsFailed >= MOST_RELOADS
    if (isCold) await this.#load(startedMs, onceFrom)
    else this.#renew(startedMs, onceFrom)
    const changes = await this.#takeChanges(this.#changesReadAtMs, startedMs)
    if (!this.#holdsAllOnce) await this.#takeOnce(minuteOf(startedMs / 1000 + NEAR_SECONDS))
    this.#changesReadAtMs = startedMs
    return { startedMs, isCold, changes }
  }

  async #load(startedMs: number, onceFrom: number): Promise<void> {
    const known = this.#make()
    this.#changesReadAtMs = Number.NEGATIVE_INFINITY
    this.current = known
    await this.#loadInto(known)
    this.#adopt(known, startedMs, onceFrom)
  }

  async #loadInto(known: Known): Promise<void> {
    for await (const jobs of this.#world.jobs.load(this.#shard)) known.take(jobs)
    if (!this.#holdsAllOnce) return
    for await (const jobs of this.#world.jobs.loadOnce(this.#shard)) known.take(jobs)
  }

  #adopt(known: Known, startedMs: number, onceFrom: number): void {
    this.current = known
    this.#reload = null
    this.#reloadsFailed = 0
    this.#log.forget()
    this.#onceThroughMinute = minuteOf(onceFrom) - 1
    this.#loadedMs = startedMs
    this.#changesReadAtMs = startedMs - LANES_BACK_MS
  }

  /** Loads anew beside what is known when that is old, and takes the new in its place once it is whole. */
  #renew(startedMs: number, onceFrom: number): void {
    const isOld = startedMs - this.#loadedMs > OLD_AFTER_MS
    if (this.#reload?.state === 'loaded') this.#adopt(this.#reload.known, this.#reload.startedMs, onceFrom)
    else if (this.#reload !== null && this.#isGivenUp(this.#reload, startedMs)) {
      this.#reload = null
      this.#reloadsFailed += 1
    } else if (isOld && this.#reload === null) {
      this.#reload = { known: this.#make(), startedMs, state: 'loading' }
      void this.#loadBeside(this.#reload)
    }
  }

  #isGivenUp({ state, startedMs }: Reload<Known>, nowMs: number): boolean {
    return state === 'failed' || nowMs - startedMs > RELOAD_GIVEN_UP_MS
  }

  async #loadBeside(reload: Reload<Known>): Promise<void> {
    try {
      await this.#loadInto(reload.known)
      reload.state = 'loaded'
    } catch {
      // What is known stays as good as it was; the next drain begins again.
      reload.state = 'failed'
    }
  }

  async #takeChanges(readMs: number, nowMs: number): Promise<number> {
    const fresh = await this.#log.fresh(readMs, nowMs)
    const edits = fresh.filter((change) => !isLaneNotice(change))
    const wanted = edits.filter((change) => this.#isWanted(change)).map(({ jobId }) => jobId)
    if (wanted.length > 0) this.current.take(await this.#world.jobs.readMany(wanted))
    for (const { jobId, slowThroughMinute } of fresh) {
      if (slowThroughMinute !== undefined) this.current.markSlow?.(jobId, slowThroughMinute)
    }
    this.#log.taken(fresh)
    return edits.length
  }

  /** A one-time job that is far ahead is found again by its pointer when its minute comes near. */
  #isWanted({ once, jobId, version }: Change): boolean {
    if (this.current.isTaken?.(jobId, version) === true) return false
    if (once === null || this.#holdsAllOnce || this.current.knows(jobId)) return true
    return once.firstInstant !== null && minuteOf(once.firstInstant) <= this.#onceThroughMinute
  }

  async #takeOnce(throughMinute: number): Promise<void> {
    while (this.#onceThroughMinute < throughMinute) {
      const last = Math.min(throughMinute, this.#onceThroughMinute + MINUTES_AT_ONCE)
      const minutes = Array.from({ length: last - this.#onceThroughMinute }, (_, n) => last - n)
      const pointers = await Promise.all(minutes.map((minute) => this.#world.jobs.pointers(this.#shard, minute)))
      const ids = pointers.flat().map(({ jobId }) => jobId)
      const unknown = ids.filter((id) => !this.current.knows(id))
      if (unknown.length > 0) this.current.take(await this.#world.jobs.readMany(unknown))
      this.#onceThroughMinute = last
    }
  }
}

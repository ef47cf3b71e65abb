// When each job last failed, for search. Read from the feed of failures hour by hour: all of its days at first, then only what came
// since.

import { parseRunId } from '../core/run/run.ts'
import type { Clock, Ledger } from '../ports.ts'

export interface FailuresWorld {
  readonly ledger: Pick<Ledger, 'recent'>
  readonly clock: Clock
}

const HOUR_MS = 3_600_000
const HOURS_AT_ONCE = 24
/** A line may be written a little after the end that it tells of. */
const OVERLAP_MS = 60_000

export class RecentFailures {
  readonly #world: FailuresWorld
  readonly #shardCount: number
  readonly #hoursBack: number
  readonly #last = new Map<string, number>()
  #readThroughMs: number | null = null

  constructor(world: FailuresWorld, shardCount: number, days: number) {
    this.#world = world
    this.#shardCount = shardCount
    this.#hoursBack = days * 24
  }

  lastOf(jobId: string): number | null {
    return this.#last.get(jobId) ?? null
  }

  async update(): Promise<void> {
    const nowMs = this.#world.clock.nowMs()
    const oldest = Math.floor(nowMs / HOUR_MS) - this.#hoursBack
    const first = this.#readThroughMs === null ? oldest : Math.floor((this.#readThroughMs - OVERLAP_MS) / HOUR_MS)
    const hours = Array.from({ length: Math.floor(nowMs / HOUR_MS) - first + 1 }, (_, place) => first + place)
    for (let from = 0; from < hours.length; from += HOURS_AT_ONCE) {
      await Promise.all(hours.slice(from, from + HOURS_AT_ONCE).map((hour) => this.#readHour(hour)))
    }
    this.#readThroughMs = nowMs
    for (const [jobId, ms] of this.#last) if (ms < oldest * HOUR_MS) this.#last.delete(jobId)
  }

  async #readHour(hour: number): Promise<void> {
    for (let shard = 0; shard < this.#shardCount; shard++) {
      for (const { runId, ms } of await this.#world.ledger.recent(shard, hour, 'failed')) {
        const { jobId } = parseRunId(runId)
        this.#last.set(jobId, Math.max(ms, this.#last.get(jobId) ?? 0))
      }
    }
  }
}

// What a start has seen of its runs, and the ring made of it: what is to come, what fired and how late, what runs, failed or was missed.
// It reads no clock and no store; it is told.

import { NEVER } from '../../shared/core/time/instants.ts'
import type { Zone } from '../../shared/core/time/zone.ts'
import { type Figures, type Happening, type JobView, type RingView, SECONDS_AHEAD, SLOTS, type Slot } from './view.ts'

/** A run that began. */
export interface SeenRun {
  readonly second: number
  readonly name: string
  readonly attempt: number
  /** Null while that is not known. */
  readonly latenessMs: number | null
}

/** What the coming seconds hold. */
export interface Ahead {
  readonly counts: ReadonlyMap<number, number>
  readonly nextRun: number
  /** The first instant of each job within them, by name. */
  readonly next: ReadonlyMap<string, number>
  explanationOf(name: string): string
}

const NOTHING_AHEAD: Ahead = {
  counts: new Map(),
  nextRun: NEVER,
  next: new Map(),
  explanationOf: () => '',
}

const MOST_NAMED_A_SECOND = 12
const KEPT_HAPPENINGS = 100
const LATENESS_OVER_SECONDS = 60
const MOST_JOBS_SHOWN = 8

interface JobCount {
  fired: number
  worstLatenessMs: number | null
  lastSecond: number
}

export class RingModel {
  readonly #jobs = new Map<string, JobCount>()
  readonly #firedAt = new Map<number, number>()
  #latenesses: { readonly atSecond: number; readonly ms: number }[] = []
  #latest: readonly Happening[] = []
  #fired = 0
  #failed = 0
  #missed = 0
  running = 0
  ahead: Ahead = NOTHING_AHEAD

  /** Runs that were not told of before; returns what is to be shown of them. */
  fired(runs: readonly SeenRun[]): Happening[] {
    for (const { second, name, attempt, latenessMs } of runs) {
      this.#firedAt.set(second, (this.#firedAt.get(second) ?? 0) + 1)
      const job = this.#jobs.get(name) ?? { fired: 0, worstLatenessMs: null, lastSecond: 0 }
      this.#jobs.set(name, job)
      job.fired += 1
      job.lastSecond = Math.max(job.lastSecond, second)
      if (latenessMs !== null && attempt === 1) job.worstLatenessMs = Math.max(job.worstLatenessMs ?? 0, latenessMs)
    }
    const bySecond = [...Map.groupBy(runs, ({ second }) => second)].sort(([a], [b]) => a - b)
    return this.#keep(bySecond.flatMap(([second, all]) => happeningsOf(second, all)))
  }

  /** What executors said of runs that began: how late, by the second in which they said it. */
  began(latenessesMs: readonly number[], atSecond: number): void {
    this.#fired += latenessesMs.length
    for (const ms of latenessesMs) this.#latenesses.push({ atSecond, ms })
  }

  failed(count: number): void {
    this.#failed += count
  }

  missed(second: number, count: number): Happening[] {
    this.#missed += count
    return this.#keep([{ type: 'missed', second, count }])
  }

  #keep(happenings: readonly Happening[]): Happening[] {
    this.#latest = [...happenings.toReversed(), ...this.#latest].slice(0, KEPT_HAPPENINGS)
    return [...happenings]
  }

  view(second: number, zone: Zone): RingView {
    this.#forget(second)
    const { ahead } = this
    return {
      second,
      zone,
      slots: this.#slots(second),
      nextRun: ahead.nextRun,
      jobs: this.#jobsShown(second),
      latest: this.#latest,
      figures: this.#figures(),
    }
  }

  #forget(second: number): void {
    for (const each of this.#firedAt.keys()) if (each <= second - SLOTS) this.#firedAt.delete(each)
    this.#latenesses = this.#latenesses.filter(({ atSecond }) => atSecond > second - LATENESS_OVER_SECONDS)
  }

  #slots(second: number): Slot[] {
    return Array.from({ length: SLOTS }, (_, slot) => {
      const secondsAhead = (slot - (second % SLOTS) + SLOTS) % SLOTS
      const isAhead = secondsAhead > 0 && secondsAhead <= SECONDS_AHEAD
      const at = isAhead ? second + secondsAhead : second - ((SLOTS - secondsAhead) % SLOTS)
      return {
        due: isAhead ? (this.ahead.counts.get(at) ?? 0) : 0,
        fired: isAhead ? 0 : (this.#firedAt.get(at) ?? 0),
      }
    })
  }

  /** Those that are due soonest or fired last, by name. */
  #jobsShown(second: number): JobView[] {
    const { next } = this.ahead
    const names = [...new Set([...next.keys(), ...this.#jobs.keys()])]
    const distance = (name: string) =>
      Math.min((next.get(name) ?? Number.POSITIVE_INFINITY) - second, second - (this.#jobs.get(name)?.lastSecond ?? 0))
    const shown = names.sort((a, b) => distance(a) - distance(b)).slice(0, MOST_JOBS_SHOWN)
    return shown.sort().map((name) => ({
      name,
      explanation: this.ahead.explanationOf(name),
      nextInstant: next.get(name) ?? NEVER,
      firedCount: this.#jobs.get(name)?.fired ?? 0,
      worstLatenessMs: this.#jobs.get(name)?.worstLatenessMs ?? null,
    }))
  }

  #figures(): Figures {
    const sorted = this.#latenesses.map(({ ms }) => ms).sort((a, b) => a - b)
    const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
    const lateness = sorted.length === 0 ? null : { p50Ms: at(0.5), p99Ms: at(0.99) }
    return { fired: this.#fired, running: this.running, failed: this.#failed, missed: this.#missed, lateness }
  }
}

function happeningsOf(second: number, runs: readonly SeenRun[]): Happening[] {
  if (runs.length > MOST_NAMED_A_SECOND) return [{ type: 'many', second, count: runs.length }]
  return runs.map(({ name, attempt, latenessMs }) => ({ type: 'fired', second, name, attempt, latenessMs }))
}

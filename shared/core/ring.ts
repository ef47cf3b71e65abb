// Sixty slots, one for each second of a minute. Runs are put on the ring up to a minute ahead and taken when their
// second comes. A run is handed out once, whatever is put on again and however the turns fall.

import { LIVE_SECONDS } from './planner/misfire.ts'

export interface RingRun {
  readonly jobId: string
  readonly second: number
  readonly kind: string
}

const SLOTS = 60

const keyOf = ({ jobId, second, kind }: RingRun): string => `${second}.${jobId}.${kind}`

export class Ring<Run extends RingRun> {
  readonly #slots: Map<string, Run>[] = Array.from({ length: SLOTS }, () => new Map())
  /** Handed out already, by second; kept as long as a late plan may name them again. */
  readonly #taken = new Map<number, Set<string>>()

  /** Runs that were there already, or were handed out, are left out. So are those too far ahead or too old for the ring. */
  put(runs: Iterable<Run>, now: number): void {
    for (const run of runs) {
      const isOnRing = run.second < now + SLOTS - LIVE_SECONDS && run.second >= now - LIVE_SECONDS
      const wasTaken = this.#taken.get(run.second)?.has(keyOf(run)) === true
      if (isOnRing && !wasTaken) this.#slots[run.second % SLOTS].set(keyOf(run), run)
    }
  }

  /** What is due at this turn: the current slot and two before it, then what is later than that, up to ten seconds. */
  take(now: number): Run[] {
    const due: Run[] = []
    for (let behind = 0; behind <= LIVE_SECONDS; behind++) due.push(...this.#takeSecond(now - behind))
    for (const second of this.#taken.keys()) if (second < now - SLOTS) this.#taken.delete(second)
    // What nobody took within ten seconds is no longer the ring's: without this it would stay for ever.
    for (const slot of this.#slots) {
      for (const [key, run] of slot) if (run.second < now - LIVE_SECONDS) slot.delete(key)
    }
    return due
  }

  #takeSecond(second: number): Run[] {
    const slot = this.#slots[((second % SLOTS) + SLOTS) % SLOTS]
    const due = [...slot.values()].filter((run) => run.second === second)
    if (due.length === 0) return []
    const taken = this.#taken.get(second) ?? new Set()
    this.#taken.set(second, taken)
    for (const run of due) {
      taken.add(keyOf(run))
      slot.delete(keyOf(run))
    }
    return due
  }

  /** Takes off what some jobs have on the ring and puts on what they have now: their definitions changed. */
  replan(jobIds: ReadonlySet<string>, runs: Iterable<Run>, now: number): void {
    for (const slot of this.#slots) {
      for (const [key, run] of slot) if (jobIds.has(run.jobId)) slot.delete(key)
    }
    this.put(runs, now)
  }

  /** How many runs wait in each slot, for drawing. */
  counts(): number[] {
    return this.#slots.map((slot) => slot.size)
  }
}

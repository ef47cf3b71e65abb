// The time of the store. A machine's own clock may be an hour off; what DynamoDB writes into the Date of its answers is
// what all processes agree on. Between two answers a clock that only runs forward carries it on.

import { secondOf } from '../core/time/units.ts'

const DATE_RESOLUTION_MS = 1000
/** More than an answer takes that no freeze held up. */
const DISBELIEF_MS = 5000
/** Two clocks of one machine drift apart by far less than this between two answers. */
const FROZEN_MS = 1000

export interface LocalClock {
  /** The machine's wall clock, which may be wrong and may jump. */
  readonly wallMs: () => number
  /** A clock that never jumps; its zero means nothing. */
  readonly steadyMs: () => number
}

/** A moment by both clocks of the machine. */
export interface Moment {
  readonly steadyMs: number
  readonly wallMs: number
}

export class StoreClock {
  readonly #local: LocalClock
  #dateMs: number | null = null
  #observed: Moment = { steadyMs: 0, wallMs: 0 }

  constructor(local: LocalClock) {
    this.#local = local
  }

  /** To be kept while the store is asked. */
  moment(): Moment {
    return { steadyMs: this.#local.steadyMs(), wallMs: this.#local.wallMs() }
  }

  /**
   * An answer of the store says that its clock stood at this second, at some time after it was asked. An answer may stay unread while
   * the process is frozen, or while a handler computes: taken for news, it would set the clock back by as long as that lasted.
   */
  observe(dateMs: number, asked: Moment = this.moment()): void {
    const tookMs = this.#local.steadyMs() - asked.steadyMs
    // No clock of this machine can say how old this answer is.
    if (this.#stoodStillSince(asked)) return
    if (this.#dateMs === null && tookMs > DISBELIEF_MS) return
    const [earliest] = this.#bounds()
    // Answers may overtake one another, and a Date is cut to the second: one that says less than is known teaches
    // nothing. One that says much less than was known when it was asked for means that our own steady clock runs too
    // fast, and then the store is right.
    const saysLess = this.#dateMs !== null && dateMs < earliest
    if (saysLess && dateMs > earliest - tookMs - DISBELIEF_MS) return
    this.#dateMs = dateMs
    this.#observed = this.moment()
  }

  /** Whether the store has said its time. Until then a claim would be made by the machine's, which may be an hour off. */
  get isSet(): boolean {
    return this.#dateMs !== null
  }

  /**
   * Whether the machine's two clocks disagree on how long ago the last answer was. Lambda freezes an environment between two calls, and
   * its steady clock may stand still meanwhile: carried on by it, the store's time would be behind by as long as that lasted.
   */
  wasFrozen(): boolean {
    return this.#dateMs !== null && this.#stoodStillSince(this.#observed)
  }

  /** Until the store answers again, the machine's own time counts. */
  forget(): void {
    this.#dateMs = null
  }

  /** The machine's time, but never before the store's Date and never more than a second after it. */
  nowMs(): number {
    const wall = this.#local.wallMs()
    if (this.#dateMs === null) return wall
    const [earliest, latest] = this.#bounds()
    // Clocks that never jump count in fractions; times that are written down are whole.
    return Math.floor(Math.min(Math.max(wall, earliest), latest))
  }

  nowSecond(): number {
    return secondOf(this.nowMs())
  }

  /** How far the machine's clock is off, for a metric. */
  skewMs(): number {
    return this.#local.wallMs() - this.nowMs()
  }

  #stoodStillSince({ steadyMs, wallMs }: Moment): boolean {
    const steadyPassedMs = this.#local.steadyMs() - steadyMs
    const wallPassedMs = this.#local.wallMs() - wallMs
    return Math.abs(wallPassedMs - steadyPassedMs) > FROZEN_MS
  }

  #bounds(): [earliest: number, latest: number] {
    const earliest = (this.#dateMs ?? 0) + this.#local.steadyMs() - this.#observed.steadyMs
    return [earliest, earliest + DATE_RESOLUTION_MS]
  }
}

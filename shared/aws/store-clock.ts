// The time of the store. A machine's own clock may be an hour off; what DynamoDB writes into the Date of its answers is
// what all processes agree on. Between two answers a clock that only runs forward carries it on.

const DATE_RESOLUTION_MS = 1000
/** More than the slowest answer takes. */
const DISBELIEF_MS = 5000
/** Two clocks of one machine drift apart by far less than this between two answers. */
const FROZEN_MS = 1000

export interface LocalClock {
  /** The machine's wall clock, which may be wrong and may jump. */
  readonly wallMs: () => number
  /** A clock that never jumps; its zero means nothing. */
  readonly steadyMs: () => number
}

export class StoreClock {
  readonly #local: LocalClock
  #dateMs: number | null = null
  #observedAtMs = 0
  #wallAtMs = 0

  constructor(local: LocalClock) {
    this.#local = local
  }

  /** An answer of the store says that its clock stood at this second. */
  observe(dateMs: number): void {
    const [earliest] = this.#bounds()
    // Answers may overtake one another, and a Date is cut to the second: one that says less than is known teaches
    // nothing. One that says much less means that our own steady clock runs too fast, and then the store is right.
    const saysLess = this.#dateMs !== null && dateMs < earliest
    if (saysLess && dateMs > earliest - DISBELIEF_MS) return
    this.#dateMs = dateMs
    this.#observedAtMs = this.#local.steadyMs()
    this.#wallAtMs = this.#local.wallMs()
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
    if (this.#dateMs === null) return false
    const steadyPassedMs = this.#local.steadyMs() - this.#observedAtMs
    const wallPassedMs = this.#local.wallMs() - this.#wallAtMs
    return Math.abs(wallPassedMs - steadyPassedMs) > FROZEN_MS
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
    return Math.floor(this.nowMs() / 1000)
  }

  /** How far the machine's clock is off, for a metric. */
  skewMs(): number {
    return this.#local.wallMs() - this.nowMs()
  }

  #bounds(): [earliest: number, latest: number] {
    const earliest = (this.#dateMs ?? 0) + this.#local.steadyMs() - this.#observedAtMs
    return [earliest, earliest + DATE_RESOLUTION_MS]
  }
}

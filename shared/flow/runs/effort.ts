// How much one request may look at before it answers with what it has and where to go on.

import type { Clock } from '../../ports.ts'

const MOST_PAGES = 400
const MOST_MS = 2000

export class Effort {
  readonly #clock: Clock
  readonly #untilMs: number
  #pages = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#untilMs = clock.nowMs() + MOST_MS
  }

  spend(pages: number): void {
    this.#pages += pages
  }

  get isSpent(): boolean {
    return this.#pages >= MOST_PAGES || this.#clock.nowMs() >= this.#untilMs
  }
}

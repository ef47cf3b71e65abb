// Turns of the event loop. Long work takes one for each piece of it, so that what else waits comes in between.

/** Lets what waits have its turn before long work goes on. */
export type Rest = () => Promise<void>

/** For work that many do at once: all that rest at the same time go on in the same turn, so here one waits for the other. */
export class Turns {
  readonly #rest: Rest
  #last = Promise.resolve()

  constructor(rest: Rest) {
    this.#rest = rest
  }

  own(): Promise<void> {
    this.#last = this.#last.then(this.#rest)
    return this.#last
  }
}

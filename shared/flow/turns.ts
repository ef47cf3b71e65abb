// Turns of the event loop. Long work takes one for each piece of it, so that what else waits comes in between.

/** Lets what waits have its turn before long work goes on. */
export const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** For work that many do at once: each piece has a turn to itself, for all that rest at the same time go on in the same turn. */
export class Turns {
  #last = Promise.resolve()

  own(): Promise<void> {
    this.#last = this.#last.then(rest)
    return this.#last
  }
}

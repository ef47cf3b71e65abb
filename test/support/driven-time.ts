// Time that a test drives: it stands still while anything happens, and jumps to the next moment for which a process waits.

export class DrivenTime {
  #nowMs: number
  #waiting: { readonly ms: number; readonly wake: () => void }[] = []

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  nowMs = (): number => this.#nowMs

  until = (ms: number, signal?: AbortSignal): Promise<void> =>
    ms <= this.#nowMs ? Promise.resolve() : this.turn(ms, signal)

  /** The same, but where that time is now it comes after everything that is already happening. */
  turn = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted === true) return Promise.resolve()
    return new Promise((wake) => {
      const waiter = { ms, wake }
      this.#waiting.push(waiter)
      signal?.addEventListener('abort', () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiter)
        wake()
      })
    })
  }

  /** Calls to the world outside that are under way: time stands still until they are over. */
  #calls = 0
  #settled: (() => void) | null = null

  track<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls += 1
    const over = () => {
      this.#calls -= 1
      this.#settled?.()
    }
    call.then(over, over)
    return call
  }

  async #quiet(): Promise<void> {
    do {
      if (this.#calls > 0) await new Promise<void>((resolve) => (this.#settled = resolve))
      // Work in memory is over when the queue of immediates has been through.
      await new Promise((resolve) => setImmediate(resolve))
    } while (this.#calls > 0)
  }

  /** Lets everything happen that is due up to a time. */
  async run(untilMs: number): Promise<void> {
    for (;;) {
      await this.#quiet()
      const [next] = this.#waiting.sort((a, b) => a.ms - b.ms)
      if (next === undefined || next.ms > untilMs) break
      this.#waiting.shift()
      this.#nowMs = Math.max(this.#nowMs, next.ms)
      next.wake()
    }
    this.#nowMs = untilMs
  }

  /** Time passes in which no process does anything: a process that waits wakes up late. */
  skip(seconds: number): void {
    this.#nowMs += seconds * 1000
  }
}

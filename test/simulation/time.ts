// Virtual time: one heap of moments for which a process waits. It stands still while anything happens and then jumps to the
// next moment; of two at the same moment the one that was asked for first comes first. So a seed always runs the same way.

interface Waiter {
  readonly ms: number
  readonly place: number
  wake: (() => void) | null
}

const comesBefore = (a: Waiter, b: Waiter): boolean => a.ms < b.ms || (a.ms === b.ms && a.place < b.place)

export class SimTime {
  #nowMs: number
  readonly #heap: Waiter[] = []
  #asked = 0
  /** Calls to engines outside that are under way: time stands still until they are over. */
  #calls = 0
  #settled: () => void = () => {}

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  nowMs = (): number => this.#nowMs

  until = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms <= this.#nowMs || signal?.aborted === true) return Promise.resolve()
    return new Promise((wake) => {
      const waiter = this.#push(ms, wake)
      signal?.addEventListener(
        'abort',
        () => {
          waiter.wake = null
          wake()
        },
        { once: true },
      )
    })
  }

  pause = (ms: number): Promise<void> => this.until(this.#nowMs + ms)

  at(ms: number, act: () => void): void {
    this.#push(Math.max(ms, this.#nowMs), act)
  }

  track<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls += 1
    const over = () => {
      this.#calls -= 1
      this.#settled()
    }
    call.then(over, over)
    return call
  }

  async #quiet(): Promise<void> {
    do {
      if (this.#calls > 0) {
        await new Promise<void>((resolve) => {
          this.#settled = resolve
        })
      }
      // A tick that is asked for by a promise comes when no other promise has anything left to do.
      await new Promise<void>((resolve) => process.nextTick(resolve))
    } while (this.#calls > 0)
  }

  /** Lets everything happen that is due up to a time. */
  async run(untilMs: number): Promise<void> {
    for (;;) {
      await this.#quiet()
      const next = this.#heap[0]
      if (next === undefined || next.ms > untilMs) break
      this.#pop()
      if (next.wake === null) continue
      this.#nowMs = next.ms
      next.wake()
    }
    this.#nowMs = untilMs
  }

  #push(ms: number, wake: () => void): Waiter {
    this.#asked += 1
    const waiter: Waiter = { ms, place: this.#asked, wake }
    const heap = this.#heap
    let at = heap.length
    heap.push(waiter)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!comesBefore(waiter, heap[parent])) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = waiter
    return waiter
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && comesBefore(heap[child + 1], heap[child])) child += 1
      if (!comesBefore(heap[child], last)) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
  }
}

// The environments of one function, as Lambda keeps them: an idle one is used again, a busy one is never shared, no more
// than a number at once, and one that takes too long or is killed never comes back.

export interface Environment<Event, Result> {
  handle(event: Event): Promise<Result>
  /** Nothing that the environment does from now on reaches the world. */
  kill(): void
  /** True where it can serve another event although a call failed; absent where a failure is its end. */
  readonly isAlive?: boolean
}

/** Time as the pool lives it: the machine's, or one that a test drives. */
export interface PoolTime {
  nowMs(): number
  until(ms: number, signal?: AbortSignal): Promise<void>
}

/** Timers that are still set when a stack has stopped keep no process alive. */
export const REAL_TIME: PoolTime = {
  nowMs: () => Date.now(),
  until: (ms, signal) =>
    new Promise((wake) => {
      const timer = setTimeout(wake, Math.max(0, ms - Date.now())).unref()
      signal?.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }),
}

export interface PoolOptions<Event, Result> {
  readonly time: PoolTime
  readonly make: () => Environment<Event, Result>
  readonly most: number
  /** How many are made as soon as they are needed, and how long a call waits for one of them before another is made. */
  readonly grows?: { readonly atOnceUpTo: number; readonly thenAfterMs: number }
  readonly timeoutMs: number
}

interface Idle<Event, Result> {
  readonly environment: Environment<Event, Result>
  readonly sinceMs: number
}

export class AllBusy extends Error {}
export class TookTooLong extends Error {}

export class Pool<Event, Result> {
  readonly #options: PoolOptions<Event, Result>
  /** Told of every call when it is over, as Lambda's bill is. */
  onCall: ((event: Event, tookMs: number) => void) | null = null
  #idle: Idle<Event, Result>[] = []
  /** What runs now, and how to end the call that it serves. */
  readonly #busy = new Map<Environment<Event, Result>, (error: Error) => void>()
  /** Those that run older code end with the call that they serve. */
  readonly #outdated = new WeakSet<Environment<Event, Result>>()
  readonly #waiting: (() => void)[] = []

  constructor(options: PoolOptions<Event, Result>) {
    this.#options = options
  }

  get busy(): readonly Environment<Event, Result>[] {
    return [...this.#busy.keys()]
  }

  /** Throws where all environments are busy for longer than the caller waits. */
  async invoke(event: Event, waitMs = 0): Promise<Result> {
    const { time, timeoutMs, grows } = this.#options
    const calledMs = time.nowMs()
    const givenUpMs = calledMs + waitMs
    while (this.#busy.size >= this.#allowed(calledMs)) {
      const nowMs = time.nowMs()
      if (nowMs >= givenUpMs) throw new AllBusy('all environments are busy')
      const growsMs = calledMs + (grows?.thenAfterMs ?? 0)
      await this.#oneIsFree(nowMs < growsMs ? Math.min(growsMs, givenUpMs) : givenUpMs)
    }
    const environment = this.#idle.pop()?.environment ?? this.#options.make()
    const startedMs = time.nowMs()
    const over = new AbortController()
    const cutOff = new Promise<never>((_, reject) => {
      this.#busy.set(environment, reject)
      void time
        .until(time.nowMs() + timeoutMs, over.signal)
        .then(() => reject(new TookTooLong('the function took too long')))
    })
    try {
      const result = await Promise.race([environment.handle(event), cutOff])
      this.#keep(environment)
      return result
    } catch (error) {
      if (environment.isAlive === true && !(error instanceof TookTooLong)) this.#keep(environment)
      else environment.kill()
      throw error
    } finally {
      this.onCall?.(event, time.nowMs() - startedMs)
      // A reason of one's own, because making the usual one is slow.
      over.abort('over')
      this.#busy.delete(environment)
      this.#waiting.shift()?.()
    }
  }

  #keep(environment: Environment<Event, Result>): void {
    if (!this.#busy.has(environment)) return
    if (this.#outdated.has(environment)) environment.kill()
    else this.#idle.push({ environment, sinceMs: this.#options.time.nowMs() })
  }

  /** How many may be busy beside a call that waits since a time. */
  #allowed(sinceMs: number): number {
    const { time, most, grows } = this.#options
    const isNew = grows !== undefined && time.nowMs() < sinceMs + grows.thenAfterMs
    return isNew ? Math.min(most, grows.atOnceUpTo) : most
  }

  async #oneIsFree(untilMs: number): Promise<void> {
    await new Promise<void>((free) => {
      const over = new AbortController()
      const wake = () => {
        over.abort('over')
        free()
      }
      this.#waiting.push(wake)
      void this.#options.time.until(untilMs, over.signal).then(() => {
        const place = this.#waiting.indexOf(wake)
        if (place >= 0) this.#waiting.splice(place, 1)
        free()
      })
    })
  }

  /** Makes an environment before there is an event for it. */
  warm(): void {
    if (this.#busy.size + this.#idle.length > 0) return
    this.#idle.push({ environment: this.#options.make(), sinceMs: this.#options.time.nowMs() })
  }

  /** Ends those that had nothing to do since a time. */
  retire(sinceMs: number): void {
    for (const each of this.#idle) if (each.sinceMs < sinceMs) each.environment.kill()
    this.#idle = this.#idle.filter((each) => each.sinceMs >= sinceMs)
  }

  /** Every call from now on is served by an environment that is made from now on. */
  renew(): void {
    this.retire(Number.POSITIVE_INFINITY)
    for (const environment of this.#busy.keys()) this.#outdated.add(environment)
  }

  /** Kills what runs now and forgets what is warm: the next call begins cold. */
  kill(): void {
    for (const environment of this.#busy.keys()) environment.kill()
    this.retire(Number.POSITIVE_INFINITY)
    const endings = [...this.#busy.values()]
    this.#busy.clear()
    for (const end of endings) end(new Error('the environment was killed'))
  }
}

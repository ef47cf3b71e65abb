// The environments of one function, as Lambda keeps them: an idle one is used again, a busy one is never shared, no more
// than a number at once, and one that takes too long or is killed never comes back.

export interface Environment<Event, Result> {
  handle(event: Event): Promise<Result>
  /** Nothing that the environment does from now on reaches the world. */
  kill(): void
}

/** Time as the rig lives it: the machine's, or one that a test drives. */
export interface RigTime {
  nowMs(): number
  until(ms: number, signal?: AbortSignal): Promise<void>
}

export interface PoolOptions<Event, Result> {
  readonly time: RigTime
  readonly make: () => Environment<Event, Result>
  readonly most: number
  readonly timeoutMs: number
}

export class Pool<Event, Result> {
  readonly #options: PoolOptions<Event, Result>
  /** Told of every call when it is over, as Lambda's bill is. */
  onCall: ((event: Event, tookMs: number) => void) | null = null
  readonly #idle: Environment<Event, Result>[] = []
  /** What runs now, and how to end the call that it serves. */
  readonly #busy = new Map<Environment<Event, Result>, (error: Error) => void>()

  constructor(options: PoolOptions<Event, Result>) {
    this.#options = options
  }

  get busy(): readonly Environment<Event, Result>[] {
    return [...this.#busy.keys()]
  }

  /** Throws where all environments are busy. */
  async invoke(event: Event): Promise<Result> {
    if (this.#busy.size >= this.#options.most) throw new Error('all environments are busy')
    const environment = this.#idle.pop() ?? this.#options.make()
    const { time, timeoutMs } = this.#options
    const startedMs = time.nowMs()
    const over = new AbortController()
    const cutOff = new Promise<never>((_, reject) => {
      this.#busy.set(environment, reject)
      void time.until(time.nowMs() + timeoutMs, over.signal).then(() => reject(new Error('the function took too long')))
    })
    try {
      const result = await Promise.race([environment.handle(event), cutOff])
      if (this.#busy.has(environment)) this.#idle.push(environment)
      return result
    } catch (error) {
      environment.kill()
      throw error
    } finally {
      this.onCall?.(event, time.nowMs() - startedMs)
      // A reason of one's own, because making the usual one is slow.
      over.abort('over')
      this.#busy.delete(environment)
    }
  }

  /** Kills what runs now and forgets what is warm: the next call begins cold. */
  kill(): void {
    for (const environment of [...this.#busy.keys(), ...this.#idle]) environment.kill()
    const endings = [...this.#busy.values()]
    this.#idle.length = 0
    this.#busy.clear()
    for (const end of endings) end(new Error('the environment was killed'))
  }
}

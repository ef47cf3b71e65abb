// One process as the world sees it: a function's environment, or a client. Every call that it makes takes time and may go
// wrong; the process may die, be frozen with all that it does, or have a clock that steps.

import { thaw } from '../../functions/thaw.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import type { Message, Refused, SendResult } from '../../shared/ports.ts'
import type { FaultName } from './history.ts'
import type { Recorder } from './recorder.ts'
import type { SimTime } from './time.ts'
import type { SimWorld } from './world.ts'

export type ProcessKind = 'tick' | 'watch' | 'execute' | 'client'

/** What goes wrong at one call. `before` its effect or `after` it; a process may be frozen both times. */
export type Strike =
  | { readonly fault: 'crash'; readonly when: 'before' | 'after' }
  | { readonly fault: 'pause'; readonly when: 'before' | 'after' | 'both'; readonly ms: number }
  | { readonly fault: 'throttle' | 'error before commit' | 'outage' }
  | { readonly fault: 'error after commit' }
  | { readonly fault: 'lost answer'; readonly ms: number }
  | { readonly fault: 'slow call'; readonly when: 'before' | 'after'; readonly ms: number }
  | { readonly fault: 'partial send'; readonly unsent: number }
  | { readonly fault: 'clock step'; readonly ms: number }

/** What the world does to processes. */
export interface Weather {
  strike(process: Process, call: string): Strike | null
  latencyMs(): number
  /** Whether the steady clock of a new process stands still while it has nothing to do. */
  stopsSteadyClock(): boolean
}

const unused = (): Promise<never> => Promise.reject(new Error('queues of the simulation deliver by themselves'))
const DELIVERS_BY_ITSELF = { receive: unused, remove: unused, hide: unused }

/** One of its own for everybody who waits: what waits for a promise is kept as long as that is. */
const neverAgain = (): Promise<never> => new Promise(() => {})

export class Process {
  readonly name: string
  readonly kind: ProcessKind
  readonly clock: StoreClock
  readonly #time: SimTime
  readonly #recorder: Recorder
  readonly #weather: Weather
  isDead = false
  /** How far its own clock is off. */
  skewMs = 0
  #pausedUntilMs = 0
  /** Between two calls it is frozen: since when, and for how long its steady clock has stood still altogether. */
  readonly #isClockStopped: boolean
  #idleSinceMs: number | null = null
  #standstillMs = 0
  #onDeath: ((error: Error) => void)[] = []
  /** Handlers that run in it. */
  readonly running = new Set<{ readonly runId: string; readonly attempt: number }>()

  constructor(parts: { name: string; kind: ProcessKind; time: SimTime; recorder: Recorder; weather: Weather }) {
    this.name = parts.name
    this.kind = parts.kind
    this.#time = parts.time
    this.#recorder = parts.recorder
    this.#weather = parts.weather
    this.#isClockStopped = parts.weather.stopsSteadyClock()
    this.clock = new StoreClock({
      wallMs: () => this.#time.nowMs() + this.skewMs,
      steadyMs: () => this.#time.nowMs() - this.#standstillMs,
    })
  }

  /** Serves one event, as an environment that was frozen since the last one. */
  async serve<Result>(work: () => Promise<Result>): Promise<Result> {
    const frozenMs = this.#idleSinceMs === null ? 0 : this.#time.nowMs() - this.#idleSinceMs
    if (this.#isClockStopped && frozenMs > 0) {
      this.#standstillMs += frozenMs
      if (frozenMs > 1000) this.fault({ fault: 'standstill' }, 'steady clock')
    }
    try {
      return await this.unlessItDies(work())
    } finally {
      this.#idleSinceMs = this.#time.nowMs()
    }
  }

  die(): void {
    if (this.isDead) return
    this.isDead = true
    for (const { runId, attempt } of this.running) {
      this.#recorder.add({ op: 'end', runId, attempt, how: 'died' }, this.name)
    }
    this.running.clear()
    for (const reject of this.#onDeath) reject(new Error(`${this.name} died`))
  }

  /** What a call gives, or a rejection should the process die before that is there. */
  unlessItDies<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#onDeath = [reject]
      work.then(resolve, reject)
    })
  }

  get #isHeldUp(): boolean {
    return this.isDead || this.#time.nowMs() < this.#pausedUntilMs
  }

  /** Returns when the process is not frozen, and never where it is dead. */
  async awake(): Promise<void> {
    while (!this.isDead && this.#time.nowMs() < this.#pausedUntilMs) await this.#time.until(this.#pausedUntilMs)
    if (this.isDead) await neverAgain()
  }

  /** Returns when the store's time, as the process knows it, has come to this. */
  async until(ms: number, signal?: AbortSignal): Promise<void> {
    for (let left = ms - this.clock.nowMs(); left > 0 && signal?.aborted !== true; left = ms - this.clock.nowMs()) {
      await this.#time.until(this.#time.nowMs() + Math.ceil(left), signal)
      if (this.#isHeldUp) await this.awake()
    }
    if (this.#isHeldUp) await this.awake()
  }

  fault(strike: { readonly fault: FaultName }, at: string): void {
    this.#recorder.add({ op: 'fault', fault: strike.fault, where: at }, this.name)
  }

  /** Code that a user brought may end its process, or keep it from doing anything else. */
  async foreignCode(name: string): Promise<void> {
    const strike = this.#weather.strike(this, name)
    if (strike?.fault !== 'crash' && strike?.fault !== 'pause') return
    this.fault(strike, name)
    if (strike.fault === 'crash') this.die()
    else this.#pausedUntilMs = this.#time.nowMs() + strike.ms
    await this.awake()
  }

  /** A call of the process to the world. */
  async call(name: string, effect: () => unknown): Promise<unknown> {
    if (this.#isHeldUp) await this.awake()
    const asked = this.clock.moment()
    const strike = this.#weather.strike(this, name)
    if (strike !== null) this.fault(strike, name)
    const latencyMs = this.#weather.latencyMs()
    // The effect comes at the end of the call's time, or at its beginning.
    const isLate = latencyMs % 2 === 0
    if (isLate) await this.#time.pause(latencyMs)
    if (strike !== null) await this.#before(strike, name)
    if (this.#isHeldUp) await this.awake()
    this.#recorder.proc = this.name
    const dateMs = Math.floor(this.#time.nowMs() / 1000) * 1000
    const result = await effect()
    if (!isLate) await this.#time.pause(latencyMs)
    if (strike !== null) await this.#after(strike, name)
    if (this.#isHeldUp) await this.awake()
    this.clock.observe(dateMs, asked)
    return result
  }

  async #before(strike: Strike, name: string): Promise<void> {
    switch (strike.fault) {
      case 'crash':
        if (strike.when === 'before') this.die()
        return
      case 'pause':
        if (strike.when !== 'after') this.#pausedUntilMs = this.#time.nowMs() + strike.ms
        return
      case 'slow call':
        if (strike.when === 'before') await this.#time.pause(strike.ms)
        return
      case 'clock step':
        this.skewMs += strike.ms
        return
      case 'throttle':
      case 'error before commit':
      case 'outage':
        throw new Error(`${name}: ${strike.fault}`)
      default:
        return
    }
  }

  async #after(strike: Strike, name: string): Promise<void> {
    switch (strike.fault) {
      case 'crash':
        this.die()
        return
      case 'pause':
        if (strike.when !== 'before') this.#pausedUntilMs = this.#time.nowMs() + strike.ms
        return
      case 'slow call':
        if (strike.when === 'after') await this.#time.pause(strike.ms)
        return
      case 'lost answer':
        await this.#time.pause(strike.ms)
        throw new Error(`${name}: lost answer`)
      case 'error after commit':
        throw new Error(`${name}: error after commit`)
      default:
        return
    }
  }

  /** A send never throws: what was not acknowledged is returned, and some of that may have been sent all the same. */
  async send(
    name: string,
    messages: readonly Message[],
    effect: (taken: readonly Message[]) => Promise<SendResult>,
  ): Promise<SendResult> {
    let unsent: readonly Message[] = []
    let refused: readonly Refused[] = []
    try {
      await this.call(name, async () => {
        const cut = this.#weather.strike(this, 'partial send')
        unsent = cut?.fault === 'partial send' ? messages.slice(messages.length - cut.unsent) : []
        if (cut?.fault === 'partial send') this.fault(cut, name)
        refused = (await effect(messages.filter((message) => !unsent.includes(message)))).refused
      })
      return { unsent, refused }
    } catch {
      return { unsent: messages, refused: [] }
    }
  }

  /** The world as this process sees it. */
  see(world: SimWorld): SimWorld {
    const wrap = <Part extends object>(part: Part, name: string): Part => {
      const methods = new Map<string | symbol, unknown>()
      return new Proxy(part, {
        get: (target, method) => {
          const known = methods.get(method)
          if (known !== undefined) return known
          const member: unknown = Reflect.get(target, method)
          const wrapped =
            typeof member === 'function' ? this.#method(target, member, `${name}.${String(method)}`) : member
          methods.set(method, wrapped)
          return wrapped
        },
      })
    }
    const queueOf = (queue: SimWorld['watch'], name: string): SimWorld['watch'] => ({
      ...DELIVERS_BY_ITSELF,
      counts: () => this.call(`${name}.counts`, () => queue.counts()) as ReturnType<typeof queue.counts>,
      send: (messages) => this.send(`${name}.send`, messages, (taken) => queue.send(taken)),
    })
    const shards = wrap(world.shards, 'shards')
    return {
      ...world,
      jobs: wrap(world.jobs, 'jobs'),
      shards,
      ledger: wrap(world.ledger, 'ledger'),
      open: wrap(world.open, 'open'),
      states: wrap(world.states, 'states'),
      locks: wrap(world.locks, 'locks'),
      calendars: wrap(world.calendars, 'calendars'),
      templates: wrap(world.templates, 'templates'),
      namespaces: wrap(world.namespaces, 'namespaces'),
      pendingEdits: wrap(world.pendingEdits, 'pendingEdits'),
      idempotency: wrap(world.idempotency, 'idempotency'),
      apiKeys: wrap(world.apiKeys, 'apiKeys'),
      audit: wrap(world.audit, 'audit'),
      queues: { fast: queueOf(world.queues.fast, 'fast'), slow: queueOf(world.queues.slow, 'slow') },
      watch: queueOf(world.watch, 'watch'),
      bus: wrap(world.bus, 'bus'),
      clock: this.clock,
      executor: this.name,
      thaw: () => thaw(this.clock, () => shards.meta()),
      until: (ms, signal) => this.until(ms, signal),
    }
  }

  #method(target: object, member: CallableFunction, name: string): unknown {
    if (name === 'jobs.load' || name === 'jobs.loadOnce')
      return (...parameters: unknown[]) => this.#pages(Reflect.apply(member, target, parameters), name)
    return (...parameters: unknown[]) => this.call(name, () => Reflect.apply(member, target, parameters))
  }

  async *#pages(pages: unknown, name: string): AsyncGenerator<unknown> {
    const iterator = (pages as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    for (;;) {
      const next = (await this.call(name, () => iterator.next())) as IteratorResult<unknown>
      if (next.done === true) return
      yield next.value
    }
  }
}

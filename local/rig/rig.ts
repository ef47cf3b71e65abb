// The stack around the functions on this machine: a bus that delivers events, pollers that deliver messages, a rule that
// comes once a minute. Delivery is at least once, as it is on AWS; a test can make it worse.

import type { BusDelivery, Tick } from '../../functions/tick.ts'
import type { WatchDelivery, Watchdog } from '../../functions/watchdog.ts'
import type { Queue } from '../../shared/ports.ts'
import { type Environment, Pool } from './pool.ts'

/** Time as the rig lives it: the machine's, or one that a test drives. */
export interface RigTime {
  nowMs(): number
  until(ms: number): Promise<void>
}

/** When an event is delivered, in milliseconds from now, once for each; none where it is lost. */
export type Deliveries = (event: BusDelivery) => readonly number[]

export interface RigOptions {
  readonly time: RigTime
  readonly makeTick: () => Environment<BusDelivery, Awaited<ReturnType<Tick>>>
  readonly makeWatchdog: () => Environment<WatchDelivery, Awaited<ReturnType<Watchdog>>>
  readonly watch: Queue
  readonly deliveries?: Deliveries
  readonly pollSeconds?: number
  /** False where a test has no minute rule. */
  readonly hasMinuteRule?: boolean
  onTick?(result: Awaited<ReturnType<Tick>>): void
  onError?(error: unknown): void
}

/** What a bus takes on a good day. */
const BUS_MS = 200
const TICK_TIMEOUT_MS = 15_000
const WATCHDOG_TIMEOUT_MS = 60_000
const MOST_TICKS = 10
const MOST_WATCHDOGS = 5

export class Rig {
  readonly #options: RigOptions
  readonly ticks: Pool<BusDelivery, Awaited<ReturnType<Tick>>>
  readonly watchdogs: Pool<WatchDelivery, Awaited<ReturnType<Watchdog>>>
  #isStopped = false

  constructor(options: RigOptions) {
    this.#options = options
    this.ticks = new Pool({ make: options.makeTick, most: MOST_TICKS, timeoutMs: TICK_TIMEOUT_MS })
    this.watchdogs = new Pool({ make: options.makeWatchdog, most: MOST_WATCHDOGS, timeoutMs: WATCHDOG_TIMEOUT_MS })
  }

  start(): void {
    void this.#poll()
    if (this.#options.hasMinuteRule !== false) void this.#everyMinute()
  }

  /** Takes an event as the bus does: it answers at once and delivers later. */
  takeEvent(event: BusDelivery): void {
    const { deliveries = () => [BUS_MS], time } = this.#options
    for (const afterMs of deliveries(event)) {
      void time.until(time.nowMs() + afterMs).then(() => this.#deliver(event))
    }
  }

  async #deliver(event: BusDelivery): Promise<void> {
    if (this.#isStopped) return
    try {
      // A function that fails is not called again: the tick rule has no retries.
      const result = await this.ticks.invoke(event)
      this.#options.onTick?.(result)
    } catch (error) {
      this.#fail(error)
    }
  }

  async #poll(): Promise<void> {
    const { watch, time, pollSeconds = 1 } = this.#options
    while (!this.#isStopped) {
      const messages = await watch.receive(10, pollSeconds).catch(() => [])
      if (messages.length === 0) await time.until(time.nowMs() + 50)
      else void this.#watch(messages)
    }
  }

  async #watch(messages: Awaited<ReturnType<Queue['receive']>>): Promise<void> {
    try {
      const Records = messages.map(({ id, body }) => ({ messageId: id, body }))
      const { batchItemFailures } = await this.watchdogs.invoke({ Records })
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      await this.#options.watch.remove(messages.filter(({ id }) => !failed.has(id)).map(({ receipt }) => receipt))
    } catch (error) {
      this.#fail(error)
    }
  }

  async #everyMinute(): Promise<void> {
    const { time } = this.#options
    while (!this.#isStopped) {
      await this.runMinuteRule()
      await time.until((Math.floor(time.nowMs() / 60_000) + 1) * 60_000)
    }
  }

  async runMinuteRule(): Promise<void> {
    try {
      await this.watchdogs.invoke({})
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (!this.#isStopped) this.#options.onError?.(error)
  }

  stop(): void {
    this.#isStopped = true
    this.ticks.kill()
    this.watchdogs.kill()
  }
}

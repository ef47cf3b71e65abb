// The stack around functions that a test brings, in its own time: a bus that delivers events, pollers that deliver messages, a rule that
// comes once a minute. Delivery is at least once, as it is on AWS; a test can make it worse.

import type { BatchResult, QueueDelivery } from '../../../functions/queue-delivery.ts'
import type { BusDelivery, Tick } from '../../../functions/tick.ts'
import { Poller } from '../../../local/host/poller.ts'
import { type Environment, Pool, type PoolTime } from '../../../local/host/pool.ts'
import { MESSAGES_A_CALL, type QueueName, TIMEOUT_SECONDS } from '../../../shared/aws/limits.ts'
import type { Lane } from '../../../shared/core/lanes.ts'
import type { Queue } from '../../../shared/ports.ts'
import { MOST_EXECUTORS, MOST_SWITCHES, MOST_TICKS } from './limits.ts'

/** When an event is delivered, in milliseconds from now, once for each; none where it is lost. */
export type Deliveries = (event: BusDelivery) => readonly number[]

export interface RigOptions {
  readonly time: PoolTime
  readonly makeTick: () => Environment<BusDelivery, Awaited<ReturnType<Tick>>>
  readonly makeSwitch: () => Environment<QueueDelivery, BatchResult>
  readonly makeMinute: () => Environment<void, void>
  readonly makeExecutor: (lane: Lane) => Environment<QueueDelivery, BatchResult>
  readonly makeDeadLetters: () => Environment<QueueDelivery, BatchResult>
  readonly queues: Readonly<Record<QueueName, Queue>>
  readonly deliveries?: Deliveries
  /** How long a poll waits for messages, and how long a poller rests after one that brought none. */
  readonly pollSeconds?: number
  readonly restMs?: number
  /** Polls at once, of each queue. */
  readonly receivers?: number
  /** Executors at once, of each lane. */
  readonly executors?: number
  /** False where a test has no minute rule. */
  readonly hasMinuteRule?: boolean
  onTick?(result: Awaited<ReturnType<Tick>>): void
  onError?(error: unknown): void
}

/** What a bus takes on a good day. */
const BUS_MS = 200
type MessagePool = Pool<QueueDelivery, BatchResult>

export class Rig {
  readonly #options: RigOptions
  readonly ticks: Pool<BusDelivery, Awaited<ReturnType<Tick>>>
  readonly switches: MessagePool
  readonly minutes: Pool<void, void>
  readonly executors: Readonly<Record<Lane | 'dead', MessagePool>>
  readonly pollers: Readonly<Record<QueueName, Poller>>
  #isStopped = false

  constructor(options: RigOptions) {
    this.#options = options
    const { time, makeTick, makeSwitch, makeMinute, makeExecutor, makeDeadLetters } = options
    const { executors: most = MOST_EXECUTORS } = options
    const timeoutMs = (name: keyof typeof TIMEOUT_SECONDS) => TIMEOUT_SECONDS[name] * 1000
    this.ticks = new Pool({ time, make: makeTick, most: MOST_TICKS, timeoutMs: timeoutMs('tick') })
    this.switches = new Pool({ time, make: makeSwitch, most: MOST_SWITCHES, timeoutMs: timeoutMs('switch') })
    this.minutes = new Pool({ time, make: makeMinute, most: 1, timeoutMs: timeoutMs('minute') })
    const executorsOf = (lane: Lane): MessagePool =>
      new Pool({ time, make: () => makeExecutor(lane), most, timeoutMs: timeoutMs(lane) })
    this.executors = {
      fast: executorsOf('fast'),
      slow: executorsOf('slow'),
      dead: new Pool({ time, make: makeDeadLetters, most: 1, timeoutMs: timeoutMs('dead') }),
    }
    this.pollers = {
      fast: this.#poller('fast', this.executors.fast, most),
      slow: this.#poller('slow', this.executors.slow, most),
      dead: this.#poller('dead', this.executors.dead, 1),
      watch: this.#poller('watch', this.switches, MOST_SWITCHES),
    }
  }

  #poller(name: QueueName, pool: Pool<QueueDelivery, BatchResult>, most: number): Poller {
    const { queues, time, pollSeconds = 1, restMs = 50, receivers = 1 } = this.#options
    return new Poller({
      queue: queues[name],
      time,
      batch: MESSAGES_A_CALL[name],
      most,
      receivers,
      pollSeconds,
      restMs,
      invoke: (event) => pool.invoke(event),
      onError: (error) => this.#fail(error),
    })
  }

  start(): void {
    for (const poller of Object.values(this.pollers)) void poller.run()
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

  async #everyMinute(): Promise<void> {
    const { time } = this.#options
    while (!this.#isStopped) {
      await this.runMinuteRule()
      await time.until((Math.floor(time.nowMs() / 60_000) + 1) * 60_000)
    }
  }

  async runMinuteRule(): Promise<void> {
    try {
      await this.minutes.invoke()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (!this.#isStopped) this.#options.onError?.(error)
  }

  stop(): void {
    this.#isStopped = true
    for (const poller of Object.values(this.pollers)) poller.stop()
    for (const pool of [this.ticks, this.switches, this.minutes, ...Object.values(this.executors)]) pool.kill()
  }
}

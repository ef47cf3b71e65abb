// The whole stack in virtual time: the functions' own doors behind queues, a bus and a rule that comes once a minute, each in
// processes of its own that see the world through the weather.

import { makeDeadLetters } from '../../functions/dead-letters.ts'
import { makeExecute } from '../../functions/execute.ts'
import { makeMinute } from '../../functions/minute.ts'
import type { BatchResult, QueueDelivery } from '../../functions/queue-delivery.ts'
import { makeSwitch } from '../../functions/switch.ts'
import { type BusDelivery, makeTick, type Tick } from '../../functions/tick.ts'
import { Pool } from '../../local/host/pool.ts'
import {
  type FunctionName,
  MESSAGES_A_CALL,
  MOST_RECEIVES,
  TIMEOUT_SECONDS,
  VISIBILITY_SECONDS,
} from '../../shared/aws/limits.ts'
import { defineHandlers, type HandlerRun } from '../../shared/core/handlers.ts'
import type { Stores } from '../../shared/ports.ts'
import { memoryStores } from '../support/memory/stores.ts'
import type { Random } from '../support/random-cron/random.ts'
import { MOST_EXECUTORS, MOST_SWITCHES, MOST_TICKS } from '../support/rig/limits.ts'
import { behave } from './behaviour.ts'
import { Process, type ProcessKind, type Weather } from './process.ts'
import { type QueueWeather, SimQueue } from './queue.ts'
import type { Recorder } from './recorder.ts'
import type { SimTime } from './time.ts'
import type { SimWorld } from './world.ts'

export interface BusWeather {
  deliveriesMs(): readonly number[]
  skipsMinute(): boolean
}

export interface StackOptions {
  readonly time: SimTime
  readonly recorder: Recorder
  readonly random: Random
  readonly weather: Weather & QueueWeather & BusWeather
  readonly shardCount: number
  readonly hopSeconds: number
  readonly visibilityMs: number
  /** Executors of each lane, as many as a laptop has unless told otherwise. */
  readonly executors?: number
  /** Stores to build on instead of memory. */
  readonly stores?: Stores
  readonly hasMinuteRule?: boolean
  readonly hasSwitch?: boolean
}

export class SimStack {
  readonly #options: StackOptions
  readonly time: SimTime
  readonly recorder: Recorder
  /** As the simulation itself sees it: without latency and without faults. */
  readonly world: SimWorld
  readonly queues: Readonly<Record<'fast' | 'slow' | 'dead' | 'watch', SimQueue>>
  readonly #ticks: Pool<BusDelivery, Awaited<ReturnType<Tick>>>
  readonly #switches: Pool<QueueDelivery, BatchResult>
  readonly #minutes: Pool<void, void>
  readonly #processes = new Map<ProcessKind, number>()
  #isStopped = false
  isStorm = false

  constructor(options: StackOptions) {
    this.#options = options
    const { time, recorder, weather, shardCount, hopSeconds, random, visibilityMs } = options
    const { executors: most = MOST_EXECUTORS } = options
    this.time = time
    this.recorder = recorder
    const fences = new Map<number, number>()
    const witness = recorder.witness((shard) => fences.get(shard) ?? 0)
    const stores =
      options.stores ??
      memoryStores(shardCount, {
        ...witness,
        shard: (shard, what, from, to) => {
          fences.set(shard, to.fence)
          witness.shard?.(shard, what, from, to)
        },
      })
    const pool = <Event, Result>(
      kind: ProcessKind,
      most: number,
      name: FunctionName,
      make: (world: SimWorld, process: Process) => (event: Event) => Promise<Result>,
    ) =>
      new Pool<Event, Result>({
        time,
        most,
        timeoutMs: TIMEOUT_SECONDS[name] * 1000,
        make: () => {
          const process = this.process(kind)
          const handle = make(process.see(this.world), process)
          return { handle: (event) => process.serve(() => handle(event)), kill: () => process.die() }
        },
      })
    const output = { line: () => {}, nowMs: time.nowMs }
    const executors = (lane: 'fast' | 'slow') =>
      pool<QueueDelivery, BatchResult>('execute', most, lane, (world, process) =>
        makeExecute(world, this.#handlers(process), output),
      )
    const dead = pool<QueueDelivery, BatchResult>('execute', 1, 'dead', (world, process) =>
      makeDeadLetters(world, this.#handlers(process), output),
    )
    this.#ticks = pool('tick', MOST_TICKS, 'tick', (world) => makeTick(world, output))
    this.#switches = pool('watch', MOST_SWITCHES, 'switch', (world) => makeSwitch(world, output))
    this.#minutes = pool('watch', 1, 'minute', (world) => makeMinute(world, output))
    const queue = (
      name: 'fast' | 'slow' | 'dead' | 'watch',
      part: Partial<ConstructorParameters<typeof SimQueue>[0]>,
    ) =>
      new SimQueue({
        name,
        time,
        recorder,
        weather,
        visibilityMs,
        batch: MESSAGES_A_CALL[name],
        most,
        invoke: () => Promise.reject(new Error('no function takes this')),
        ...part,
      })
    const deadQueue = queue('dead', {
      visibilityMs: VISIBILITY_SECONDS.dead * 1000,
      most: 1,
      invoke: (event) => dead.invoke(event),
    })
    const deadLetters = { queue: deadQueue, after: MOST_RECEIVES }
    const [fast, slow] = [executors('fast'), executors('slow')]
    this.queues = {
      dead: deadQueue,
      fast: queue('fast', { deadLetters, invoke: (event) => fast.invoke(event) }),
      slow: queue('slow', { deadLetters, invoke: (event) => slow.invoke(event) }),
      watch: queue('watch', {
        visibilityMs: VISIBILITY_SECONDS.watch * 1000,
        most: MOST_SWITCHES,
        invoke: (event) => this.#switches.invoke(event),
      }),
    }
    let ids = 0
    this.world = {
      ...stores,
      clock: { nowMs: time.nowMs },
      shardCount,
      hopSeconds,
      queues: { fast: this.queues.fast, slow: this.queues.slow },
      watch: options.hasSwitch === false ? withoutSwitches(this.queues.watch) : this.queues.watch,
      bus: {
        put: async (events) => {
          for (const { detail } of events) this.#takeEvent({ detail })
        },
      },
      until: time.until,
      thaw: async () => {},
      newId: () => {
        ids += 1
        return ids.toString(36).padStart(8, '0')
      },
      executor: 'nobody',
      random: () => random.below(1_000_000) / 1_000_000,
      log: () => {},
      warn: () => {},
    }
  }

  process(kind: ProcessKind): Process {
    const number = (this.#processes.get(kind) ?? 0) + 1
    this.#processes.set(kind, number)
    const { time, recorder, weather } = this.#options
    return new Process({ name: `${kind}-${number}`, kind, time, recorder, weather })
  }

  #handlers(process: Process) {
    const { recorder, random } = this.#options
    const run = async (of: HandlerRun): Promise<unknown> => {
      const running = { runId: of.id, attempt: of.attempt }
      recorder.add({ op: 'start', ...running, trigger: of.trigger }, process.name)
      process.running.add(running)
      const end = (how: 'returned' | 'threw' | 'told') => {
        if (process.running.delete(running)) recorder.add({ op: 'end', ...running, how }, process.name)
      }
      of.signal.addEventListener('abort', () => end('told'), { once: true })
      try {
        await process.foreignCode('handler')
        const output = await behave(process, of, random)
        end('returned')
        return output
      } catch (error) {
        end('threw')
        throw error
      }
    }
    return defineHandlers({ act: run })
  }

  start(): void {
    if (this.#options.hasMinuteRule !== false) void this.#everyMinute()
    else void this.runMinuteRule()
  }

  #takeEvent(event: BusDelivery): void {
    for (const afterMs of this.#options.weather.deliveriesMs()) {
      this.time.at(this.time.nowMs() + afterMs, () => void this.#deliver(event))
    }
  }

  async #deliver(event: BusDelivery): Promise<void> {
    if (this.#isStopped) return
    // A function that fails is not called again: the tick rule has no retries.
    await this.#ticks.invoke(event).catch(() => {})
  }

  async #everyMinute(): Promise<void> {
    const { time } = this
    while (!this.#isStopped) {
      if (!this.#options.weather.skipsMinute()) await this.runMinuteRule()
      await time.until((Math.floor(time.nowMs() / 60_000) + 1) * 60_000)
    }
  }

  async runMinuteRule(): Promise<void> {
    await this.#minutes.invoke().catch(() => {})
  }

  stop(): void {
    this.#isStopped = true
  }
}

/** A dead man's switch that no watchdog gets; wakes still come. */
function withoutSwitches(queue: SimQueue): SimQueue {
  const isWake = (body: string) => body.includes('"wake"')
  return new Proxy(queue, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (name === 'send')
        return (messages: Parameters<SimQueue['send']>[0]) => target.send(messages.filter(({ body }) => isWake(body)))
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

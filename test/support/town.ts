// A whole scheduler with driven time: stores, queues, bus, functions and rules, and executors that claim what they get at
// once. Stores and queues are in memory, or real ones whose calls stop the clock. What was sent and said is kept.

import { makeTick } from '../../functions/tick.ts'
import { makeWatchdog } from '../../functions/watchdog.ts'
import { type Killable, type KillPoint, killable } from '../../local/rig/kill.ts'
import { type Deliveries, Rig } from '../../local/rig/rig.ts'
import { messageSchema } from '../../shared/core/run/message.ts'
import { parseRunId } from '../../shared/core/run/run.ts'
import type { Ended, Ticked } from '../../shared/flow/tick.ts'
import type { TickWorld } from '../../shared/flow/tick-world.ts'
import type { Queue, Stores } from '../../shared/ports.ts'
import { DrivenTime } from './driven-time.ts'
import { MemoryQueue } from './memory/queue.ts'
import { memoryStores } from './memory/stores.ts'

/** A whole minute, so that tests can count in seconds from it. */
export const START = 1_800_000_000
const FAR_FUTURE_MS = 9_000_000_000_000

export interface Sent {
  readonly atMs: number
  readonly name: string
  readonly second: number
  readonly trigger: string
}

/** Real engines to build on, instead of memory. */
export interface TownEngines {
  readonly stores: Stores
  readonly fast: Queue & { purge(): Promise<void> }
  readonly slow: Queue
}

export interface TownOptions {
  readonly engines?: TownEngines
  readonly shardCount?: number
  readonly hopSeconds?: number
  readonly deliveries?: Deliveries
  readonly hasMinuteRule?: boolean
  /** For the nth tick environment: when it dies. */
  readonly killTick?: (environment: number) => KillPoint | undefined
  /** What a process sees of the world, by the number of its environment. */
  readonly see?: (world: TickWorld, environment: number) => TickWorld
}

export class Town {
  readonly time = new DrivenTime(START * 1000)
  readonly sent: Sent[] = []
  readonly lines: string[] = []
  readonly ticked: (Ticked | Ended)[] = []
  readonly errors: unknown[] = []
  readonly fast: Queue & { purge(): Promise<void> | void }
  readonly slow: Queue
  readonly world: TickWorld
  readonly rig: Rig
  readonly tickers: Killable<TickWorld>[] = []
  /** Executors take nothing while this is false. */
  isExecuting = true
  #isOpen = true
  #claims = 0
  readonly #pollMs: number

  constructor(options: TownOptions = {}) {
    const { shardCount = 1, hopSeconds = 1, killTick = () => undefined, see = (world) => world } = options
    const { time } = this
    const { engines } = options
    const track = <Part extends object>(part: Part): Part => tracked(part, time)
    this.fast = engines === undefined ? new MemoryQueue(time.nowMs) : track(engines.fast)
    this.slow = engines === undefined ? new MemoryQueue(time.nowMs) : track(engines.slow)
    this.#pollMs = engines === undefined ? 10 : 100
    const watch = new MemoryQueue(() => time.nowMs())
    const output = { line: (text: string) => this.lines.push(text), nowMs: time.nowMs }
    let ids = 0
    this.world = {
      ...(engines === undefined ? memoryStores(shardCount) : trackedStores(engines.stores, track)),
      clock: { nowMs: time.nowMs },
      shardCount,
      hopSeconds,
      queues: { fast: this.fast, slow: this.slow },
      watch,
      bus: {
        put: async (events) => {
          for (const { detail } of events) this.rig.takeEvent({ detail })
        },
      },
      until: time.until,
      newId: () => {
        ids += 1
        return `id-${ids}`
      },
      warn: (message, detail) => this.lines.push(JSON.stringify({ level: 'warn', message, ...detail })),
    }
    const environment = <Event, Result>(
      make: (world: TickWorld) => (event: Event) => Promise<Result>,
      point?: KillPoint,
    ) => {
      const cut = killable(see(this.world, this.tickers.length), point)
      this.tickers.push(cut)
      return { handle: make(cut.world), kill: cut.kill }
    }
    let ticks = 0
    this.rig = new Rig({
      time,
      watch,
      makeTick: () => {
        ticks += 1
        return environment((world) => makeTick(world, output), killTick(ticks))
      },
      makeWatchdog: () => environment((world) => makeWatchdog(world, output)),
      onTick: (result) => this.ticked.push(result),
      onError: (error) => this.errors.push(error),
      ...(options.deliveries === undefined ? {} : { deliveries: options.deliveries }),
      ...(options.hasMinuteRule === undefined ? {} : { hasMinuteRule: options.hasMinuteRule }),
    })
    void this.#execute()
  }

  /** Executors take what comes, claim it, and say at once that it went well. */
  async #execute(): Promise<void> {
    while (this.#isOpen) {
      for (const queue of this.isExecuting ? [this.fast, this.slow] : []) {
        for (const { body, receipt } of await queue.receive(1000, 0)) {
          await this.#take(body)
          await queue.remove([receipt])
        }
      }
      await this.time.until(this.time.nowMs() + this.#pollMs)
    }
  }

  async #take(body: string): Promise<void> {
    const message = messageSchema.parse(JSON.parse(body))
    const ended = { status: 'SUCCEEDED', attempt: 1, startOffsetMs: 0, durationMs: 0 } as const
    const atMs = this.time.nowMs()
    if (message.type === 'run') {
      const id = parseRunId(message.runId)
      const { done } = await this.world.ledger.swapRun(id, { status: 'QUEUED', attempt: 1 }, ended, {})
      if (done) this.sent.push({ atMs, name: message.job.name, second: id.second, trigger: message.trigger })
      for (const open of await this.world.open.due(message.shard, FAR_FUTURE_MS, 10_000)) {
        if (open.runId === message.runId) await this.world.open.remove(open)
      }
      return
    }
    const { shard, second, depth, page, runs } = message
    const key = { shard, second, depth, page }
    this.#claims += 1
    const token = String(this.#claims).padStart(8, '0')
    const claim = { status: 'RUNNING', attempt: 1, token, deadlineSecond: second + 75 } as const
    const claims = await this.world.ledger.swap(
      key,
      runs.map(({ id }) => ({ id, expect: null, next: claim })),
    )
    const mine = runs.filter(({ id }) => claims.get(id)?.done === true)
    const next = { ...ended, startOffsetMs: atMs - second * 1000 }
    await this.world.ledger.swap(
      key,
      mine.map(({ id }) => ({ id, expect: claim, next })),
    )
    for (const { job, kind } of mine) this.sent.push({ atMs, name: job.name, second, trigger: kind })
  }

  /** Runs the town through a second counted from its start. */
  async run(second: number): Promise<void> {
    await this.time.run((START + second) * 1000 + 900)
  }

  /** The seconds in which a job was first claimed, counted from the start. */
  seconds(name: string): number[] {
    return this.sent
      .filter((each) => each.name === name && each.trigger !== 'stop')
      .map(({ second }) => second - START)
      .sort((a, b) => a - b)
  }

  warnings(): string[] {
    return this.lines.filter((line) => line.includes('"level":"warn"'))
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.rig.stop()
  }
}

/** Every call is known to the clock until it is over. */
function tracked<Part extends object>(part: Part, time: DrivenTime): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, parameters)
        if (result instanceof Promise) return time.track(result)
        return isPages(result) ? trackedPages(result, time) : result
      }
    },
  })
}

const isPages = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function* trackedPages(pages: AsyncIterable<unknown>, time: DrivenTime): AsyncGenerator<unknown> {
  const iterator = pages[Symbol.asyncIterator]()
  for (;;) {
    const next = await time.track(iterator.next())
    if (next.done === true) return
    yield next.value
  }
}

function trackedStores(stores: Stores, track: <Part extends object>(part: Part) => Part): Stores {
  return {
    jobs: track(stores.jobs),
    shards: track(stores.shards),
    ledger: track(stores.ledger),
    open: track(stores.open),
    states: track(stores.states),
    calendars: track(stores.calendars),
    templates: track(stores.templates),
    answers: track(stores.answers),
  }
}

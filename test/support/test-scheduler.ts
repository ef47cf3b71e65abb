// A whole scheduler with driven time: stores, queues, bus, functions and rules. Stores and queues are in memory, or real ones
// whose calls stop the clock. What was started and said is kept.

import { makeDeadLetters } from '../../functions/dead-letters.ts'
import { makeExecute } from '../../functions/execute.ts'
import { makeMinute } from '../../functions/minute.ts'
import { makeSwitch } from '../../functions/switch.ts'
import type { Thawing } from '../../functions/thaw.ts'
import { makeTick } from '../../functions/tick.ts'
import { defineHandlers, type HandlerSet } from '../../shared/core/handlers.ts'
import { hashOfId, shardOf } from '../../shared/core/job/id.ts'
import type { PageEntry } from '../../shared/core/pages/entry.ts'
import { pageKeyOfJob } from '../../shared/core/pages/page.ts'
import { parseRunId } from '../../shared/core/run/run.ts'
import { Depths } from '../../shared/flow/depths.ts'
import type { ExecutorHost } from '../../shared/flow/execute/world.ts'
import type { Ended, Ticked } from '../../shared/flow/tick.ts'
import type { TickWorld } from '../../shared/flow/tick-world.ts'
import type { Queue, Stores } from '../../shared/ports.ts'
import { DrivenTime } from './driven-time.ts'
import { MemoryQueue } from './memory/queue.ts'
import { memoryStores } from './memory/stores.ts'
import { type Killable, type KillPoint, killable } from './rig/kill.ts'
import { noted } from './rig/noted.ts'
import { type Deliveries, Rig } from './rig/rig.ts'
import { type Purgeable, SparingQueue } from './sparing-queue.ts'
import { tracked, trackedStores } from './tracked.ts'

/** A whole minute, so that tests can count in seconds from it. */
export const START = 1_800_000_000

/** A handler that began. */
export interface Sent {
  readonly atMs: number
  readonly name: string
  readonly second: number
  readonly trigger: string
  readonly runId: string
  readonly attempt: number
}

export type TestSchedulerWorld = TickWorld & ExecutorHost & Thawing

/** Real engines to build on, instead of memory. */
export interface TestSchedulerEngines {
  readonly stores: Stores
  readonly fast: Purgeable
  readonly slow: Purgeable
}

export interface TestSchedulerOptions {
  readonly engines?: TestSchedulerEngines
  readonly shardCount?: number
  readonly hopSeconds?: number
  readonly deliveries?: Deliveries
  readonly hasMinuteRule?: boolean
  /** For the nth tick environment: when it dies. */
  readonly killTick?: (environment: number) => KillPoint | undefined
  /** What a process sees of the world, by the number of its environment. */
  readonly see?: (world: TestSchedulerWorld, environment: number) => TestSchedulerWorld
  /** Handlers beside echo, which does nothing. */
  readonly handlers?: (scheduler: TestScheduler) => HandlerSet
  /** For the nth executor: when it dies, and what it sees. */
  readonly killExecutor?: (environment: number) => KillPoint | undefined
  readonly seeExecutor?: (world: TestSchedulerWorld, environment: number) => TestSchedulerWorld
  /** Executors at once, of each lane. */
  readonly executors?: number
  /** Why the lanes in memory will never take a message; null where they do. */
  readonly refuses?: (body: string) => string | null
}

/** As deployed. */
const VISIBILITY_MS = 540_000
const MOST_RECEIVES = 5
const POLL_SECONDS = 20

export class TestScheduler {
  readonly time = new DrivenTime(START * 1000)
  readonly sent: Sent[] = []
  readonly lines: string[] = []
  readonly ticked: (Ticked | Ended)[] = []
  readonly errors: unknown[] = []
  readonly fast: MemoryQueue | SparingQueue
  readonly slow: MemoryQueue | SparingQueue
  readonly dead: Queue
  readonly world: TestSchedulerWorld
  readonly rig: Rig
  readonly tickers: Killable<TestSchedulerWorld>[] = []
  readonly executors: Killable<TestSchedulerWorld>[] = []

  constructor(options: TestSchedulerOptions = {}) {
    const { shardCount = 1, hopSeconds = 1, killTick = () => undefined, see = (world) => world } = options
    const { time } = this
    const { engines } = options
    const track = <Part extends object>(part: Part): Part => tracked(part, time)
    const dead = new MemoryQueue(time.nowMs, { turn: time.turn, visibilityMs: 12 * 3_600_000 })
    const lane = () =>
      new MemoryQueue(time.nowMs, {
        turn: time.turn,
        visibilityMs: VISIBILITY_MS,
        deadLetters: { queue: dead, after: MOST_RECEIVES },
        refuses: options.refuses,
      })
    this.dead = dead
    this.fast = engines === undefined ? lane() : new SparingQueue(track(engines.fast), time)
    this.slow = engines === undefined ? lane() : new SparingQueue(track(engines.slow), time)
    const watch = new MemoryQueue(time.nowMs, { turn: time.turn })
    const output = { line: (text: string) => this.lines.push(text), nowMs: time.nowMs }
    let ids = 0
    this.world = {
      ...(engines === undefined ? memoryStores(shardCount) : trackedStores(engines.stores, time)),
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
      thaw: async () => {},
      newId: () => {
        ids += 1
        return `${ids}-id`
      },
      executor: 'scheduler',
      random: () => 0.5,
      log: (runId, line) => this.lines.push(JSON.stringify({ level: 'info', runId, line })),
      warn: (message, detail) => this.lines.push(JSON.stringify({ level: 'warn', message, ...detail })),
    }
    const environment = <Event, Result>(
      make: (world: TestSchedulerWorld) => (event: Event) => Promise<Result>,
      point?: KillPoint,
    ) => {
      const cut = killable(see(this.world, this.tickers.length), point)
      this.tickers.push(cut)
      return { handle: make(cut.world), kill: cut.kill }
    }
    const handlers = noted(
      defineHandlers({ echo: () => null, ...options.handlers?.(this) }),
      ({ id: runId, attempt, trigger, job }) => {
        const { second } = parseRunId(runId)
        this.sent.push({ atMs: time.nowMs(), name: job.name, second, trigger, runId, attempt })
      },
    )
    const executor = <Event, Result>(make: (world: TestSchedulerWorld) => (event: Event) => Promise<Result>) => {
      const { killExecutor = () => undefined, seeExecutor = (world) => world } = options
      const number = this.executors.length + 1
      const cut = killable(seeExecutor(this.world, number), killExecutor(number))
      this.executors.push(cut)
      return { handle: make(cut.world), kill: cut.kill }
    }
    let ticks = 0
    this.rig = new Rig({
      time,
      queues: { fast: this.fast, slow: this.slow, dead, watch },
      pollSeconds: POLL_SECONDS,
      restMs: engines === undefined ? 10 : 100,
      makeExecutor: () => executor((world) => makeExecute(world, handlers, output)),
      makeDeadLetters: () => executor((world) => makeDeadLetters(world, handlers, output)),
      ...(options.executors === undefined ? {} : { executors: options.executors }),
      makeTick: () => {
        ticks += 1
        return environment((world) => makeTick(world, output), killTick(ticks))
      },
      makeSwitch: () => environment((world) => makeSwitch(world, output)),
      makeMinute: () => environment((world) => makeMinute(world, output)),
      onTick: (result) => this.ticked.push(result),
      onError: (error) => this.errors.push(error),
      ...(options.deliveries === undefined ? {} : { deliveries: options.deliveries }),
      ...(options.hasMinuteRule === undefined ? {} : { hasMinuteRule: options.hasMinuteRule }),
    })
  }

  /** Executors take nothing while this is false. */
  set isExecuting(isExecuting: boolean) {
    for (const lane of ['fast', 'slow'] as const) {
      this.rig.pollers[lane].isPaused = !isExecuting
      this[lane].giveUpPolls()
    }
  }

  /** Runs the scheduler through a second counted from its start. */
  async run(second: number): Promise<void> {
    await this.time.run((START + second) * 1000 + 900)
  }

  /** The seconds of the runs of a job that were started, counted from the start. */
  seconds(name: string): number[] {
    return this.sent
      .filter((each) => each.name === name)
      .map(({ second }) => second - START)
      .sort((a, b) => a - b)
  }

  /** What the ledger says of a run on a page. */
  async entryOf(id: string, second: number): Promise<PageEntry | null> {
    const jobId = id.replace('~', '')
    const shard = shardOf(hashOfId(jobId), this.world.shardCount)
    const depth = await new Depths(this.world, shard).at(second)
    if (depth === undefined) return null
    const [{ entries }] = await this.world.ledger.readPages([pageKeyOfJob(shard, { jobId, second }, depth)])
    return entries.get(id) ?? null
  }

  warnings(): string[] {
    return this.lines.filter((line) => line.includes('"level":"warn"'))
  }

  async close(): Promise<void> {
    this.rig.stop()
  }
}

// Reads off a scheduler in driven time what AWS would put on the bill: calls of functions and how long they take, messages, events, lines.
// Calls of the store are counted by the store's own client.

import type { Pool } from '../../local/host/pool.ts'
import type { BusEvent, Message } from '../../shared/ports.ts'
import { beforeEveryCall } from '../../test/support/backends/every-call.ts'
import type { Spent } from '../../test/support/engines/capacity.ts'
import type { TestScheduler, TestSchedulerWorld } from '../../test/support/test-scheduler.ts'
import { type CountedFunction, callMs, cpuMsOfRuns, FUNCTIONS, POLLS_A_SECOND, type Service } from './deployment.ts'
import { metricsIn } from './metrics.ts'
import { PRICES } from './prices.ts'
import type { FunctionUse, Usage } from './usage.ts'

export type CountedStore = () => { readonly reads: Spent; readonly writes: Spent }

const MESSAGES_A_REQUEST = 10

const bytesOf = (bodies: readonly string[]): number => bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0)

/** Large requests count as several. */
const requestsFor = (bytes: number): number => Math.max(1, Math.ceil(bytes / PRICES.sqs.bytesARequest))

function requestsOfSend(messages: readonly Message[]): number {
  let requests = 0
  for (let first = 0; first < messages.length; first += MESSAGES_A_REQUEST)
    requests += requestsFor(bytesOf(messages.slice(first, first + MESSAGES_A_REQUEST).map(({ body }) => body)))
  return requests
}

const eventsOf = (events: readonly BusEvent[]): number =>
  events.reduce(
    (sum, { detail }) =>
      sum + Math.max(1, Math.ceil(Buffer.byteLength(JSON.stringify(detail)) / PRICES.bus.bytesAnEvent)),
    0,
  )

const SERVICE_OF_PART: Readonly<Record<string, Service>> = { bus: 'bus', fast: 'queue', slow: 'queue', watch: 'queue' }

/** What a call of a queue brought; the minute rule and the bus bring no messages. */
const bodiesOf = (event: unknown): readonly string[] =>
  ((event as { Records?: readonly { readonly body: string }[] } | undefined)?.Records ?? []).map(({ body }) => body)

export class Meter {
  readonly #memoryMb: Readonly<Record<CountedFunction, number>>
  readonly #store: CountedStore
  #calls: Record<CountedFunction, { calls: number; billedMs: number }> = noCalls()
  #queueRequests = 0
  #busEvents = 0
  #sinceMs = 0
  #linesBefore = 0
  #runsBefore = 0

  constructor(store: CountedStore, memoryMb: Readonly<Record<CountedFunction, number>>) {
    this.#store = store
    this.#memoryMb = memoryMb
  }

  /** The world as a function of some memory sees it: every call takes its time and is counted. */
  see(scheduler: () => TestScheduler, world: TestSchedulerWorld, memoryMb: number): TestSchedulerWorld {
    return beforeEveryCall(world, async (_, name, part, parameters) => {
      if (part === '') return
      if (part === 'bus') this.#busEvents += eventsOf(parameters[0] as readonly BusEvent[])
      const service = SERVICE_OF_PART[part] ?? 'table'
      if (service === 'queue') this.#queueRequests += name === 'send' ? requestsOfSend(parameters[0] as Message[]) : 1
      const { time } = scheduler()
      await time.until(time.nowMs() + callMs(service, memoryMb))
    })
  }

  attach({ rig }: TestScheduler): void {
    const pools = { tick: rig.ticks, switch: rig.switches, minute: rig.minutes, ...rig.executors } as const
    for (const name of FUNCTIONS) {
      const pool: Pick<Pool<never, unknown>, 'onCall'> = pools[name]
      pool.onCall = (event, tookMs) => this.#called(name, bodiesOf(event), tookMs)
    }
  }

  #called(name: CountedFunction, bodies: readonly string[], tookMs: number): void {
    this.#calls[name].calls += 1
    this.#calls[name].billedMs += Math.ceil(tookMs)
    // A batch is received and, when it is done, deleted.
    if (bodies.length > 0) this.#queueRequests += requestsFor(bytesOf(bodies)) + 1
  }

  /** Forgets what was before: environments were cold, and a shard was made. */
  begin(scheduler: TestScheduler): void {
    this.#store()
    this.#calls = noCalls()
    this.#queueRequests = 0
    this.#busEvents = 0
    this.#sinceMs = scheduler.time.nowMs()
    this.#linesBefore = scheduler.lines.length
    this.#runsBefore = scheduler.sent.length
  }

  read(scheduler: TestScheduler, storedBytes: number): Usage {
    const { reads, writes } = this.#store()
    const seconds = (scheduler.time.nowMs() - this.#sinceMs) / 1000
    const lines = scheduler.lines.slice(this.#linesBefore)
    const runs = scheduler.sent.length - this.#runsBefore
    return {
      seconds,
      triggers: runs,
      functions: Object.fromEntries(FUNCTIONS.map((name) => [name, this.#useOf(name, runs)])) as Usage['functions'],
      tableRequests: reads.calls.length + writes.calls.length,
      readUnits: reads.units,
      writeUnits: writes.units,
      storedBytes,
      queueRequests: this.#queueRequests,
      emptyPolls: POLLS_A_SECOND * seconds,
      busEvents: this.#busEvents,
      logBytes: bytesOf(lines) + lines.length,
      metrics: metricsIn(lines),
    }
  }

  #useOf(name: CountedFunction, runs: number): FunctionUse {
    const { calls, billedMs } = this.#calls[name]
    const memoryMb = this.#memoryMb[name]
    const cpuMs = name === 'fast' ? cpuMsOfRuns(runs, memoryMb) : 0
    return { calls, gbSeconds: ((billedMs + cpuMs) / 1000) * (memoryMb / 1024) }
  }
}

const noCalls = () =>
  Object.fromEntries(FUNCTIONS.map((name) => [name, { calls: 0, billedMs: 0 }])) as Record<
    CountedFunction,
    { calls: number; billedMs: number }
  >

// The world as the environment of a function describes it: one table, three queues, one bus. Only those that keep chains going put events
// on the bus; the bundles of the others have no client for it.

import { EventBridgeBus } from '../shared/aws/bus.ts'
import { ENV, type Environment } from '../shared/aws/env.ts'
import { SqsQueue } from '../shared/aws/queue.ts'
import { busClient, dynamoClient, queueClient } from '../shared/aws/sdk.ts'
import { type LocalClock, StoreClock } from '../shared/aws/store-clock.ts'
import { dynamoStores } from '../shared/aws/stores.ts'
import type { ExecutorHost } from '../shared/flow/execute/world.ts'
import type { TickWorld } from '../shared/flow/tick-world.ts'
import type { Bus } from '../shared/ports.ts'
import { log, type Output } from './output.ts'
import { type Thawing, thaw } from './thaw.ts'

const THIS_MACHINE: LocalClock = { wallMs: () => Date.now(), steadyMs: () => performance.now() }

export interface WorldWithoutBus extends Omit<TickWorld, 'bus'>, ExecutorHost, Thawing {
  readonly storeClock: StoreClock
  close(): void
}

export interface OpenedWorld extends WorldWithoutBus {
  readonly bus: Bus
}

/** Where the services are that a process on this machine made itself. A function finds them in its environment. */
export interface Endpoints {
  readonly dynamo: string
  readonly queues: string
  readonly bus: string
}

export interface WorldOptions {
  readonly local?: LocalClock | undefined
  readonly endpoints?: Endpoints | undefined
}

export function worldFrom(env: Environment, output: Output, options: WorldOptions = {}): OpenedWorld {
  const world = worldWithoutBus(env, output, options)
  const events = busClient({ endpoint: options.endpoints?.bus })
  return {
    ...world,
    bus: new EventBridgeBus(events, required(env, ENV.busName)),
    close: () => {
      world.close()
      events.destroy()
    },
  }
}

export function worldWithoutBus(
  env: Environment,
  output: Output,
  { local = THIS_MACHINE, endpoints }: WorldOptions = {},
): WorldWithoutBus {
  const storeClock = new StoreClock(local)
  const client = dynamoClient({ endpoint: endpoints?.dynamo, clock: storeClock })
  const queues = queueClient({ endpoint: endpoints?.queues })
  const shardCount = wholeNumber(env, ENV.shardCount)
  const queue = (name: string) => new SqsQueue({ client: queues, url: required(env, name) })
  const stores = dynamoStores({
    client,
    tableName: required(env, ENV.tableName),
    shardCount,
    ledgerDays: wholeNumber(env, ENV.ledgerDays),
  })
  return {
    ...stores,
    thaw: () => thaw(storeClock, () => stores.shards.meta()),
    clock: storeClock,
    storeClock,
    shardCount,
    hopSeconds: wholeNumber(env, ENV.hopSeconds),
    queues: { fast: queue(ENV.fastQueueUrl), slow: queue(ENV.slowQueueUrl) },
    watch: queue(ENV.watchQueueUrl),
    executor: env[ENV.logStream] ?? `local-${process.pid}`,
    until: (ms, signal) => until(storeClock, ms, signal),
    newId: () => crypto.randomUUID(),
    random: () => Math.random(),
    log: (runId, line) => log(output, 'info', line, { runId }),
    warn: (message, detail) => log(output, 'warn', message, detail),
    close: () => {
      client.destroy()
      queues.destroy()
    },
  }
}

/** A timer may fire early by a little, and the store's time may have moved: it is asked again until it has come. */
async function until(clock: StoreClock, ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms - clock.nowMs(); left > 0 && signal?.aborted !== true; left = ms - clock.nowMs()) {
    const waits = left
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, Math.ceil(waits))
      signal?.addEventListener('abort', done, { once: true })
      function done() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
    })
  }
}

function required(env: Environment, name: string): string {
  const value = env[name]
  if (value === undefined || value === '')
    throw new Error(`${name} is not set. The stack sets it; set it yourself to run without one`)
  return value
}

/** Throws where it is none, rather than going on without a limit. */
export function wholeNumber(env: Environment, name: string, otherwise?: number): number {
  if (otherwise !== undefined && env[name] === undefined) return otherwise
  const value = Number(required(env, name))
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`${name} is ${JSON.stringify(env[name])}. Use a whole number above 0`)
}

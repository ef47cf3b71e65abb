// The whole stack on this machine: the table on dynoxide, the queues on fauxqs, a small bus, and the functions' own doors
// behind them. Everything listens on loopback, on free ports, and ends with this process.

import { makeDeadLetters } from '../../functions/dead-letters.ts'
import { makeExecute } from '../../functions/execute.ts'
import ownHandlers from '../../functions/handlers.ts'
import { makeMinute } from '../../functions/minute.ts'
import type { Output } from '../../functions/output.ts'
import { makeSwitch } from '../../functions/switch.ts'
import { type BusDelivery, makeTick } from '../../functions/tick.ts'
import { type Endpoints, type OpenedWorld, worldFrom } from '../../functions/world.ts'
import { ENV, type Environment } from '../../shared/aws/env.ts'
import { MOST_RECEIVES, type QueueName, VISIBILITY_SECONDS } from '../../shared/aws/limits.ts'
import { SqsQueue } from '../../shared/aws/queue.ts'
import { dynamoClient, pollingClient, queueClient } from '../../shared/aws/sdk.ts'
import { type LocalClock, StoreClock } from '../../shared/aws/store-clock.ts'
import type { Handlers } from '../../shared/core/handlers.ts'
import type { Queue } from '../../shared/ports.ts'
import { type Engine, startStore } from '../engines/dynamodb.ts'
import { startEventBus } from '../engines/event-bus.ts'
import { arnOf, createQueue, startQueues } from '../engines/fauxqs.ts'
import { createTable } from '../engines/table.ts'
import { killable } from './kill.ts'
import type { RigTime } from './pool.ts'
import { type Deliveries, Rig, type RigOptions } from './rig.ts'

export interface StackOptions {
  /** Where the store is kept; in memory where there is none. */
  readonly storeFile?: string
  readonly shardCount?: number
  readonly hopSeconds?: number
  readonly deliveries?: Deliveries
  /** What the executors can run; by default the handlers that come with Tickring. */
  readonly handlers?: Handlers
  /** Executors at once, of each lane. */
  readonly executors?: number
  /** How often a message is delivered before it is a dead letter, and after how long it comes again. */
  readonly mostReceives?: number
  readonly visibilitySeconds?: number
  /** What a line that a function writes goes to. */
  line(text: string): void
  /** The clock of the machine on which the functions run. */
  readonly clock?: LocalClock
  readonly onTick?: RigOptions['onTick']
  readonly onError?: RigOptions['onError']
}

export interface Stack {
  readonly rig: Rig
  /** The world as one who manages jobs sees it. */
  readonly world: OpenedWorld
  /** What the functions find in their environment. */
  readonly env: Environment
  readonly queues: Readonly<Record<QueueName, Queue>>
  readonly endpoints: Endpoints
  stop(): Promise<void>
}

/** Timers that are still set when a stack has stopped keep nobody alive. */
const REAL_TIME: RigTime = {
  nowMs: () => Date.now(),
  until: (ms, signal) =>
    new Promise((wake) => {
      const timer = setTimeout(wake, Math.max(0, ms - Date.now())).unref()
      signal?.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }),
}

const TABLE = 'tickring'
/** Lambda begins with five; on one machine more than a few only take time from each other. */
const RECEIVERS = 3

export async function startStack(options: StackOptions): Promise<Stack> {
  const [dynamo, queues] = await Promise.all([startStore(options.storeFile), startQueues()])
  const deliver: { to: Rig | null } = { to: null }
  const bus = await startEventBus(({ Detail }) => {
    const event: BusDelivery = { detail: JSON.parse(Detail) }
    deliver.to?.takeEvent(event)
    return null
  })
  const engines: Engine[] = [dynamo, queues, bus]
  const endpoints = { dynamo: dynamo.endpoint, queues: queues.endpoint, bus: bus.endpoint }
  const env = await makeResources(dynamo, queues, options)
  const output: Output = { line: options.line, nowMs: () => Date.now() }
  const worlds: OpenedWorld[] = []
  const open = () => {
    const world = worldFrom(env, output, { local: options.clock, endpoints })
    worlds.push(world)
    return world
  }
  const polling = pollingClient({ endpoint: queues.endpoint })
  const client = queueClient({ endpoint: queues.endpoint })
  const consume = (name: string) => new SqsQueue({ client, polling, url: env[name] ?? '' })
  const consumed = {
    fast: consume(ENV.fastQueueUrl),
    slow: consume(ENV.slowQueueUrl),
    dead: consume(ENV.deadQueueUrl),
    watch: consume(ENV.watchQueueUrl),
  }
  const { handlers = ownHandlers } = options
  const environment = <Event, Result>(
    make: (world: OpenedWorld) => (event: Event) => Promise<Result>,
    world: OpenedWorld = open(),
  ) => {
    const cut = killable(world)
    return { handle: make(cut.world), kill: cut.kill }
  }
  // Executors remember nothing of the world, so on one machine they share its connections.
  const shared = open()
  const rig = new Rig({
    time: REAL_TIME,
    queues: consumed,
    receivers: RECEIVERS,
    makeExecutor: () => environment((world) => makeExecute(world, handlers, output), shared),
    makeDeadLetters: () => environment((world) => makeDeadLetters(world, handlers, output), shared),
    makeTick: () => environment((world) => makeTick(world, output)),
    makeSwitch: () => environment((world) => makeSwitch(world, output)),
    makeMinute: () => environment((world) => makeMinute(world, output)),
    ...(options.executors === undefined ? {} : { executors: options.executors }),
    ...(options.deliveries === undefined ? {} : { deliveries: options.deliveries }),
    ...(options.onTick === undefined ? {} : { onTick: options.onTick }),
    ...(options.onError === undefined ? {} : { onError: options.onError }),
  })
  deliver.to = rig
  return {
    rig,
    env,
    world: open(),
    queues: consumed,
    endpoints,
    stop: async () => {
      rig.stop()
      for (const world of worlds) world.close()
      client.destroy()
      polling.destroy()
      await Promise.all(engines.map((engine) => engine.stop()))
    },
  }
}

async function makeResources(dynamo: Engine, queues: Engine, options: StackOptions): Promise<Record<string, string>> {
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: dynamo.endpoint, clock })
  await createTable(client, TABLE)
  client.destroy()
  const sqs = queueClient({ endpoint: queues.endpoint })
  const { visibilitySeconds, mostReceives = MOST_RECEIVES } = options
  const make = (name: string, attributes: Record<string, string>) => createQueue(sqs, queues.endpoint, name, attributes)
  const dead = await make('dead', { VisibilityTimeout: String(VISIBILITY_SECONDS.dead) })
  const redrive = { deadLetterTargetArn: await arnOf(sqs, dead), maxReceiveCount: mostReceives }
  const lane = (name: 'fast' | 'slow') => ({
    VisibilityTimeout: String(visibilitySeconds ?? VISIBILITY_SECONDS[name]),
    RedrivePolicy: JSON.stringify(redrive),
  })
  const [fast, slow, watch] = await Promise.all([
    make('fast', lane('fast')),
    make('slow', lane('slow')),
    make('watch', { VisibilityTimeout: String(VISIBILITY_SECONDS.watch) }),
  ])
  sqs.destroy()
  return {
    [ENV.tableName]: TABLE,
    [ENV.shardCount]: String(options.shardCount ?? 1),
    [ENV.ledgerDays]: '30',
    [ENV.hopSeconds]: String(options.hopSeconds ?? 1),
    [ENV.fastQueueUrl]: fast,
    [ENV.slowQueueUrl]: slow,
    [ENV.watchQueueUrl]: watch,
    [ENV.deadQueueUrl]: dead,
    [ENV.busName]: 'tickring',
  }
}

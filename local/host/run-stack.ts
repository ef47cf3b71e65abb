// Runs a synthesised stack on this machine: its table and queues on engines, its functions as processes, and between them what AWS does:
// queues that are polled, events that are delivered, an API that is served, a step that runs once. Everything listens on loopback, unless
// the API is told otherwise, and ends with this process.

import type { SQSClient } from '@aws-sdk/client-sqs'
import type { GatewayEvent, GatewayResult } from '../../functions/http/gateway.ts'
import type { BatchResult } from '../../functions/queue-delivery.ts'
import { SqsQueue } from '../../shared/aws/queue.ts'
import { dynamoClient, pollingClient, queueClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import type { Queue, Received } from '../../shared/ports.ts'
import { createQueue } from '../engines/fauxqs.ts'
import type { KeptParameters } from '../engines/parameters.ts'
import type { ServiceCall } from '../engines/proxy.ts'
import { createTable } from '../engines/table.ts'
import { type ApiServer, serveApi } from '../gateway/server.ts'
import type { Assembly } from '../template/assembly.ts'
import { type QueueToRun, readTemplate, type StackToRun } from '../template/read-template.ts'
import type { EnvironmentOptions } from './child-environment.ts'
import { type Deliveries, EventDelivery } from './deliver-events.ts'
import { Functions } from './functions.ts'
import { type Latency, NO_LATENCY } from './latency.ts'
import { Poller } from './poller.ts'
import { AllBusy, REAL_TIME, TookTooLong } from './pool.ts'
import { type Services, serviceEnvironment, startServices } from './services.ts'

export interface StackOptions extends Partial<Pick<EnvironmentOptions, 'onNote'>> {
  /** May still be under way: the engines start meanwhile. */
  readonly assembly: Assembly | Promise<Assembly>
  /** The folder of the store; in memory where there is none. */
  readonly storeFolder?: string | null
  readonly parameters?: KeptParameters
  readonly host?: string
  readonly port?: number
  /** Names under which the API may be asked for, once its port is known. */
  hostsAt?(port: number): readonly string[]
  readonly latency?: Latency
  readonly deliveries?: Deliveries
  /** Environments of a function at once. */
  readonly mostEnvironments?: number
  /** Set in every function beside what the stack sets. */
  readonly environment?: Readonly<Record<string, string>>
  /** What a queue is made with beside what the stack says. */
  queueAttributes?(queue: QueueToRun): Readonly<Record<string, string>>
  /** Functions are called by their short names here: tick, fast, api. */
  onLine?(functionName: string, line: string): void
  /** The result of a call that an event led to. */
  onResult?(functionName: string, result: unknown): void
  onError?(functionName: string, error: unknown): void
  onCall?(call: ServiceCall): void
  /** Told of each call that messages led to, when it begins. */
  onMessages?(messages: readonly Received[], receivedMs: number): void
  /** Told of each step of the start as it begins. */
  onStep?(step: string): void
}

const POLL_SECONDS = 20
const REST_MS = 20
/** The gateway waits no longer for its function. */
const GATEWAY_WAITS_MS = 29_000

export class RunningStack {
  readonly url: string
  readonly stack: StackToRun
  readonly functions: Functions
  readonly services: Services
  readonly queues: ReadonlyMap<string, Queue>
  readonly pollers: ReadonlyMap<string, Poller>
  readonly #server: ApiServer
  readonly #delivery: EventDelivery
  readonly #clients: readonly SQSClient[]
  readonly #read: (assembly: Assembly) => StackToRun

  private constructor(parts: Parts) {
    this.url = parts.url
    this.stack = parts.stack
    this.functions = parts.functions
    this.services = parts.services
    this.queues = parts.queues
    this.pollers = parts.pollers
    this.#server = parts.server
    this.#delivery = parts.delivery
    this.#clients = parts.clients
    this.#read = parts.read
  }

  static async start(options: StackOptions): Promise<RunningStack> {
    return new RunningStack(await startParts(options))
  }

  get port(): number {
    return this.#server.port
  }

  /** The environment that a function was given, by its short name. */
  environmentOf(name: string): Readonly<Record<string, string>> {
    return this.stack.functions.find((each) => each.name === name)?.environment ?? {}
  }

  /** What runs once at a deployment. Throws where it fails. */
  async runAtDeploy(ids: readonly string[] = this.stack.atDeploy): Promise<void> {
    for (const id of ids) await this.functions.pool(id).invoke({})
  }

  /** From now on queues are polled and the minute rule comes. */
  begin(): void {
    for (const poller of this.pollers.values()) void poller.run()
    void this.#delivery.runEachMinute()
  }

  /**
   * Gives functions their new code, and runs what runs once where that changed. Returns how many functions changed. Where that step fails the
   * functions have their old code again, as CloudFormation rolls back.
   */
  async deploy(assembly: Assembly): Promise<number> {
    const { functions, atDeploy } = this.#read(assembly)
    const before = this.functions.deployed
    const changed = this.functions.deploy(functions)
    try {
      await this.runAtDeploy(atDeploy.filter((id) => changed.includes(id)))
    } catch (error) {
      this.functions.deploy(before)
      throw error
    }
    return changed.length
  }

  /** What is under way may end, for as long as is said; nothing else begins. */
  async stop(withinMs = 0): Promise<void> {
    this.#delivery.stop()
    for (const poller of this.pollers.values()) poller.stop()
    await this.functions.settle(withinMs)
    this.functions.stop()
    for (const client of this.#clients) client.destroy()
    await Promise.all([this.#server.stop(), this.services.stop()])
  }
}

interface Parts {
  readonly url: string
  readonly stack: StackToRun
  readonly functions: Functions
  readonly services: Services
  readonly queues: ReadonlyMap<string, Queue>
  readonly pollers: ReadonlyMap<string, Poller>
  readonly server: ApiServer
  readonly delivery: EventDelivery
  readonly clients: readonly SQSClient[]
  readonly read: (assembly: Assembly) => StackToRun
}

async function startParts(options: StackOptions): Promise<Parts> {
  const { latency = NO_LATENCY, host = '127.0.0.1', port = 0 } = options
  const { onStep = () => {}, onError = () => {}, onResult = () => {} } = options
  // Hosts name the port, which is known only once it is taken.
  let answer: (event: GatewayEvent) => Promise<GatewayResult> = async () => UNAVAILABLE
  const server = await serveApi((event) => answer(event), host, port)
  let delivery: EventDelivery | null = null
  let services: Services | null = null
  try {
    onStep('store and queues, started')
    services = await startServices({
      storeFolder: options.storeFolder ?? null,
      parameters: options.parameters ?? new Map(),
      latency,
      takeEvent: (entry) => {
        delivery?.take(entry)
        return null
      },
      ...(options.onCall === undefined ? {} : { onCall: options.onCall }),
    })
    const { engines, endpoints } = services
    onStep('the stack, synthesised and bundled')
    const assembly = await options.assembly
    onStep('table and queues')
    const apiHosts = options.hostsAt?.(server.port) ?? [`127.0.0.1:${server.port}`]
    const read = ({ template, folder }: Assembly) =>
      readTemplate(template, { folder, queueEndpoint: endpoints.sqs, apiHosts })
    const stack = read(assembly)
    const client = queueClient({ endpoint: engines.sqs })
    const polling = pollingClient({ endpoint: engines.sqs })
    const queues = await makeResources(stack, services, client, polling, options)
    const functions = new Functions(
      stack,
      {
        services: { ...serviceEnvironment(endpoints), NODE_COMPILE_CACHE: assembly.compiled, ...options.environment },
        onLine: (id, line) => options.onLine?.(nameOf(stack, id), line),
        coldStartMs: latency.coldStartMs,
        ...(options.onNote === undefined ? {} : { onNote: options.onNote }),
      },
      options.mostEnvironments,
    )
    const tellError = (id: string, error: unknown) => onError(nameOf(stack, id), error)
    delivery = new EventDelivery({
      rules: stack.rules,
      time: REAL_TIME,
      deliveries: options.deliveries ?? (() => [latency.busMs()]),
      invoke: async ({ functionId, deadLetters }, event) => {
        try {
          const done = await functions.invokeLater(functionId, event)
          if (done !== null) onResult(nameOf(stack, functionId), done.result)
          else if (deadLetters !== null) await queues.get(deadLetters)?.send([{ body: JSON.stringify(event) }])
        } catch (error) {
          tellError(functionId, error)
        }
      },
    })
    const api = functions.pool(stack.apiFunctionId)
    answer = async (event) => {
      try {
        return (await api.invoke(event, GATEWAY_WAITS_MS)) as GatewayResult
      } catch (error) {
        tellError(stack.apiFunctionId, error)
        return error instanceof AllBusy || error instanceof TookTooLong ? UNAVAILABLE : FAILED
      }
    }
    const pollers = new Map(
      stack.mappings.map(({ functionId, queue, batch, mostCalls }) => {
        const poller = new Poller({
          queue: queues.get(queue) as Queue,
          time: REAL_TIME,
          batch,
          most: Math.min(mostCalls, functions.most),
          receivers: 1,
          pollSeconds: POLL_SECONDS,
          restMs: REST_MS,
          delayMs: latency.queueMs,
          invoke: async (event) => (await functions.pool(functionId).invoke(event)) as BatchResult,
          onError: (error) => tellError(functionId, error),
          ...(options.onMessages === undefined ? {} : { onCall: options.onMessages }),
        })
        return [queue, poller]
      }),
    )
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`
    return { url, stack, functions, services, queues, pollers, server, delivery, clients: [client, polling], read }
  } catch (error) {
    await Promise.all([server.stop(), services?.stop()])
    throw error
  }
}

const nameOf = ({ functions }: StackToRun, id: string): string => functions.find((each) => each.id === id)?.name ?? id

/** As the gateway answers where its function does not. */
const answerOfGateway = (statusCode: number, message: string): GatewayResult => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
})
const UNAVAILABLE = answerOfGateway(503, 'Service Unavailable')
const FAILED = answerOfGateway(500, 'Internal Server Error')

async function makeResources(
  { tables, queues }: StackToRun,
  { engines }: Services,
  client: SQSClient,
  polling: SQSClient,
  { queueAttributes = () => ({}) }: StackOptions,
): Promise<Map<string, Queue>> {
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const store = dynamoClient({ endpoint: engines.dynamodb, clock })
  await Promise.all(tables.map((table) => createTable(store, table)))
  store.destroy()
  const made = new Map<string, Queue>()
  // Queues that others name as theirs for dead letters come first.
  for (const queue of [...queues].sort((a, b) => Number(a.deadLetters !== null) - Number(b.deadLetters !== null))) {
    const url = await createQueue(client, engines.sqs, queue.name, {
      ...attributesOf(queue),
      ...queueAttributes(queue),
    })
    made.set(queue.name, new SqsQueue({ client, polling, url }))
  }
  return made
}

function attributesOf({ properties }: QueueToRun): Record<string, string> {
  const { MaximumMessageSize, MessageRetentionPeriod, VisibilityTimeout, RedrivePolicy } = properties
  const given = { MaximumMessageSize, MessageRetentionPeriod, VisibilityTimeout }
  const numbers = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return {
    ...Object.fromEntries(numbers),
    ...(RedrivePolicy === undefined ? {} : { RedrivePolicy: JSON.stringify(RedrivePolicy) }),
  }
}

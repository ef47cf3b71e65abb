// A deployed stack on this machine: the synthesised template, its table and queues on engines, and its functions under Lambda's own runtime
// client. Functions find the engines in the environment, as the SDK wants it, and always through a proxy.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayResult } from '../../functions/http/gateway.ts'
import type { TickringProps } from '../../infra/tickring.ts'
import { type Engine, startStore } from '../../local/engines/dynamodb.ts'
import { type PutEntry, startEventBus } from '../../local/engines/event-bus.ts'
import { createQueue, startQueues } from '../../local/engines/fauxqs.ts'
import { startParameters } from '../../local/engines/parameters.ts'
import { type Service, type ServiceCall, startProxy, type Weather } from '../../local/engines/proxy.ts'
import { type FunctionName, type QueueName, VISIBILITY_SECONDS } from '../../shared/aws/limits.ts'
import { SqsQueue } from '../../shared/aws/queue.ts'
import { dynamoClient, pollingClient, queueClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../shared/aws/stores.ts'
import type { Stores } from '../../shared/ports.ts'
import { createTable } from '../support/engines/table.ts'
import { LambdaEnvironment } from './environment.ts'
import { type LocalFunction, type SynthesisedStack, synthesise } from './template.ts'

/** A test may change it at any time. */
export interface LambdaWeather extends Weather {
  fateOf: NonNullable<Weather['fateOf']>
  aheadMs: number
}

export interface LambdaScheduler {
  readonly stack: SynthesisedStack
  readonly functions: Readonly<Record<FunctionName, LocalFunction>>
  /** Where the engines are for those who are to be seen. */
  readonly endpoints: Readonly<Record<Service, string>>
  readonly calls: ServiceCall[]
  readonly weather: LambdaWeather
  /** Past the proxies, so that what a test does itself is not written down. */
  readonly stores: Stores
  readonly queues: Readonly<Record<QueueName, SqsQueue>>
  /** What was put on the bus and no function has taken yet. */
  readonly events: PutEntry[]
  /** SSM's parameters by name. */
  readonly parameters: Map<string, string>
  /** A new environment, of another stack's code where one is given. */
  start(name: FunctionName, code?: SynthesisedStack): Promise<LambdaEnvironment>
  stop(): Promise<void>
}

const FAIR_WEATHER: () => LambdaWeather = () => ({ fateOf: () => 'arrives', aheadMs: 0 })

/** Folders with bundles, which go when the process does. */
const folders: string[] = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function synthesiseHere(props: TickringProps = {}): SynthesisedStack {
  const folder = mkdtempSync(join(tmpdir(), 'tickring-lambda-'))
  folders.push(folder)
  return synthesise(folder, props)
}

export async function startLambdaScheduler(stack: SynthesisedStack): Promise<LambdaScheduler> {
  const events: PutEntry[] = []
  const calls: ServiceCall[] = []
  const parameters = new Map<string, string>()
  const weather = FAIR_WEATHER()
  const engines: Record<Service, Engine> = {
    dynamodb: await startStore(),
    sqs: await startQueues(),
    events: await startEventBus((entry) => {
      events.push(entry)
      return null
    }),
    ssm: await startParameters(parameters),
  }
  const proxy = (service: Service) =>
    startProxy(service, engines[service].endpoint, weather, (call) => calls.push(call))
  const proxies: Record<Service, Engine> = {
    dynamodb: await proxy('dynamodb'),
    sqs: await proxy('sqs'),
    events: await proxy('events'),
    ssm: await proxy('ssm'),
  }
  // By a name that is not taken for an engine on this machine: the functions sign their calls as on AWS.
  const endpointOf = (service: Service) => proxies[service].endpoint.replace('127.0.0.1', 'localhost')
  const services = {
    AWS_ENDPOINT_URL_DYNAMODB: endpointOf('dynamodb'),
    AWS_ENDPOINT_URL_SQS: endpointOf('sqs'),
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpointOf('events'),
    AWS_ENDPOINT_URL_SSM: endpointOf('ssm'),
  }
  const functions = stack.functions(endpointOf('sqs'))
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: engines.dynamodb.endpoint, clock })
  await createTable(client, stack.tableName)
  const endpoint = engines.sqs.endpoint
  const queueApi = queueClient({ endpoint })
  const polling = pollingClient({ endpoint })
  const makeQueue = async (name: QueueName) => {
    const visibility = { VisibilityTimeout: String(VISIBILITY_SECONDS[name]) }
    const url = await createQueue(queueApi, endpoint, stack.queueNames[name], visibility)
    return new SqsQueue({ client: queueApi, polling, url })
  }
  const environments: LambdaEnvironment[] = []
  return {
    stack,
    functions,
    endpoints: {
      dynamodb: endpointOf('dynamodb'),
      sqs: endpointOf('sqs'),
      events: endpointOf('events'),
      ssm: endpointOf('ssm'),
    },
    calls,
    weather,
    stores: dynamoStores({ client, tableName: stack.tableName, shardCount: 1, ledgerDays: 400 }),
    queues: {
      fast: await makeQueue('fast'),
      slow: await makeQueue('slow'),
      dead: await makeQueue('dead'),
      watch: await makeQueue('watch'),
    },
    events,
    parameters,
    start: async (name, code = stack) => {
      const environment = await LambdaEnvironment.start(code.functions(endpointOf('sqs'))[name], services)
      environments.push(environment)
      return environment
    },
    stop: async () => {
      await Promise.all(environments.map((environment) => environment.kill()))
      for (const each of [client, queueApi, polling]) each.destroy()
      await Promise.all([...Object.values(proxies), ...Object.values(engines)].map((engine) => engine.stop()))
    },
  }
}

export interface ApiAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
  readonly headers: Readonly<Record<string, string>>
}

export interface ApiAsked {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One request as the gateway hands it to the API. */
export async function askApi(
  api: LambdaEnvironment,
  { environment }: LocalFunction,
  key: string | null,
  request: string,
  { body, headers = {} }: ApiAsked = {},
): Promise<ApiAnswer> {
  const [method, target] = request.split(' ')
  const [rawPath, rawQueryString = ''] = target.split('?')
  const answer = await api.invoke<GatewayResult>({
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: {
      host: environment.TICKRING_API_HOSTS,
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    requestContext: { http: { method, sourceIp: '192.0.2.1' }, requestId: 'request' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  })
  const isJson = answer.headers['content-type']?.includes('json') === true && answer.body !== ''
  return {
    status: answer.statusCode,
    headers: answer.headers,
    json: isJson ? JSON.parse(answer.body) : undefined,
  }
}

// The services that a stack calls, as engines on loopback: table, queues, bus and parameters. Where AWS's latency is imitated, or calls are
// to be seen, a proxy stands in front of each.

import { type Engine, startStore } from '../engines/dynamodb.ts'
import { startEventBus, type TakeEvent } from '../engines/event-bus.ts'
import { startQueues } from '../engines/fauxqs.ts'
import { type KeptParameters, startParameters } from '../engines/parameters.ts'
import { type Service, type ServiceCall, startProxy } from '../engines/proxy.ts'
import { type CalledService, type Latency, NO_LATENCY } from './latency.ts'

export interface Services {
  /** The engines themselves, for this process. */
  readonly engines: Readonly<Record<Service, string>>
  /** Where functions find them. */
  readonly endpoints: Readonly<Record<Service, string>>
  stop(): Promise<void>
}

export interface ServiceOptions {
  /** The folder of the store; in memory where there is none. */
  readonly storeFolder: string | null
  readonly parameters: KeptParameters
  readonly latency: Latency
  takeEvent: TakeEvent
  onCall?(call: ServiceCall): void
}

const CALLED: Readonly<Partial<Record<Service, CalledService>>> = { dynamodb: 'table', sqs: 'queue', events: 'bus' }

/** The store's files cannot be read, or its engine does not start. */
export class StoreFailed extends Error {}

export async function startServices(options: ServiceOptions): Promise<Services> {
  const started: Engine[] = []
  const stop = async () => {
    await Promise.all(started.splice(0).map((engine) => engine.stop()))
  }
  const run = async (starting: Promise<Engine>): Promise<string> => {
    const engine = await starting
    started.push(engine)
    return engine.endpoint
  }
  try {
    const { storeFolder, parameters, takeEvent } = options
    const [dynamodb, sqs, events, ssm] = await Promise.all([
      run(startStore(storeFolder).catch((error: Error) => Promise.reject(new StoreFailed(error.message)))),
      run(startQueues()),
      run(startEventBus(takeEvent)),
      run(startParameters(parameters)),
    ])
    const engines = { dynamodb, sqs, events, ssm }
    const seen = async (service: Service) =>
      run(startProxy(service, engines[service], weatherOf(service, options), options.onCall))
    const isSeen = options.onCall !== undefined || options.latency !== NO_LATENCY
    const endpoints = isSeen
      ? {
          dynamodb: await seen('dynamodb'),
          sqs: await seen('sqs'),
          events: await seen('events'),
          ssm: await seen('ssm'),
        }
      : engines
    return { engines, endpoints, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function weatherOf(service: Service, { latency }: ServiceOptions) {
  const called = CALLED[service]
  return called === undefined ? {} : { delayMs: () => latency.callMs(called) }
}

/** As the SDK reads it. */
export const serviceEnvironment = (endpoints: Services['endpoints']): Record<string, string> => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.events,
  AWS_ENDPOINT_URL_SSM: endpoints.ssm,
})

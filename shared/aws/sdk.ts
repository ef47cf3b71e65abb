// The AWS clients, set up in one place: short timeouts, few retries with jitter, connections kept, and the Date of every answer of
// the store given to the store's clock. Region, credentials and endpoint come from the environment, as on Lambda.

import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { StoreClock } from './store-clock.ts'

/** A tick has a second; one call that hangs must not take it all. */
const CONNECT_TIMEOUT_MS = 1000
const REQUEST_TIMEOUT_MS = 3000
/** The SDK waits between attempts for a random time that grows. */
const MOST_ATTEMPTS = 3
/** A page is one call, and 256 pages may be claimed at once. */
const MOST_SOCKETS = 256
/** A long poll takes up to 20 s by itself. */
const POLL_TIMEOUT_MS = 23_000

/** What of a request a signer is given and gives back. */
type HttpRequest = Parameters<Extract<NonNullable<DynamoDBClientConfig['signer']>, { sign: unknown }>['sign']>[0]
type RequestHandler = NonNullable<DynamoDBClientConfig['requestHandler']>

export interface SdkOptions {
  /** An engine on this machine, for clients that share a process with those of other engines; the others find theirs in the environment. */
  readonly endpoint?: string | undefined
  /** Tests put a handler here that loses, delays and fails requests. */
  readonly requestHandler?: RequestHandler
}

/** As an engine on this machine is called. No service of AWS is. */
const ON_THIS_MACHINE = 'http://127.0.0.1:'

/**
 * An engine on this machine wants a signature that has the form of one, and does not check it. To make one takes two fifths of the CPU of
 * a call, on a machine that runs everything else too, so all calls of a process have the same.
 */
const SIGNATURE = {
  'x-amz-date': '20200101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=${process.env.AWS_ACCESS_KEY_ID ?? 'local'}/20200101/us-east-1/local/aws4_request, SignedHeaders=host, Signature=0`,
}

const LOCAL = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  signer: {
    sign: async (request: HttpRequest): Promise<HttpRequest> => {
      Object.assign(request.headers, SIGNATURE)
      return request
    },
  },
}

function localSettings(service: string, endpoint: string | undefined): object {
  if (endpoint !== undefined) return { endpoint, ...LOCAL }
  return process.env[`AWS_ENDPOINT_URL_${service}`]?.startsWith(ON_THIS_MACHINE) === true ? LOCAL : {}
}

/** The SDK's credential chain calls `debug`. For `info` it copies every input and output, even for one that drops them, unless it is absent. */
const SILENT = { trace() {}, debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>

const settings = (
  service: 'DYNAMODB' | 'SQS' | 'EVENTBRIDGE',
  { endpoint, requestHandler }: SdkOptions,
  requestTimeout = REQUEST_TIMEOUT_MS,
) => ({
  ...localSettings(service, endpoint),
  logger: SILENT,
  maxAttempts: MOST_ATTEMPTS,
  requestHandler: requestHandler ?? {
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout,
    throwOnRequestTimeout: true,
    httpAgent: { keepAlive: true, maxSockets: MOST_SOCKETS },
    httpsAgent: { keepAlive: true, maxSockets: MOST_SOCKETS },
  },
})

export function dynamoClient({ clock, ...options }: SdkOptions & { readonly clock: StoreClock }): DynamoDBClient {
  const client = new DynamoDBClient(settings('DYNAMODB', options))
  observeDates(client, clock)
  return client
}

export const queueClient = (options: SdkOptions): SQSClient => new SQSClient(settings('SQS', options))

/** For pollers, which wait for messages: a poll may take longer than any other call. */
export const pollingClient = (options: SdkOptions): SQSClient =>
  new SQSClient(settings('SQS', options, POLL_TIMEOUT_MS))

export const busClient = (options: SdkOptions): EventBridgeClient =>
  new EventBridgeClient(settings('EVENTBRIDGE', options))

/** Errors carry a Date as well as successes do, so this looks at the answer before it is read. */
function observeDates(client: DynamoDBClient, clock: StoreClock): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const asked = clock.moment()
      const result = await next(args)
      const headers = (result.response as { headers?: Record<string, string> }).headers
      const dateMs = Date.parse(headers?.date ?? '')
      if (!Number.isNaN(dateMs)) clock.observe(dateMs, asked)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'observeStoreDate' },
  )
}

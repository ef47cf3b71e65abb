// The AWS clients, set up in one place: short timeouts, few retries with jitter, connections kept, the endpoint from the
// environment, and every answer's Date given to the store's clock.

import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { StoreClock } from './store-clock.ts'

/** A tick has a second; one call that hangs must not take it all. */
const CONNECT_TIMEOUT_MS = 1000
const REQUEST_TIMEOUT_MS = 3000
/** The SDK waits between attempts for a random time that grows. */
const MOST_ATTEMPTS = 3

export interface SdkOptions {
  /** Set for an engine on this machine; unset on AWS. */
  readonly endpoint?: string
  readonly clock: StoreClock
  /** Tests put a handler here that loses, delays and fails requests. */
  readonly requestHandler?: DynamoDBClientConfig['requestHandler']
}

/** An engine on this machine checks no signature, but the SDK insists on making one. */
const LOCAL = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }

export function dynamoClient({ endpoint, clock, requestHandler }: SdkOptions): DynamoDBClient {
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint, ...LOCAL }),
    maxAttempts: MOST_ATTEMPTS,
    requestHandler: requestHandler ?? {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  })
  observeDates(client, clock)
  return client
}

/** Errors carry a Date as well as successes do, so this looks at the answer before it is read. */
function observeDates(client: DynamoDBClient, clock: StoreClock): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const headers = (result.response as { headers?: Record<string, string> }).headers
      const dateMs = Date.parse(headers?.date ?? '')
      if (!Number.isNaN(dateMs)) clock.observe(dateMs)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'observeStoreDate' },
  )
}

/**
 * True where a failed condition proves nothing: the SDK sent the write more than once, and the first may have been
 * committed with its answer lost. Whoever wrote must read back what is there.
 */
export function isUnknown(error: { readonly $metadata?: { readonly attempts?: number | undefined } }): boolean {
  return (error.$metadata?.attempts ?? 1) > 1
}

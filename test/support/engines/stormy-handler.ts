// A request handler between the SDK and an engine for which nothing is sure: requests fail before they are made or after, are
// throttled, or are made and never answered. Which ones follows from a seed.

import { Readable } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Random } from '../random-cron/random.ts'

type Handler = DynamoDBClient['config']['requestHandler']
type Handled = Awaited<ReturnType<Handler['handle']>>

export interface Stormy {
  readonly handler: Handler
  /** No more faults from here on. */
  calm(): void
  faults(): number
  reads(): number
  /** The operations of reads that may have been answered with something old. */
  staleReads(): readonly string[]
}

/** How many of a thousand requests. */
export interface StormRates {
  readonly before: number
  readonly after: number
  readonly throttled: number
  /** All attempts of the call are made, and the client hears of none. */
  readonly unheard: number
}

const READS = /\.(GetItem|BatchGetItem|Query|Scan)$/

export function stormyHandler(random: Random, { before, after, throttled, unheard: unheardOf }: StormRates): Stormy {
  const inner = new DynamoDBClient({ region: 'us-east-1' }).config.requestHandler
  const pass = inner.handle.bind(inner)
  const unheard = new Set<string>()
  let isStorm = true
  let faults = 0
  let reads = 0
  const staleReads: string[] = []
  const noteRead = (request: Parameters<Handler['handle']>[0]) => {
    const [, operation] = READS.exec(request.headers['x-amz-target'] ?? '') ?? []
    if (operation === undefined) return
    reads += 1
    if (!new TextDecoder().decode(request.body).includes('"ConsistentRead":true')) staleReads.push(operation)
  }
  const refuse = (statusCode: number, type: string): Handled => {
    const headers = { 'content-type': 'application/x-amz-json-1.0' }
    const body = new Blob([JSON.stringify({ __type: type, message: 'a fault' })]).stream()
    return { response: { statusCode, headers, body } }
  }
  const lose = (): Handled => {
    faults += 1
    if (random.chance(0.5))
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' })
    return refuse(500, 'InternalServerError')
  }
  const handle: Handler['handle'] = async (request, options) => {
    noteRead(request)
    if (!isStorm) return pass(request, options)
    const invocation = request.headers['amz-sdk-invocation-id'] ?? ''
    const draw = random.below(1000)
    if (draw < unheardOf) unheard.add(invocation)
    if (draw < unheardOf + before && !unheard.has(invocation)) return lose()
    if (draw >= 500 && draw < 500 + throttled) {
      faults += 1
      return refuse(400, random.chance(0.5) ? 'ThrottlingException' : 'ProvisionedThroughputExceededException')
    }
    const answer = await pass(request, options)
    if (draw < 1000 - after && !unheard.has(invocation)) return answer
    // An answer that is not read would keep its connection for ever.
    Readable.from(answer.response.body).resume()
    return lose()
  }
  inner.handle = handle
  return {
    handler: inner,
    calm: () => {
      isStorm = false
    },
    faults: () => faults,
    reads: () => reads,
    staleReads: () => staleReads,
  }
}

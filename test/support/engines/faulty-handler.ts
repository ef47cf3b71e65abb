// A request handler between the SDK and an engine that does what networks do at the worst moment: every write is made
// at its first attempt and its answer lost, every read fails once before it is made. The SDK then tries again, and what
// comes back is often a lie: "the condition failed", because it was met already.

import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

type Handler = DynamoDBClient['config']['requestHandler']
type Handled = Awaited<ReturnType<Handler['handle']>>

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem']
const READS = ['GetItem', 'BatchGetItem', 'Query']

export interface FaultyHandler {
  readonly handler: Handler
  /** How often an answer was lost, so that a test can tell that something happened. */
  lost(): number
}

export interface Losing {
  /** 1 loses the answer to each first attempt, 10 that to every tenth. */
  readonly every: number
  /** Loses the answers to all attempts of a write, so that the client never hears of it; reads pass. */
  readonly isForGood?: boolean
}

export function faultyHandler({ every, isForGood = false }: Losing): FaultyHandler {
  const inner = new DynamoDBClient({ region: 'us-east-1' }).config.requestHandler
  const pass = inner.handle.bind(inner)
  let lost = 0
  let firstTries = 0
  /** By turns a connection that breaks and an error of the server. */
  const fail = (): Handled => {
    lost += 1
    if (lost % 2 === 0) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' })
    const headers = { 'content-type': 'application/x-amz-json-1.0' }
    const body = new Blob([JSON.stringify({ __type: 'InternalServerError', message: 'lost' })]).stream()
    return { response: { statusCode: 500, headers, body } }
  }
  const handle: Handler['handle'] = async (request, options) => {
    const operation = request.headers['x-amz-target']?.split('.')[1] ?? ''
    const isFirstTry = request.headers['amz-sdk-request']?.startsWith('attempt=1') === true
    if (isFirstTry) firstTries += 1
    const isLost = (isFirstTry || isForGood) && firstTries % every === 0
    if (isLost && WRITES.includes(operation)) {
      await pass(request, options)
      return fail()
    }
    return isLost && !isForGood && READS.includes(operation) ? fail() : pass(request, options)
  }
  inner.handle = handle
  return { handler: inner, lost: () => lost }
}

// The short way to an engine on this machine. The SDK takes three quarters of the CPU of a call: it works out endpoint, identity, user agent
// and retries anew each time, and walks through every attribute of an answer. The first try of a call needs none of that here. What is not
// answered with 200 goes the whole way, because the SDK knows errors and retries; a write may be sent twice by it anyhow.

import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { StoreClock } from './store-clock.ts'

/** What stores call. Input and answer are the JSON of the service as it is, because no attribute of the table is binary. */
const COMMANDS = [
  GetItemCommand,
  BatchGetItemCommand,
  QueryCommand,
  PutItemCommand,
  UpdateItemCommand,
  DeleteItemCommand,
  TransactWriteItemsCommand,
]

const TARGETS: ReadonlyMap<string, string> = new Map(
  COMMANDS.map(({ name }) => [name, `DynamoDB_20120810.${name.replace(/Command$/, '')}`]),
)

/** The same for all tries of a call. */
const INVOCATION_HEADER = 'amz-sdk-invocation-id'
const TRIED = 'triedStraight'

export interface Way {
  readonly endpoint: string
  readonly signature: Readonly<Record<string, string>>
  readonly clock: StoreClock
  readonly timeoutMs: number
  readonly mostSockets: number
}

export function goStraight(client: DynamoDBClient, way: Way): void {
  const { hostname, port } = new URL(way.endpoint)
  const agent = new Agent({ keepAlive: true, maxSockets: way.mostSockets })
  const engine = { hostname, port, agent }
  const destroy = client.destroy.bind(client)
  client.destroy = () => {
    agent.destroy()
    destroy()
  }
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const target = TARGETS.get(context.commandName ?? '')
      if (target === undefined) return next(args)
      const invocation = randomUUID()
      const headers = { 'x-amz-target': target, [INVOCATION_HEADER]: invocation }
      const output = await ask(way, engine, headers, JSON.stringify(args.input)).catch(() => null)
      if (output !== null) return { output: { ...output, $metadata: {} }, response: {} }
      context[TRIED] = invocation
      return next(args)
    },
    // Behind all others of this step, so that what they make of the input is asked for.
    { step: 'initialize', priority: 'low', name: 'goStraight' },
  )
  client.middlewareStack.add(
    (next, context) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> }
      if (context[TRIED] !== undefined) headers[INVOCATION_HEADER] = context[TRIED]
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'sameInvocation' },
  )
}

/** Null where the answer is not 200. */
function ask(
  { signature, clock, timeoutMs }: Way,
  engine: { readonly hostname: string; readonly port: string; readonly agent: Agent },
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<object | null> {
  return new Promise((resolve, reject) => {
    const asked = clock.moment()
    const call = request({
      ...engine,
      method: 'POST',
      timeout: timeoutMs,
      headers: {
        ...signature,
        ...headers,
        'content-type': 'application/x-amz-json-1.0',
        'content-length': Buffer.byteLength(body),
      },
    })
    call.on('timeout', () => call.destroy(new Error('the store took too long')))
    call.on('error', reject)
    call.on('response', (answer) => {
      const dateMs = Date.parse(answer.headers.date ?? '')
      if (!Number.isNaN(dateMs)) clock.observe(dateMs, asked)
      textOf(answer)
        .then((text) => resolve(answer.statusCode === 200 ? JSON.parse(text) : null))
        .catch(reject)
    })
    call.end(body)
  })
}

function textOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('end', () => resolve((parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString()))
    // One that ends early is no answer.
    answer.on('error', reject)
  })
}

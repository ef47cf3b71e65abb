import { createServer } from 'node:net'
import {
  type ConditionalCheckFailedException,
  CreateTableCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dynamoClient, isUnknown } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import {
  type Engine,
  startDynamoDbLocal,
  startDynoxide,
  whyNoDynamoDbLocal,
  whyNoDynoxide,
} from '../support/engines/dynamodb.ts'

const clockOf = (offMs = 0) => new StoreClock({ wallMs: () => Date.now() + offMs, steadyMs: () => performance.now() })

const ENGINES = [
  { name: 'dynoxide', start: startDynoxide, whyNot: whyNoDynoxide() },
  { name: 'DynamoDB Local', start: startDynamoDbLocal, whyNot: whyNoDynamoDbLocal() },
]

describe.each(ENGINES)('on $name', ({ name, start, whyNot }) => {
  let engine: Engine

  beforeAll(async () => {
    console.log(whyNot === null ? `${name}: RAN` : `${name}: SKIPPED, ${whyNot}`)
    if (whyNot === null) engine = await start()
  }, 60_000)
  afterAll(async () => {
    await engine?.stop()
  })

  test.skipIf(whyNot !== null)('an answer sets the clock right that is an hour off', async () => {
    const clock = clockOf(3_600_000)
    const client = dynamoClient({ endpoint: engine.endpoint, clock })
    await client.send(new ListTablesCommand({}))
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(3000)
    client.destroy()
  })

  test.skipIf(whyNot !== null)('an error sets it too', async () => {
    const clock = clockOf(-3_600_000)
    const client = dynamoClient({ endpoint: engine.endpoint, clock })
    const read = client.send(new GetItemCommand({ TableName: 'nope', Key: { pk: { S: 'x' }, sk: { S: 'y' } } }))
    await expect(read).rejects.toThrow()
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(3000)
    client.destroy()
  })

  test.skipIf(whyNot !== null)('a condition that fails at the first attempt is a plain no', async () => {
    const client = dynamoClient({ endpoint: engine.endpoint, clock: clockOf() })
    const key = [{ AttributeName: 'pk', KeyType: 'HASH' as const }]
    await client.send(
      new CreateTableCommand({
        TableName: 'conditions',
        KeySchema: key,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    )
    const put = () =>
      client.send(
        new PutItemCommand({
          TableName: 'conditions',
          Item: { pk: { S: 'a' } },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      )
    await put()
    const error: unknown = await put().catch((each: unknown) => each)
    expect(error).toMatchObject({ name: 'ConditionalCheckFailedException' })
    expect(isUnknown(error as ConditionalCheckFailedException)).toBe(false)
    client.destroy()
  })
})

test('a condition that fails after a retry is unknown', () => {
  expect(isUnknown({ $metadata: { attempts: 2 } })).toBe(true)
  expect(isUnknown({})).toBe(false)
})

test('a store that takes the connection and says nothing is given up within three seconds an attempt', async () => {
  const sockets = new Set<import('node:net').Socket>()
  const blackHole = createServer((socket) => sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => blackHole.listen(0, '127.0.0.1', resolve))
  const address = blackHole.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = dynamoClient({ endpoint: `http://127.0.0.1:${port}`, clock: clockOf() })
  const started = performance.now()
  await expect(client.send(new ListTablesCommand({}))).rejects.toThrow()
  expect(performance.now() - started).toBeLessThan(3 * 3000 + 2000)
  client.destroy()
  for (const socket of sockets) socket.destroy()
  blackHole.close()
}, 20_000)

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ConditionalCheckFailedException, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, test } from 'vitest'
import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'

interface Heard {
  readonly invocation: unknown
  readonly target: unknown
  /** The SDK says who it is; the short way does not. */
  readonly isOfSdk: boolean
  readonly body: unknown
}

const opened: { close(): void }[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.close()
})

async function clientOf(answer: (heard: Heard, response: ServerResponse, request: IncomingMessage) => void) {
  const heard: Heard[] = []
  const server: Server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { headers } = request
    const one: Heard = {
      invocation: headers['amz-sdk-invocation-id'],
      target: headers['x-amz-target'],
      isOfSdk: headers['user-agent'] !== undefined,
      body: JSON.parse(text),
    }
    heard.push(one)
    answer(one, response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: `http://127.0.0.1:${port}`, clock })
  opened.push({
    close: () => {
      client.destroy()
      server.closeAllConnections()
      server.close()
    },
  })
  return { client, heard, clock }
}

const READ = new GetItemCommand({ TableName: 't', Key: { pk: { S: 'a' } }, ConsistentRead: undefined })

test('a call of an engine on this machine is answered without the SDK, and sets the clock', async () => {
  const { client, heard, clock } = await clientOf((_, response) => response.end('{"Item":{"pk":{"S":"a"}}}'))
  expect((await client.send(READ)).Item).toEqual({ pk: { S: 'a' } })
  expect(heard).toMatchObject([
    { target: 'DynamoDB_20120810.GetItem', isOfSdk: false, body: { TableName: 't', Key: { pk: { S: 'a' } } } },
  ])
  expect(clock.isSet).toBe(true)
})

test('a call whose answer is lost is made again by the SDK as the same invocation', async () => {
  const { client, heard } = await clientOf(({ isOfSdk }, response, request) =>
    isOfSdk ? response.end('{}') : request.socket.destroy(),
  )
  expect((await client.send(READ)).Item).toBeUndefined()
  expect(heard.map(({ isOfSdk }) => isOfSdk)).toEqual([false, true])
  expect(heard[1].invocation).toBe(heard[0].invocation)
})

test('an answer that breaks off is no answer', async () => {
  const { client, heard } = await clientOf(({ isOfSdk }, response) => {
    if (isOfSdk) return response.end('{"Item":{"pk":{"S":"whole"}}}')
    response.writeHead(200, { 'content-length': 100 }).write('{"Item":')
    setTimeout(() => response.destroy(), 20)
  })
  expect((await client.send(READ)).Item).toEqual({ pk: { S: 'whole' } })
  expect(heard).toHaveLength(2)
})

test('a refusal is told as the SDK tells it', async () => {
  const type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException'
  const { client } = await clientOf((_, response) =>
    response.writeHead(400).end(JSON.stringify({ __type: type, message: 'no', Item: { pk: { S: 'a' } } })),
  )
  const write = client.send(new PutItemCommand({ TableName: 't', Item: { pk: { S: 'a' } } }))
  const error = await write.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ConditionalCheckFailedException)
  expect(error).toMatchObject({ Item: { pk: { S: 'a' } } })
})

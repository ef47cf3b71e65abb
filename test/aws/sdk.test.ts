import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, inject, test } from 'vitest'
import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import type { EngineName } from '../support/backends/names.ts'

const clockOf = (offMs = 0) => new StoreClock({ wallMs: () => Date.now() + offMs, steadyMs: () => performance.now() })

const ENGINES: readonly EngineName[] = ['dynoxide', 'DynamoDB Local']

describe.each(ENGINES)('a client [%s]', (name) => {
  const { endpoint, whyNot } = inject('engines')[name]
  const options = { endpoint: endpoint ?? undefined }

  test.skipIf(whyNot !== null)('an answer sets the clock right that is an hour off', async () => {
    const clock = clockOf(3_600_000)
    const client = dynamoClient({ ...options, clock })
    await client.send(new ListTablesCommand({}))
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(3000)
    client.destroy()
  })

  test.skipIf(whyNot !== null)('an error sets it too', async () => {
    const clock = clockOf(-3_600_000)
    const client = dynamoClient({ ...options, clock })
    const read = client.send(new GetItemCommand({ TableName: 'nope', Key: { pk: { S: 'x' }, sk: { S: 'y' } } }))
    await expect(read).rejects.toThrow()
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(3000)
    client.destroy()
  })
})

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('an answer that a frozen process reads forty seconds late does not set its clock back', async () => {
  const local = { ms: Date.UTC(2026, 0, 1, 12) }
  let answers = 0
  const server = createHttpServer((_, response) => {
    answers += 1
    response.setHeader('date', new Date(local.ms).toUTCString())
    if (answers === 2) local.ms += 40_000
    response.end('{"TableNames":[]}')
  })
  const clock = new StoreClock({ wallMs: () => local.ms, steadyMs: () => local.ms })
  const client = dynamoClient({ endpoint: `http://127.0.0.1:${await portOf(server)}`, clock })
  await client.send(new ListTablesCommand({}))
  await client.send(new ListTablesCommand({}))
  expect([answers, clock.nowMs()]).toEqual([2, local.ms])
  client.destroy()
  server.close()
})

test('a store that takes the connection and says nothing is given up within three seconds an attempt', async () => {
  const sockets = new Set<import('node:net').Socket>()
  const blackHole = createServer((socket) => sockets.add(socket.on('error', () => {})))
  const client = dynamoClient({ endpoint: `http://127.0.0.1:${await portOf(blackHole)}`, clock: clockOf() })
  const started = performance.now()
  await expect(client.send(new ListTablesCommand({}))).rejects.toThrow()
  expect(performance.now() - started).toBeLessThan(3 * 3000 + 2000)
  client.destroy()
  for (const socket of sockets) socket.destroy()
  blackHole.close()
}, 20_000)

import { createServer } from 'node:net'
import { GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, inject, test } from 'vitest'
import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import type { EngineName } from '../support/worlds/names.ts'

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

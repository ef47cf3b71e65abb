import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { isAbsent, text } from '../../shared/aws/expression.ts'
import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import { Table } from '../../shared/aws/table.ts'
import { faultyHandler } from '../support/engines/faulty-handler.ts'
import { createTable } from '../support/engines/table.ts'

const { endpoint, whyNot } = inject('engines').dynoxide
const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
const key = { pk: 'META', sk: '-' }
const clients: { destroy(): void }[] = []

async function begin(): Promise<{ table: Table & { readonly name: string }; mute: Table; lost: () => number }> {
  const tableName = `table-${process.pid}-${Math.random().toString(36).slice(2)}`
  const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
  await createTable(client, tableName)
  const { handler, lost } = faultyHandler({ every: 1, isForGood: true })
  const deaf = dynamoClient({ endpoint: endpoint ?? undefined, clock, requestHandler: handler })
  clients.push(client, deaf)
  return {
    table: Object.assign(new Table(client, tableName), { name: tableName }),
    mute: new Table(deaf, tableName),
    lost,
  }
}

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
})

describe.skipIf(whyNot !== null)('a write of which no answer ever comes', () => {
  test('is made where it is found to be ours', async () => {
    const { mute, lost } = await begin()
    const isMine = (found: { writer?: { S?: string } }) => found.writer?.S === 'me'
    expect(await mute.put(key, { writer: text('me') }, isAbsent('pk'), isMine)).toMatchObject({ done: true })
    expect(lost()).toBe(3)
  })

  test('stays unknown where it is not, and that is an error and never a no', async () => {
    const { table, mute } = await begin()
    await table.put(key, { writer: text('other') })
    const isMine = (found: { writer?: { S?: string } }) => found.writer?.S === 'me'
    await expect(mute.update(key, { set: { a: text('b') } }, isMine)).rejects.toThrow()
    await expect(mute.put(key, { writer: text('me') })).rejects.toThrow()
  })

  test('is known where it is a transaction that was made', async () => {
    const { table, mute } = await begin()
    const isMine = async () => (await table.get(key))?.writer?.S === 'me'
    expect(
      await mute.transact([{ do: 'put', key, item: { writer: text('me') }, onlyIf: isAbsent('pk') }], isMine),
    ).toBe(true)
    const again = mute.transact([{ do: 'put', key, item: { writer: text('you') } }], async () => false)
    await expect(again).rejects.toThrow()
  })
})

describe.skipIf(whyNot !== null)('a transaction that the table cancels because it is throttled', () => {
  /** So many times the store says that there is too much for it, and then lets requests pass. */
  async function throttled(code: string, times: number): Promise<Table> {
    const { table } = await begin()
    const inner = new DynamoDBClient({ region: 'us-east-1' }).config.requestHandler
    let left = times
    const handle: typeof inner.handle = async (request, options) => {
      const isTransaction = request.headers['x-amz-target']?.endsWith('TransactWriteItems') === true
      if (!isTransaction || left === 0) return inner.handle(request, options)
      left -= 1
      const body = JSON.stringify({
        __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
        Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${code}]`,
        CancellationReasons: [{ Code: code, Message: 'too much' }],
      })
      const headers = { 'content-type': 'application/x-amz-json-1.0' }
      return { response: { statusCode: 400, headers, body: new Blob([body]).stream() } }
    }
    const requestHandler = { ...inner, handle, httpHandlerConfigs: () => ({}), updateHttpClientConfig: () => {} }
    const client = dynamoClient({ endpoint: endpoint ?? undefined, clock, requestHandler })
    clients.push(client)
    return new Table(client, table.name)
  }

  test.each(['ThrottlingError', 'ProvisionedThroughputExceeded', 'TransactionConflict'])(
    'is made a moment later: %s',
    async (code) => {
      const table = await throttled(code, 3)
      expect(await table.transact([{ do: 'put', key, item: { writer: text('me') } }], async () => false)).toBe(true)
      expect((await table.get(key))?.writer?.S).toBe('me')
    },
  )

  test('is an error where it is refused for another reason', async () => {
    const table = await throttled('ValidationError', 1)
    await expect(table.transact([{ do: 'put', key, item: {} }], async () => false)).rejects.toThrow('ValidationError')
  })
})

describe.skipIf(whyNot !== null)('a text of a user', () => {
  test('never becomes part of an expression', async () => {
    const { table } = await begin()
    const odd = 'a = :x OR attribute_exists(b), #n, "quoted"'
    await table.update(key, { set: { [odd]: text(odd) }, onlyIf: isAbsent(odd) })
    expect((await table.get(key))?.[odd]).toEqual({ S: odd })
  })
})

describe.skipIf(whyNot !== null)('reads that are asked for at one moment', () => {
  /** A table and how many calls it has made. */
  async function counted(): Promise<{ table: Table; calls: () => number }> {
    const tableName = `table-${process.pid}-${Math.random().toString(36).slice(2)}`
    const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
    clients.push(client)
    await createTable(client, tableName)
    let calls = 0
    client.middlewareStack.add((next) => (args) => {
      calls += 1
      return next(args)
    })
    return { table: new Table(client, tableName), calls: () => calls }
  }

  const keyAt = (place: number) => ({ pk: 'META', sk: String(place).padStart(3, '0') })

  test('are one call, and each has what it asked for', async () => {
    const { table, calls } = await counted()
    for (const place of [1, 2]) await table.put(keyAt(place), { a: text(`${place}`) })
    const before = calls()
    const [one, many, none] = await Promise.all([
      table.get(keyAt(1)),
      table.getMany([keyAt(2), keyAt(3), keyAt(1)]),
      table.get(keyAt(4)),
    ])
    expect(calls() - before).toBe(1)
    expect(one?.a).toEqual(text('1'))
    expect(many.map(({ a }) => a)).toEqual([text('2'), text('1')])
    expect(none).toBeNull()
  })

  test('are a call for each hundred of them', async () => {
    const { table, calls } = await counted()
    await table.put(keyAt(249), { a: text('last') })
    const before = calls()
    expect(await table.getMany(Array.from({ length: 250 }, (_, place) => keyAt(place)))).toHaveLength(1)
    expect(calls() - before).toBe(3)
  })

  test('fail together where the store refuses them', async () => {
    const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
    clients.push(client)
    const table = new Table(client, 'there-is-none')
    const [one, other] = await Promise.allSettled([table.get(keyAt(1)), table.get(keyAt(2))])
    expect([one.status, other.status]).toEqual(['rejected', 'rejected'])
  })
})

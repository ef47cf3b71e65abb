import { afterEach, describe, expect, inject, test } from 'vitest'
import { createTable } from '../../local/engines/table.ts'
import { isAbsent, text } from '../../shared/aws/expression.ts'
import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import { Table } from '../../shared/aws/table.ts'
import { faultyHandler } from '../support/engines/faulty-handler.ts'

const { endpoint, whyNot } = inject('engines').dynoxide
const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
const key = { pk: 'META', sk: '-' }
const clients: { destroy(): void }[] = []

async function begin(): Promise<{ table: Table; mute: Table; lost: () => number }> {
  const tableName = `table-${process.pid}-${Math.random().toString(36).slice(2)}`
  const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
  await createTable(client, tableName)
  const { handler, lost } = faultyHandler({ every: 1, isForGood: true })
  const deaf = dynamoClient({ endpoint: endpoint ?? undefined, clock, requestHandler: handler })
  clients.push(client, deaf)
  return { table: new Table(client, tableName), mute: new Table(deaf, tableName), lost }
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

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

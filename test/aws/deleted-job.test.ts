// What a deleted job leaves in the table, and for how long.

import { randomUUID } from 'node:crypto'
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../shared/aws/stores.ts'
import { deleteJob, saveJob } from '../../shared/flow/manage-jobs.ts'
import { createTable } from '../support/engines/table.ts'
import { asking, body } from '../support/job-body.ts'
import { ALL_TAKEN } from '../support/memory/queue.ts'

const { endpoint, whyNot } = inject('engines').dynoxide
const LARGE = { text: 'x'.repeat(5000) }
const NAME = { namespace: 'default', name: 'gone' }

describe.skipIf(whyNot !== null)('a job that was deleted', () => {
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
  const tableName = `deleted-${process.pid}-${Date.now()}`
  const stores = dynamoStores({ client, tableName, shardCount: 1, ledgerDays: 30 })
  const world = {
    ...stores,
    clock,
    shardCount: 1,
    watch: { send: async () => ALL_TAKEN },
    newId: () => randomUUID(),
  }

  const left = async (): Promise<{ key: string; isKeptForGood: boolean }[]> => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }))
    return Items.map(({ pk, sk, ttl }) => ({ key: `${pk.S} ${sk.S}`, isKeptForGood: ttl === undefined }))
      .filter(({ key }) => /^(JOB|VER|DEF|BODY)#/.test(key))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  beforeAll(async () => {
    await createTable(client, tableName)
    await stores.shards.make(1, Math.floor(Date.now() / 1000))
    await saveJob(world, NAME, body(NAME.name, { payload: LARGE }), asking)
    await deleteJob(world, NAME, asking)
  })
  afterAll(() => client.destroy())

  test('leaves nothing for good: its versions, definitions and payload go with its ledger', async () => {
    const items = await left()
    expect(items.map(({ key }) => key.split('#')[0])).toEqual(['BODY', 'DEF', 'DEF', 'JOB', 'VER', 'VER'])
    expect(items.filter(({ isKeptForGood }) => isKeptForGood)).toEqual([])
  })

  test('leaves its payload to no other job: a job of the same name and payload has one of its own, for good', async () => {
    const { job } = await saveJob(world, NAME, body(NAME.name, { payload: LARGE }), asking)
    const kept = (await left()).filter(({ isKeptForGood }) => isKeptForGood)
    expect(kept.map(({ key }) => key.split('#')[0])).toEqual(['BODY', 'DEF', 'JOB', 'VER'])
    expect((await stores.jobs.read(job.id))?.definition.payload).toEqual(LARGE)
  })
})

// Puts many jobs into a table as they would lie there, without the calls that saving each of them takes.

import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type KeptJob, writeJob } from '../shared/aws/items.ts'
import { jobKeyOf } from '../shared/aws/job-write.ts'
import { jobIdOf } from '../shared/core/job/id.ts'
import { jobSchema } from '../shared/core/job/job.ts'
import { revise } from '../shared/core/job/revise.ts'
import type { StoredJob } from '../shared/core/job/stored.ts'

const ITEMS_A_WRITE = 25
const WRITES_AT_ONCE = 8
const TOLD_EVERY = 20_000

function jobOf(body: object, now: number): StoredJob {
  const definition = jobSchema.parse(body)
  const id = jobIdOf(definition.namespace, definition.name)
  const resolved = { template: null, calendars: [] }
  const moment = { nowMs: now * 1000, activeFrom: now, auditedThrough: 0 }
  const state = { status: 'RUNNING', stopped: null, managedBy: null } as const
  return revise({ id, old: null, definition, resolved, ...state, ...moment })
}

export async function fill(
  { client, tableName }: { readonly client: DynamoDBClient; readonly tableName: string },
  bodies: readonly object[],
  now: number,
  progress: (what: string) => void,
): Promise<void> {
  let next = 0
  const writer = async () => {
    while (next < bodies.length) {
      const first = next
      next += ITEMS_A_WRITE
      const puts = bodies.slice(first, next).map((body) => {
        const job = jobOf(body, now)
        const { pk, sk } = jobKeyOf(job, 0)
        // Without calendars a job is kept just as it is.
        return { PutRequest: { Item: { ...writeJob(job as unknown as KeptJob), pk: { S: pk }, sk: { S: sk } } } }
      })
      await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }))
      if (first % TOLD_EVERY === 0 && bodies.length > TOLD_EVERY)
        progress(`saved ${first.toLocaleString('en')} of ${bodies.length.toLocaleString('en')} jobs`)
    }
  }
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, writer))
}

// What a scheduler can be built on: tables of its own on an engine that runs already, queues of its own on fauxqs.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { PurgeQueueCommand } from '@aws-sdk/client-sqs'
import { createQueue, startQueues } from '../../../local/engines/fauxqs.ts'
import { SqsQueue } from '../../../shared/aws/queue.ts'
import { dynamoClient, queueClient } from '../../../shared/aws/sdk.ts'
import { StoreClock } from '../../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../../shared/aws/stores.ts'
import type { TestSchedulerEngines } from '../test-scheduler.ts'
import { createTable } from './table.ts'

export interface MadeEngines extends TestSchedulerEngines {
  readonly tableName: string
}

export interface RealEngines {
  /** The client of every table that is made here. */
  readonly client: DynamoDBClient
  /** A fresh table and fresh queues, which may have attributes of their own. */
  make(attributes?: Record<string, string>): Promise<MadeEngines>
  stop(): Promise<void>
}

export async function enginesAt(endpoint: string | undefined): Promise<RealEngines> {
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint, clock })
  const sqs = await startQueues()
  const queues = queueClient({ endpoint: sqs.endpoint })
  let made = 0
  return {
    client,
    make: async (attributes) => {
      made += 1
      const tableName = `scheduler-${process.pid}-${made}`
      await createTable(client, tableName)
      const makeQueue = async (lane: string) => {
        const url = await createQueue(queues, sqs.endpoint, `${lane}-${made}`, attributes)
        const purge = async () => {
          await queues.send(new PurgeQueueCommand({ QueueUrl: url }))
        }
        return Object.assign(new SqsQueue({ client: queues, url }), { purge })
      }
      const [fast, slow] = await Promise.all(['fast', 'slow'].map(makeQueue))
      return { tableName, stores: dynamoStores({ client, tableName, shardCount: 1, ledgerDays: 30 }), fast, slow }
    },
    stop: async () => {
      client.destroy()
      queues.destroy()
      await sqs.stop()
    },
  }
}

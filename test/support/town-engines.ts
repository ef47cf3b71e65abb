// Real engines for a town: a table of its own on dynoxide, queues of its own on fauxqs.

import { PurgeQueueCommand } from '@aws-sdk/client-sqs'
import { inject } from 'vitest'
import { createQueue, startQueues } from '../../local/engines/fauxqs.ts'
import { createTable } from '../../local/engines/table.ts'
import { SqsQueue } from '../../shared/aws/queue.ts'
import { dynamoClient, queueClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../shared/aws/stores.ts'
import type { TownEngines } from './town.ts'

export interface RealEngines {
  /** A fresh table and fresh queues. */
  make(): Promise<TownEngines>
  stop(): Promise<void>
}

export const whyNoRealTown = (): string | null => inject('engines').dynoxide.whyNot

export async function realEngines(): Promise<RealEngines> {
  const { endpoint } = inject('engines').dynoxide
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
  const sqs = await startQueues()
  const queues = queueClient({ endpoint: sqs.endpoint })
  let made = 0
  return {
    make: async () => {
      made += 1
      const tableName = `town-${process.pid}-${made}`
      await createTable(client, tableName)
      const [fastUrl, slowUrl] = await Promise.all(
        ['fast', 'slow'].map((lane) => createQueue(queues, sqs.endpoint, `${lane}-${made}`)),
      )
      const purge = async () => {
        await queues.send(new PurgeQueueCommand({ QueueUrl: fastUrl }))
      }
      const fast = Object.assign(new SqsQueue({ client: queues, url: fastUrl }), { purge })
      const slow = new SqsQueue({ client: queues, url: slowUrl })
      return { stores: dynamoStores({ client, tableName, shardCount: 1, ledgerDays: 30, clock }), fast, slow }
    },
    stop: async () => {
      client.destroy()
      queues.destroy()
      await sqs.stop()
    },
  }
}

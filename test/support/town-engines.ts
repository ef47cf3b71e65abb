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
  /** A fresh table and fresh queues, which may have attributes of their own. */
  make(attributes?: Record<string, string>): Promise<TownEngines>
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
    make: async (attributes) => {
      made += 1
      const tableName = `town-${process.pid}-${made}`
      await createTable(client, tableName)
      const makeQueue = async (lane: string) => {
        const url = await createQueue(queues, sqs.endpoint, `${lane}-${made}`, attributes)
        const purge = async () => {
          await queues.send(new PurgeQueueCommand({ QueueUrl: url }))
        }
        return Object.assign(new SqsQueue({ client: queues, url }), { purge })
      }
      const [fast, slow] = await Promise.all(['fast', 'slow'].map(makeQueue))
      return { stores: dynamoStores({ client, tableName, shardCount: 1, ledgerDays: 30 }), fast, slow }
    },
    stop: async () => {
      client.destroy()
      queues.destroy()
      await sqs.stop()
    },
  }
}

// SQS on this machine: fauxqs in this process, on a free port of loopback.

import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import type { Engine } from './dynamodb.ts'

export async function startQueues(): Promise<Engine> {
  const app = buildApp({ logger: false, host: '127.0.0.1' })
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    endpoint,
    stop: async () => {
      // Connections that clients keep open would hold it up.
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Makes a queue and returns its address on the given endpoint. */
export async function createQueue(
  client: SQSClient,
  endpoint: string,
  name: string,
  attributes: Record<string, string> = {},
): Promise<string> {
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }))
  // It names itself by a host that nobody can look up.
  return QueueUrl.replace(/^https?:\/\/[^/]+/, endpoint)
}

/** The name by which other queues point to a queue. */
export async function arnOf(client: SQSClient, QueueUrl: string): Promise<string> {
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }))
  return Attributes?.QueueArn ?? ''
}

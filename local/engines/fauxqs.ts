// SQS on this machine: fauxqs in a process of its own, which ends with this one.

import { join } from 'node:path'
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Engine } from './dynamodb.ts'
import { startServer } from './server.ts'

const READY = /listening on (http:\S+)\n/

export async function startQueues(): Promise<Engine> {
  const script = join(import.meta.dirname, 'fauxqs-server.ts')
  const { output, stop } = await startServer(process.execPath, [script], (text) => READY.test(text))
  const endpoint = READY.exec(output)?.[1] ?? ''
  return { endpoint, stop }
}

/** Makes a queue and returns its address on the given endpoint. */
export async function createQueue(
  client: SQSClient,
  endpoint: string,
  name: string,
  attributes: Record<string, string> = {},
): Promise<string> {
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }))
  // It names itself by a host that cannot be looked up.
  return QueueUrl.replace(/^https?:\/\/[^/]+/, endpoint)
}

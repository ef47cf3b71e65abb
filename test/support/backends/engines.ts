// Starts the engines once for all tests, each on a free port of loopback. They end with the run, and with its process if
// that dies.

import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { TestProject } from 'vitest/node'
import {
  type Engine,
  startDynamoDbLocal,
  startDynoxide,
  whyNoDynamoDbLocal,
  whyNoDynoxide,
} from '../../../local/engines/dynamodb.ts'
import { createTable } from '../engines/table.ts'
import type { EngineState } from './names.ts'

/** On a busy machine the first table takes a cold engine longer than a request of the scheduler may take, so no test makes it. */
async function warmUp({ endpoint }: Engine): Promise<void> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
  await createTable(client, 'first')
  client.destroy()
}

async function startOrSay(
  whyNot: string | null,
  start: () => Promise<Engine>,
): Promise<{ engine: Engine | null; state: EngineState }> {
  const engine = whyNot === null ? await start() : null
  if (engine !== null) await warmUp(engine)
  return { engine, state: { endpoint: engine?.endpoint ?? null, whyNot } }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const [dynoxide, local] = await Promise.all([
    startOrSay(whyNoDynoxide(), startDynoxide),
    startOrSay(whyNoDynamoDbLocal(), startDynamoDbLocal),
  ])
  project.provide('engines', { dynoxide: dynoxide.state, 'DynamoDB Local': local.state })
  return async () => {
    await Promise.all([dynoxide.engine?.stop(), local.engine?.stop()])
  }
}

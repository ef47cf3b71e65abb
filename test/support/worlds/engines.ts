// Starts the engines once for all tests, each on a free port of loopback. They end with the run, and with its process if
// that dies.

import type { TestProject } from 'vitest/node'
import {
  type Engine,
  startDynamoDbLocal,
  startDynoxide,
  whyNoDynamoDbLocal,
  whyNoDynoxide,
} from '../../../local/engines/dynamodb.ts'
import type { EngineState } from './names.ts'

async function startOrSay(
  whyNot: string | null,
  start: () => Promise<Engine>,
): Promise<{ engine: Engine | null; state: EngineState }> {
  const engine = whyNot === null ? await start() : null
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

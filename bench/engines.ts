// A stack of which nothing runs but its table and queues, with its shards made, for benchmarks that bring a function into their own process.

import type { Endpoints } from '../functions/world.ts'
import { RunningStack } from '../local/host/run-stack.ts'
import { assemble } from '../local/template/assembly.ts'

export interface StartedEngines {
  readonly stack: RunningStack
  /** What the stack sets for its ticker. */
  readonly env: Readonly<Record<string, string>>
  readonly endpoints: Endpoints
}

export async function startEngines(): Promise<StartedEngines> {
  const stack = await RunningStack.start({ assembly: await assemble({}) })
  await stack.runAtDeploy()
  const { dynamodb, sqs, events } = stack.services.engines
  return { stack, env: stack.environmentOf('tick'), endpoints: { dynamo: dynamodb, queues: sqs, bus: events } }
}

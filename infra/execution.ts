// What runs the runs: executors of the fast and the slow lane, and the one that ends what could not be carried out.

import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { makeFunction } from './node-function.ts'
import type { Parts } from './parts.ts'
import { allowSend, consume, type Queues } from './queues.ts'

export interface Execution {
  readonly fast: LambdaFunction
  readonly slow: LambdaFunction
  readonly dead: LambdaFunction
}

export function makeExecution(scope: Construct, parts: Parts, queues: Queues): Execution {
  const { settings } = parts
  const fast = makeFunction(scope, parts, {
    name: 'fast',
    bundle: 'execute',
    memoryMb: settings.fast.memoryMb,
    description: 'Runs what is short',
  })
  const slow = makeFunction(scope, parts, {
    name: 'slow',
    bundle: 'execute',
    memoryMb: settings.slow.memoryMb,
    description: 'Runs what is long, so that it holds up nothing that is short',
  })
  const dead = makeFunction(scope, parts, {
    name: 'dead',
    bundle: 'dead-letters',
    memoryMb: settings.slow.memoryMb,
    description: 'Gives messages that failed every time a last chance, and records their runs as failed',
  })
  consume(fast, queues.fast, 'fast', settings.fast.mostEnvironments)
  consume(slow, queues.slow, 'slow', settings.slow.mostEnvironments)
  consume(dead, queues.dead, 'dead', 2)
  for (const handler of [fast, slow, dead]) allowSend(handler, queues.fast, queues.slow)
  return { fast, slow, dead }
}

// What keeps time: the ticker with its bus, the switches that notice a dead chain, and the rule that looks once a minute.

import { Duration } from 'aws-cdk-lib'
import { type EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { EVENT_SOURCE } from '../shared/aws/env.ts'
import { TICK_EVENT_AGE_SECONDS } from '../shared/aws/limits.ts'
import { TICK } from '../shared/core/chain.ts'
import { makeFunction } from './node-function.ts'
import type { Parts } from './parts.ts'
import { allowCount, allowSend, consume, type Queues } from './queues.ts'

export interface Ticking {
  readonly tick: LambdaFunction
  readonly watch: LambdaFunction
  readonly minute: LambdaFunction
}

const EVENT_TRIES = 3

export function makeTicking(scope: Construct, parts: Parts, queues: Queues, bus: EventBus): Ticking {
  const tick = makeFunction(scope, parts, {
    name: 'tick',
    bundle: 'tick',
    memoryMb: parts.settings.tickMemoryMb,
    description: 'One link of the chain: plans a second, fences it, sends its runs and hands on',
  })
  const maxEventAge = Duration.seconds(TICK_EVENT_AGE_SECONDS)
  // A link that failed is not called again: its event may be stale by then, and a switch starts another chain.
  tick.configureAsyncInvoke({ retryAttempts: 0, maxEventAge })
  new Rule(scope, 'TickRule', {
    description: 'Brings each tick event to the ticker',
    eventBus: bus,
    eventPattern: { source: [EVENT_SOURCE], detailType: [TICK] },
    // Delivering an event twice is harmless: the second link finds that the fence has moved.
    targets: [new LambdaTarget(tick, { retryAttempts: EVENT_TRIES, maxEventAge, deadLetterQueue: queues.undelivered })],
  })
  const watch = makeFunction(scope, parts, {
    name: 'switch',
    bundle: 'switch',
    memoryMb: 256,
    description: 'Takes over a chain whose link has died, and wakes a shard that sleeps',
  })
  consume(watch, queues.watch, 'watch')
  const minute = makeFunction(scope, parts, {
    name: 'minute',
    bundle: 'minute',
    memoryMb: parts.settings.tickMemoryMb,
    description: 'Looks after all shards once a minute',
  })
  new Rule(scope, 'MinuteRule', {
    description: 'Looks after all shards once a minute',
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new LambdaTarget(minute, { retryAttempts: 1, maxEventAge: Duration.minutes(1) })],
  })
  minute.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) })
  allowSend(tick, queues.fast, queues.slow, queues.watch)
  allowSend(watch, queues.watch)
  allowSend(minute, queues.fast, queues.slow, queues.watch)
  allowCount(tick, queues.fast, queues.slow)
  allowCount(minute, queues.fast, queues.slow)
  for (const handler of [tick, watch, minute]) {
    handler.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }))
  }
  return { tick, watch, minute }
}

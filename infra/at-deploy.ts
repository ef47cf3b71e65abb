// What runs once at each deployment, when everything else is there.

import { Duration, Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Trigger } from 'aws-cdk-lib/triggers'
import type { Construct } from 'constructs'
import { ENV } from '../shared/aws/env.ts'
import { TIMEOUT_SECONDS } from '../shared/aws/limits.ts'
import { makeFunction } from './node-function.ts'
import type { Parts } from './parts.ts'
import { allowSend, type Queues } from './queues.ts'

/**
 * Returns the name of the parameter that will hold the admin key. It follows from the stack's, so that two stacks do not meet.
 * `executors` are updated first: a schedule that is new must not fire before its handler is there.
 */
export function makeAtDeploy(
  scope: Construct,
  parts: Parts,
  queues: Queues,
  executors: readonly LambdaFunction[],
): string {
  const stack = Stack.of(scope)
  const parameterName = `/tickring/${stack.stackName}/${scope.node.id}/admin-key`
  const handler = makeFunction(scope, parts, {
    name: 'deploy',
    bundle: 'deploy',
    memoryMb: 512,
    description: 'Makes shards and the first admin key, and saves the schedules that stand beside the code',
    environment: { [ENV.adminKeyParameter]: parameterName },
  })
  allowSend(handler, queues.watch)
  handler.addToRolePolicy(
    new PolicyStatement({
      actions: ['ssm:GetParameter', 'ssm:PutParameter'],
      resources: [stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: parameterName.slice(1) })],
    }),
  )
  new Trigger(scope, 'AtDeploy', {
    handler,
    timeout: Duration.seconds(TIMEOUT_SECONDS.deploy),
    executeAfter: [parts.table, queues.watch, ...executors],
  })
  return parameterName
}

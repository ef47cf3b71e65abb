// The queues: two lanes of due runs, their dead letters, the switches of chains, and tick events that could not be delivered.

import { Duration, Validations } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { MESSAGES_A_CALL, MOST_RECEIVES, type QueueName, VISIBILITY_SECONDS } from '../shared/aws/limits.ts'

export interface Queues extends Readonly<Record<QueueName, Queue>> {
  /** Tick events that the bus gave up. */
  readonly undelivered: Queue
}

/** A message holds up to 96 runs with their payloads. */
const MOST_MESSAGE_BYTES = 1_048_576
/** A switch is of use for some seconds only. */
const SWITCH_KEPT = Duration.minutes(5)
const DEAD_KEPT = Duration.days(14)

export function makeQueues(scope: Construct): Queues {
  const make = (id: string, props: QueueProps) =>
    new Queue(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      maxMessageSizeBytes: MOST_MESSAGE_BYTES,
      ...props,
    })
  const visibility = (name: QueueName) => ({ visibilityTimeout: Duration.seconds(VISIBILITY_SECONDS[name]) })
  const watch = make('WatchQueue', { ...visibility('watch'), retentionPeriod: SWITCH_KEPT })
  Validations.of(watch).acknowledge({
    id: 'AwsSolutions::AwsSolutions-SQS3',
    reason:
      'A switch is of use for seconds; one that is lost is replaced by the next, and the minute rule looks as well.',
  })
  const undelivered = make('UndeliveredQueue', { retentionPeriod: DEAD_KEPT })
  Validations.of(undelivered).acknowledge({
    id: 'AwsSolutions::AwsSolutions-SQS3',
    reason: 'This is itself the dead-letter queue of the tick rule.',
  })
  const dead = make('DeadQueue', { ...visibility('dead'), retentionPeriod: DEAD_KEPT })
  const deadLetterQueue = { queue: dead, maxReceiveCount: MOST_RECEIVES }
  return {
    fast: make('FastQueue', { ...visibility('fast'), deadLetterQueue }),
    slow: make('SlowQueue', { ...visibility('slow'), deadLetterQueue }),
    dead,
    watch,
    undelivered,
  }
}

/** Lambda takes messages of a queue for a function, which says itself which of them are to come again. */
export function consume(handler: LambdaFunction, queue: Queue, name: QueueName, mostEnvironments?: number): void {
  handler.addToRolePolicy(
    new PolicyStatement({
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [queue.queueArn],
    }),
  )
  const mapping = handler.addEventSourceMapping(`${queue.node.id}Messages`, {
    eventSourceArn: queue.queueArn,
    batchSize: MESSAGES_A_CALL[name],
    maxBatchingWindow: Duration.seconds(0),
    reportBatchItemFailures: true,
    ...(mostEnvironments === undefined ? {} : { maxConcurrency: mostEnvironments }),
  })
  // The mapping is refused while the role may not read the queue.
  if (handler.role !== undefined) mapping.node.addDependency(handler.role)
}

export const allowSend = (handler: LambdaFunction, ...queues: readonly Queue[]): void =>
  handler.addToRolePolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queues.map(({ queueArn }) => queueArn) }),
  )

/** How many messages wait tells the audit whether what is missing is only late. */
export const allowCount = (handler: LambdaFunction, ...queues: readonly Queue[]): void =>
  handler.addToRolePolicy(
    new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: queues.map(({ queueArn }) => queueArn) }),
  )

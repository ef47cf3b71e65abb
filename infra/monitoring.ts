// Alarms and the dashboard. An alarm is charged for each metric that it looks at, so none looks at more than it needs. Each has an entry in docs/runbook.md: what it means, how to look, what to do.

import { Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  Metric as CloudWatchMetric,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { METRICS_NAMESPACE, type Metric, STACK_DIMENSION } from '../shared/aws/metric-names.ts'
import type { FrontDoor } from './api.ts'
import type { Execution } from './execution.ts'
import type { Settings } from './options.ts'
import type { Table } from './parts.ts'
import type { Queues } from './queues.ts'
import type { Ticking } from './ticking.ts'

export interface Monitored {
  readonly settings: Settings
  readonly queues: Queues
  readonly table: Table
  readonly ticking: Ticking
  readonly execution: Execution
  readonly door: FrontDoor
  readonly topic?: ITopic | undefined
}

interface AlarmOptions {
  readonly metric: IMetric
  readonly above: number
  readonly minutes: number
  /** Why an operator is called; the runbook says the rest. */
  readonly description: string
  readonly isMissingBad?: boolean
}

const MINUTE = Duration.minutes(1)

export function makeMonitoring(scope: Construct, monitored: Monitored): void {
  const { settings, queues, table, ticking, execution, door, topic } = monitored
  const own = (name: Metric, statistic: string) =>
    new CloudWatchMetric({
      namespace: METRICS_NAMESPACE,
      metricName: name,
      dimensionsMap: { [STACK_DIMENSION]: Stack.of(scope).stackName },
      statistic,
      period: MINUTE,
    })
  const sum = (metrics: Record<string, IMetric>, label: string) =>
    new MathExpression({
      expression: Object.keys(metrics)
        .map((name) => `FILL(${name}, 0)`)
        .join(' + '),
      usingMetrics: metrics,
      label,
      period: MINUTE,
    })
  // Those whose failure no other alarm shows: a switch or a minute rule that fails is a silent chain.
  const functions = { tick: ticking.tick, ...execution, api: door.handler }
  const errors = Object.fromEntries(
    Object.entries(functions).map(([name, each]) => [name, each.metricErrors({ period: MINUTE })]),
  )
  const ofTable = (metricName: string) =>
    new CloudWatchMetric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: 'Sum',
      period: MINUTE,
    })
  const throttles = sum(
    { reads: ofTable('ReadThrottleEvents'), writes: ofTable('WriteThrottleEvents') },
    'throttled requests',
  )
  const make = (id: string, { metric, above, minutes, description, isMissingBad = false }: AlarmOptions) => {
    const alarm = new Alarm(scope, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: minutes,
      treatMissingData: isMissingBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: `${description} See docs/runbook.md, ${id}.`,
    })
    if (topic !== undefined) alarm.addAlarmAction(new SnsAction(topic))
  }
  make('ChainSilent', {
    metric: own('lag', 'Maximum'),
    above: 30,
    minutes: 3,
    isMissingBad: true,
    description: 'A shard that is awake does not tick, or the minute rule does not run: nothing fires.',
  })
  make('ChainForked', {
    metric: own('refusedTicks', 'Sum'),
    above: 30 * settings.shardCount,
    minutes: 3,
    description:
      'Many tick events do not fit their shard: two chains run beside each other, and one is paid for nothing.',
  })
  make('Late', {
    metric: own('startLateness', 'p99'),
    above: 5000,
    minutes: 5,
    description: 'One run in a hundred starts more than 5 s late.',
  })
  make('FastBacklog', {
    metric: queues.fast.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' }),
    above: 2000,
    minutes: 5,
    description: 'Due runs of the fast lane wait for executors.',
  })
  make('SlowBacklog', {
    metric: queues.slow.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' }),
    above: 5000,
    minutes: 5,
    description: 'Due runs of the slow lane wait for executors.',
  })
  make('BacklogAge', {
    metric: queues.fast.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' }),
    above: 120,
    minutes: 5,
    description: 'The oldest message of the fast lane has waited for two minutes.',
  })
  make('DeadLetters', {
    metric: sum(
      {
        failed: own('deadLetters', 'Sum'),
        undelivered: queues.undelivered.metricApproximateNumberOfMessagesVisible({
          period: MINUTE,
          statistic: 'Maximum',
        }),
      },
      'dead letters',
    ),
    above: 0,
    minutes: 1,
    description: 'Messages failed every time, or tick events could not be delivered.',
  })
  make('Errors', {
    metric: sum(errors, 'errors of functions'),
    above: 5,
    minutes: 3,
    description: 'Functions of Tickring end with errors.',
  })
  make('Missed', {
    metric: own('missed', 'Sum'),
    above: 0,
    minutes: 1,
    description: 'Instants passed without a run.',
  })
  make('Throttled', {
    metric: throttles,
    above: 10,
    minutes: 3,
    description: 'The table refuses requests because there are too many.',
  })
  new Dashboard(scope, 'Dashboard', {
    widgets: [
      [
        new GraphWidget({ title: 'Runs sent', left: [own('fires', 'Sum')], width: 8 }),
        new GraphWidget({
          title: 'Lateness, ms',
          left: [own('startLateness', 'p50'), own('startLateness', 'p99'), own('lateness', 'Maximum')],
          width: 8,
        }),
        new GraphWidget({ title: 'Slowest chain, seconds behind', left: [own('lag', 'Maximum')], width: 8 }),
      ],
      [
        new GraphWidget({
          title: 'Ends',
          left: (['succeeded', 'failed', 'timedOut', 'lost', 'missed'] as const).map((name) => own(name, 'Sum')),
          width: 8,
        }),
        new GraphWidget({
          title: 'Messages that wait',
          left: [queues.fast, queues.slow, queues.dead].map((queue) =>
            queue.metricApproximateNumberOfMessagesVisible(),
          ),
          width: 8,
        }),
        new GraphWidget({ title: 'Errors', left: Object.values(errors), right: [throttles], width: 8 }),
      ],
    ],
  })
}

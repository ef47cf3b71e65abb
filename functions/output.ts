// What functions write: one line of JSON for people, and metrics in CloudWatch's embedded format, which are lines too.

import { ENV, type Environment } from '../shared/aws/env.ts'
import {
  METRICS,
  METRICS_NAMESPACE,
  type Metric,
  SHARD_DIMENSION,
  STACK_DIMENSION,
} from '../shared/aws/metric-names.ts'
import { KEYS_IN_TEXT } from '../shared/core/access/key.ts'

export interface Output {
  line(text: string): void
  nowMs(): number
  /** The stack whose metrics these are. */
  readonly stack?: string | undefined
  /** Whether metrics are told apart by shard. */
  readonly isByShard?: boolean
}

export type Level = 'info' | 'warn' | 'error'

export function log(output: Output, level: Level, message: string, detail: object = {}): void {
  const text = JSON.stringify({ level, message, at: new Date(output.nowMs()).toISOString(), ...detail })
  // A key that came by mistake, in a path or an error, must not stand in a log.
  output.line(text.replace(KEYS_IN_TEXT, 'tkr_…'))
}

/** One value, or as many as CloudWatch takes of one metric at a time. */
export type MetricValues = Partial<Record<Metric, number | readonly number[]>>

/** CloudWatch takes so many values of one metric in one line. */
const VALUES_A_METRIC = 100

/** What is zero or empty is not said: a metric costs as soon as it has a value. `lag` is the heartbeat, and always said. */
const isSaid = (name: Metric, value: number | readonly number[]): boolean =>
  name === 'lag' || (typeof value === 'number' ? value !== 0 : value.length > 0)

export function putMetrics(output: Output, values: MetricValues, shard?: number): void {
  const said = (Object.entries(values) as [Metric, number | readonly number[]][])
    .filter(([name, value]) => isSaid(name, value))
    .map(([name, value]) => [name, typeof value === 'number' ? value : value.slice(0, VALUES_A_METRIC)] as const)
  if (said.length === 0) return
  const Metrics = said.map(([Name]) => ({ Name, Unit: METRICS[Name] }))
  const isByShard = output.isByShard === true && shard !== undefined
  const dimensions = {
    [STACK_DIMENSION]: output.stack ?? 'local',
    ...(isByShard ? { [SHARD_DIMENSION]: String(shard) } : {}),
  }
  // Alarms look at the stack as a whole: its metrics are there beside those of the shards.
  const Dimensions = [[STACK_DIMENSION], ...(isByShard ? [[STACK_DIMENSION, SHARD_DIMENSION]] : [])]
  const CloudWatchMetrics = [{ Namespace: METRICS_NAMESPACE, Dimensions, Metrics }]
  const line = { _aws: { Timestamp: output.nowMs(), CloudWatchMetrics }, ...dimensions, ...Object.fromEntries(said) }
  output.line(JSON.stringify(line))
}

/** Lambda puts what the console says into JSON of its own, in which CloudWatch finds no metrics; what goes to stdout stays as it is. */
export const lambdaOutput = (env: Environment): Output => ({
  line: (text) => process.stdout.write(`${text}\n`),
  nowMs: () => Date.now(),
  stack: env[ENV.stackName],
  isByShard: env[ENV.metricsByShard] === 'yes',
})

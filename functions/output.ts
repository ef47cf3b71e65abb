// What functions write: one line of JSON for people, and metrics in CloudWatch's embedded format, which are lines too.

import { METRICS, METRICS_NAMESPACE, type Metric } from '../shared/aws/metric-names.ts'
import { KEYS_IN_TEXT } from '../shared/core/access/key.ts'
import type { Lane } from '../shared/core/lanes.ts'

export interface Output {
  line(text: string): void
  nowMs(): number
}

export type Level = 'info' | 'warn' | 'error'

export function log(output: Output, level: Level, message: string, detail: object = {}): void {
  const text = JSON.stringify({ level, message, at: new Date(output.nowMs()).toISOString(), ...detail })
  // A key that came by mistake, in a path or an error, must not lie in a log.
  output.line(text.replace(KEYS_IN_TEXT, 'tkr_…'))
}

/** One value, or as many as CloudWatch takes of one metric at a time. */
export type MetricValues = Partial<Record<Metric, number | readonly number[]>>

/** Metrics of a shard, and where it matters of one lane of it. */
export function putMetrics(output: Output, shard: number, values: MetricValues, lane?: Lane): void {
  const names = Object.keys(values) as Metric[]
  if (names.length === 0) return
  const Metrics = names.map((name) => ({ Name: name, Unit: METRICS[name] }))
  const dimensions = { shard: String(shard), ...(lane === undefined ? {} : { lane }) }
  const CloudWatchMetrics = [{ Namespace: METRICS_NAMESPACE, Dimensions: [Object.keys(dimensions)], Metrics }]
  output.line(JSON.stringify({ _aws: { Timestamp: output.nowMs(), CloudWatchMetrics }, ...dimensions, ...values }))
}

export const consoleOutput = (nowMs: () => number): Output => ({ line: (text) => console.log(text), nowMs })

// What functions write: one line of JSON for people, and metrics in CloudWatch's embedded format, which are lines too.

import { METRICS, METRICS_NAMESPACE, type Metric } from '../shared/aws/metric-names.ts'

export interface Output {
  line(text: string): void
  nowMs(): number
}

export type Level = 'info' | 'warn' | 'error'

export function log(output: Output, level: Level, message: string, detail: object = {}): void {
  output.line(JSON.stringify({ level, message, at: new Date(output.nowMs()).toISOString(), ...detail }))
}

export function putMetrics(output: Output, shard: number, values: Partial<Record<Metric, number>>): void {
  const names = Object.keys(values) as Metric[]
  if (names.length === 0) return
  const Metrics = names.map((name) => ({ Name: name, Unit: METRICS[name] }))
  const CloudWatchMetrics = [{ Namespace: METRICS_NAMESPACE, Dimensions: [['shard']], Metrics }]
  output.line(
    JSON.stringify({ _aws: { Timestamp: output.nowMs(), CloudWatchMetrics }, shard: String(shard), ...values }),
  )
}

export const consoleOutput = (nowMs: () => number): Output => ({ line: (text) => console.log(text), nowMs })

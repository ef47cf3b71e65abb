// What a line of metrics says about runs: how late those began that it counts, and how many failed or were missed.

import type { Metric } from '../../shared/aws/metric-names.ts'
import { isMetrics } from '../function-log.ts'

export interface RunFigures {
  readonly startLatenessesMs: readonly number[]
  readonly failed: number
  readonly missed: number
}

type MetricLine = Readonly<Partial<Record<Metric, number | readonly number[]>>>

/** Null where the line holds no metrics. */
export function readFigures(line: string): RunFigures | null {
  if (!isMetrics(line)) return null
  const { startLateness = [], failed, timedOut, lost, missed }: MetricLine = JSON.parse(line)
  const sum = (values: readonly (number | readonly number[] | undefined)[]) =>
    values.flat().reduce<number>((total, value) => total + (value ?? 0), 0)
  return {
    startLatenessesMs: [startLateness].flat(),
    failed: sum([failed, timedOut, lost]),
    missed: sum([missed]),
  }
}

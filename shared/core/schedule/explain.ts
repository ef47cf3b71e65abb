// Any schedule in plain English, for messages, the CLI and the dashboard.

import { compileCron } from '../cron/cron.ts'
import { explainWords, joinWords } from '../cron/explain.ts'
import type { ScheduleSpec } from './schedule.ts'

const UNITS: readonly [string, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** 5400 is "1 hour and 30 minutes". */
export function explainSeconds(seconds: number): string {
  let left = seconds
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size)
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`)
    left -= count * size
  }
  return joinWords(parts)
}

const explainInterval = (seconds: number): string => {
  const single = UNITS.find(([, size]) => size === seconds)
  return single === undefined ? `every ${explainSeconds(seconds)}` : `every ${single[0]}`
}

export function explainSchedule(spec: ScheduleSpec, jobId = ''): string {
  const kind = spec.kind === undefined || spec.kind === 'start' ? '' : `${spec.kind} `
  if ('every' in spec) {
    const anchor = spec.anchor === undefined ? '' : `, counted from ${spec.anchor}`
    return `${kind}${explainInterval(spec.every)}${anchor}`
  }
  if ('at' in spec) return `${kind}once, at ${spec.at}`
  const zone = spec.zone ?? 'UTC'
  return `${kind}${explainWords(compileCron(spec.cron, { zone, hashSeed: jobId }).words)}, ${zone}`
}

// Any schedule in plain English, for messages, the CLI and the dashboard.

import { Cron, DEFAULT_DST } from '../cron/cron.ts'
import { explainWords, joinWords } from '../cron/explain.ts'
import { compileSchedule, type ScheduleSpec } from './schedule.ts'

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

/** Throws an InputError for a schedule that is none: there is nothing true to say about it. */
export function explainSchedule(spec: ScheduleSpec, jobId = ''): string {
  const { instants } = compileSchedule(spec, { jobId, dst: DEFAULT_DST, anchor: 0 })
  const kind = spec.kind === undefined || spec.kind === 'start' ? '' : `${spec.kind} `
  if (instants instanceof Cron) return `${kind}${explainWords(instants.words)}, ${spec.zone ?? 'UTC'}`
  if ('at' in spec) return `${kind}once, at ${spec.at}`
  const { every, anchor } = spec as Extract<ScheduleSpec, { every: number }>
  return `${kind}${explainInterval(every)}${anchor === undefined ? '' : `, counted from ${anchor}`}`
}

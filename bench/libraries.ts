// The same work done by cron-parser's and croner's own iterators, on a sample of the schedules, scaled up.

import { CronExpressionParser } from 'cron-parser'
import { Cron } from 'croner'
import type { ScheduleSpec } from '../shared/core/schedule/schedule.ts'

const SAMPLE = 400

/** Milliseconds for all schedules over one window, from a sample; parsing is not counted. */
function scaledMs<T>(
  schedules: readonly ScheduleSpec[],
  parse: (cron: string, zone: string) => T,
  run: (parsed: T) => void,
): number {
  const parsed = schedules
    .slice(0, SAMPLE)
    .flatMap((spec) => ('cron' in spec ? [parse(spec.cron, spec.zone ?? 'UTC')] : []))
  const started = performance.now()
  for (const each of parsed) run(each)
  return ((performance.now() - started) / parsed.length) * schedules.length
}

export function cronParserHourMs(schedules: readonly ScheduleSpec[], from: number, seconds: number): number {
  const currentDate = new Date((from - 1) * 1000)
  return scaledMs(
    schedules,
    (cron, tz) => CronExpressionParser.parse(cron, { tz, currentDate }),
    (parsed) => {
      while (parsed.next().getTime() < (from + seconds) * 1000);
    },
  )
}

export function cronerHourMs(schedules: readonly ScheduleSpec[], from: number, seconds: number): number {
  return scaledMs(
    schedules,
    (cron, timezone) => new Cron(cron, { timezone, paused: true }),
    (parsed) => {
      const end = (from + seconds) * 1000
      let next = parsed.nextRun(new Date((from - 1) * 1000))
      while (next !== null && next.getTime() < end) next = parsed.nextRun(next)
    },
  )
}

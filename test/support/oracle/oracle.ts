// Knows when a cron schedule is due, by definition: every matching wall-clock time, resolved to its instants.
import { calendarDay, dayTest } from './days.ts'
import { HOUR, MINUTE, MONTH, readList, SECOND } from './fields.ts'
import { type OffsetPeriod, offsetPeriods } from './zone.ts'

export interface OracleDst {
  gap: 'shift' | 'skip'
  overlap: 'first' | 'last' | 'both'
}

const SECONDS_PER_DAY = 86400
// No zone is further from UTC than this, so a wall-clock time is at most this far from its instants.
const FARTHEST_OFFSET_SECONDS = 16 * 3600
// Twice the longest gap, a day, so that both sides of each change that bears on a second are seen.
const NEAR_SECONDS = 2 * SECONDS_PER_DAY

const ALIASES: Record<string, string> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
  '@MINUTELY': '* * * * *',
  '@SECONDLY': '* * * * * *',
  '@WEEKDAYS': '0 0 * * 1-5',
  '@WEEKENDS': '0 0 * * 0,6',
}

type Expression = ReturnType<typeof readFields>
const expressions = new Map<string, Expression>()

function readExpression(expression: string): Expression {
  let read = expressions.get(expression)
  if (read === undefined) {
    read = readFields(expression)
    expressions.set(expression, read)
  }
  return read
}

function readFields(expression: string) {
  const text = expression.trim().toUpperCase()
  const fields = (ALIASES[text] ?? text).split(/\s+/)
  if (fields.some((field) => /\bH\b/.test(field))) throw new Error(`oracle: H is not supported: ${expression}`)
  if (fields.length === 5) fields.unshift('0')
  if (fields.length !== 6) throw new Error(`oracle: not 5 or 6 fields: ${expression}`)
  const [second, minute, hour, monthDay, month, weekday] = fields
  return {
    seconds: readList(second, SECOND),
    minutes: readList(minute, MINUTE),
    hours: readList(hour, HOUR),
    months: new Set(readList(month, MONTH)),
    isDay: dayTest(monthDay, weekday),
  }
}

function offsetBeforeGap(wall: number, periods: OffsetPeriod[]): number {
  const index = periods.findIndex((period, i) => {
    const next = periods[i + 1]
    return next !== undefined && period.toSecond + period.offset <= wall && wall < next.fromSecond + next.offset
  })
  if (index < 0) throw new Error(`oracle: wall-clock time ${wall} is neither on the clock nor in a gap`)
  return periods[index].offset
}

function instantsOf(wall: number, periods: OffsetPeriod[], dst: OracleDst): number[] {
  const instants: number[] = []
  for (const { fromSecond, toSecond, offset } of periods) {
    const instant = wall - offset
    if (instant >= fromSecond && instant < toSecond) instants.push(instant)
  }
  if (instants.length === 0) return dst.gap === 'skip' ? [] : [wall - offsetBeforeGap(wall, periods)]
  if (dst.overlap === 'first') return instants.slice(0, 1)
  if (dst.overlap === 'last') return instants.slice(-1)
  return instants
}

// With all 24 hours u is due iff local(u) matches: all instants of each matching wall-clock time, and no others.
const ruleOf = (hours: number[], dst: OracleDst): OracleDst =>
  hours.length === 24 ? { gap: 'skip', overlap: 'both' } : dst

export function oracleInstants(
  expression: string,
  zone: string,
  dst: OracleDst,
  fromSecond: number,
  toSecond: number,
): number[] {
  const { seconds, minutes, hours, months, isDay } = readExpression(expression)
  const rule = ruleOf(hours, dst)
  const due = new Set<number>()
  const firstDay = Math.floor((fromSecond - FARTHEST_OFFSET_SECONDS) / SECONDS_PER_DAY)
  const lastDay = Math.floor((toSecond + FARTHEST_OFFSET_SECONDS) / SECONDS_PER_DAY)
  for (let epochDay = firstDay; epochDay <= lastDay; epochDay++) {
    const date = calendarDay(epochDay)
    if (!months.has(date.month) || !isDay(date)) continue
    const midnight = epochDay * SECONDS_PER_DAY
    const periods = offsetPeriods(zone, midnight - SECONDS_PER_DAY, midnight + 2 * SECONDS_PER_DAY)
    for (const hour of hours) {
      for (const minute of minutes) {
        for (const second of seconds) {
          const wall = midnight + hour * 3600 + minute * 60 + second
          for (const instant of instantsOf(wall, periods, rule)) {
            if (instant >= fromSecond && instant < toSecond) due.add(instant)
          }
        }
      }
    }
  }
  return [...due].sort((a, b) => a - b)
}

// The same for minutes to hours, quickly: every second that clocks with an offset of those days could show is looked at.
export function oracleInstantsInWindow(
  expression: string,
  zone: string,
  dst: OracleDst,
  fromSecond: number,
  toSecond: number,
): Set<number> {
  const fields = readExpression(expression)
  const rule = ruleOf(fields.hours, dst)
  const isMatch = wallTest(fields)
  const periods = offsetPeriods(zone, fromSecond - NEAR_SECONDS, toSecond + NEAR_SECONDS)
  const due = new Set<number>()
  for (const offset of new Set(periods.map((period) => period.offset))) {
    for (let wall = fromSecond + offset; wall < toSecond + offset; wall++) {
      if (!isMatch(wall)) continue
      for (const instant of instantsOf(wall, periods, rule)) {
        if (instant >= fromSecond && instant < toSecond) due.add(instant)
      }
    }
  }
  return due
}

function wallTest({ seconds, minutes, hours, months, isDay }: Expression): (wall: number) => boolean {
  const days = new Map<number, boolean>()
  const isDayOf = (epochDay: number): boolean => {
    const known = days.get(epochDay)
    if (known !== undefined) return known
    const date = calendarDay(epochDay)
    const found = months.has(date.month) && isDay(date)
    days.set(epochDay, found)
    return found
  }
  return (wall) => {
    const epochDay = Math.floor(wall / SECONDS_PER_DAY)
    const time = wall - epochDay * SECONDS_PER_DAY
    const [hour, minute, second] = [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60]
    return seconds.includes(second) && minutes.includes(minute) && hours.includes(hour) && isDayOf(epochDay)
  }
}

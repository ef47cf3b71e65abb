// From text to words: cron-parser parses the normalised expression, and what it found becomes bit masks.
// cron-parser is used for nothing else: its next() loses, doubles and repeats instants on days when clocks move.

import { CronExpressionParser } from 'cron-parser'
import { InputError } from '../errors.ts'
import {
  ALL_HOURS,
  DAYS,
  DAYS_MOVE,
  DAYS_RESTRICTED,
  HOURS,
  LAST_DAYS,
  LAST_WEEKDAY,
  MINUTES_HIGH,
  MINUTES_LOW,
  MONTHS,
  NEAREST,
  SECONDS_HIGH,
  SECONDS_LOW,
  WEEKDAYS,
  WEEKDAYS_RESTRICTED,
  WORDS,
} from './masks.ts'
import { type NormalCron, normaliseCron } from './normalise.ts'
import { wallFrom } from './wall-clock.ts'

type CronFields = ReturnType<typeof CronExpressionParser.parse>['fields']

export interface CompiledCron {
  readonly words: Int32Array
  readonly warnings: readonly string[]
}

const bitsOf = (values: readonly (number | string)[]): number =>
  values.reduce((bits: number, value) => (typeof value === 'number' ? bits | (1 << value) : bits), 0)

const lowBits = (values: readonly number[]): number => bitsOf(values.filter((value) => value < 32))
const highBits = (values: readonly number[]): number =>
  bitsOf(values.filter((value) => value >= 32).map((value) => value - 32))

/** `5L` is the last Friday of a month. */
const lastWeekdayBits = (values: readonly (number | string)[]): number =>
  bitsOf(values.filter((value) => typeof value === 'string').map((value) => Number.parseInt(value, 10) % 7))

function weekdayWord(normal: NormalCron, fields: CronFields): number {
  const { dayOfMonth, dayOfWeek, hour } = fields
  const numbers = bitsOf(dayOfWeek.values)
  const weekdays = (numbers | (numbers >>> 7)) & 127
  const nth = dayOfWeek.nthDay
  return (
    (nth > 0 ? (weekdays << 14) | (nth << 21) : weekdays) |
    (lastWeekdayBits(dayOfWeek.values) << 7) |
    (normal.daysRestricted ? DAYS_RESTRICTED : 0) |
    (normal.weekdaysRestricted ? WEEKDAYS_RESTRICTED : 0) |
    (normal.movingDays?.lastWeekday === true ? LAST_WEEKDAY : 0) |
    (hour.values.length === 24 ? ALL_HOURS : 0) |
    (normal.movingDays !== null || dayOfMonth.hasLastChar ? DAYS_MOVE : 0)
  )
}

/** The days of a month: cron-parser's, or ours where they hold what it does not know. */
function setDays(words: Int32Array, { movingDays }: NormalCron, { dayOfMonth }: CronFields): void {
  words[DAYS] = movingDays?.days ?? bitsOf(dayOfMonth.values) >>> 1
  words[LAST_DAYS] = movingDays?.lastDays ?? (dayOfMonth.hasLastChar ? 1 : 0)
  words[NEAREST] = movingDays?.nearestWeekdays ?? 0
}

function neverFires(expression: string): InputError {
  return new InputError({
    code: 'cron.never-fires',
    field: 'cron',
    value: expression,
    problem: 'never fires: no year has such a day',
    remedy: 'Check the day of month against the month, or use L for the last day of a month',
  })
}

function parse(expression: string, normal: NormalCron): ReturnType<typeof CronExpressionParser.parse> {
  try {
    // With a zone and a date given, parsing takes a third of the time.
    return CronExpressionParser.parse(normal.text, { tz: 'UTC', currentDate: 0 })
  } catch {
    // The text was checked field by field, so all that is left to refuse is a day that its month does not have.
    throw neverFires(expression)
  }
}

function compile(expression: string, normal: NormalCron): CompiledCron {
  const { fields } = parse(expression, normal)
  const words = new Int32Array(WORDS)
  words[SECONDS_LOW] = lowBits(fields.second.values)
  words[SECONDS_HIGH] = highBits(fields.second.values)
  words[MINUTES_LOW] = lowBits(fields.minute.values)
  words[MINUTES_HIGH] = highBits(fields.minute.values)
  words[HOURS] = bitsOf(fields.hour.values)
  setDays(words, normal, fields)
  words[MONTHS] = bitsOf(fields.month.values)
  words[WEEKDAYS] = weekdayWord(normal, fields)
  if (wallFrom(words, 0, 0) === Number.POSITIVE_INFINITY) throw neverFires(expression)
  return { words, warnings: normal.warnings }
}

const CACHED_EXPRESSIONS = 20_000
const compiled = new Map<string, CompiledCron>()

/** Compiling takes tens of microseconds and fleets repeat their expressions, so the results are kept. */
export function compileExpression(expression: string, hashSeed: string): CompiledCron {
  const known = compiled.get(expression)
  if (known !== undefined) return known
  const normal = normaliseCron(expression, hashSeed)
  const result = compile(expression, normal)
  if (normal.hashed) return result
  if (compiled.size >= CACHED_EXPRESSIONS) compiled.clear()
  compiled.set(expression, result)
  return result
}

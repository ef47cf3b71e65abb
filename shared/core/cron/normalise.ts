// From a user's cron text to six fields that cron-parser accepts, with what it lacks (W, LW, L-n) set apart and what it
// refuses (repeated values, ranges that go round, @midnight) written out. Everything wrong is reported here.

import { InputError } from '../errors.ts'
import { refuseOtherDialects } from './dialects.ts'
import { type Element, fieldError, readElement } from './element.ts'
import { ALIASES, DAY_OF_MONTH, DAY_OF_WEEK, FIELDS, type Field } from './fields.ts'

const LONGEST_EXPRESSION = 256

export interface NormalCron {
  /** Six fields in cron-parser's grammar. */
  readonly text: string
  /** Set where days move, which cron-parser does not know: then the day of month in `text` only holds the place. */
  readonly movingDays: MovingDays | null
  /** A field is unrestricted only when its text is exactly * or ?. */
  readonly daysRestricted: boolean
  readonly weekdaysRestricted: boolean
  /** H takes its values from the job, so two jobs with the same text differ. */
  readonly hashed: boolean
  readonly warnings: readonly string[]
}

/** The whole day-of-month field, as masks. */
export interface MovingDays {
  /** Bit d-1: day d. */
  readonly days: number
  /** Bit n: n days before the month's last. */
  readonly lastDays: number
  /** Bit d-1: the weekday nearest to day d. */
  readonly nearestWeekdays: number
  readonly lastWeekday: boolean
}

function expressionError(value: string, problem: string, remedy: string): InputError {
  return new InputError({ code: 'cron.expression', field: 'cron', value, problem, remedy })
}

function splitFields(expression: string): string[] {
  if (expression.length > LONGEST_EXPRESSION) {
    const problem = `has ${expression.length} characters, more than ${LONGEST_EXPRESSION}`
    throw expressionError(expression, problem, 'Split it into several schedules of one job')
  }
  const trimmed = expression.trim()
  if (trimmed === '') throw expressionError(expression, 'is empty', 'Use five fields, such as "0 9 * * 1-5"')
  if (/[^\x20-\x7e\t]/.test(trimmed)) {
    throw expressionError(expression, 'has a character that no schedule has', 'Use plain letters, digits and signs')
  }
  if (/(^|\s)#/.test(trimmed)) throw expressionError(expression, 'has a comment', 'Remove # and what follows it')
  refuseOtherDialects(trimmed, whyRefused)
  const alias = trimmed.startsWith('@') ? ALIASES[trimmed.toLowerCase()] : trimmed
  if (alias === undefined) {
    throw expressionError(expression, 'is not a known alias', `Use one of ${Object.keys(ALIASES).join(' ')}`)
  }
  const fields = alias.toUpperCase().split(/[ \t]+/)
  if (fields.length === 5) return ['0', ...fields]
  if (fields.length === 6) return fields
  const remedy = 'Use 5 fields (minute hour day-of-month month day-of-week), or 6 with the second before them'
  throw expressionError(expression, `has ${fields.length} field${fields.length === 1 ? '' : 's'}`, remedy)
}

/** Why a text is no expression of ours, or null where it is one. */
function whyRefused(expression: string): string | null {
  try {
    normaliseCron(expression, '')
    return null
  } catch (error) {
    return (error as Error).message
  }
}

interface NormalField {
  text: string
  elements: Element[]
}

const isRepeated = (values: number[]): boolean => new Set(values).size < values.length

/** What cron-parser takes as it is goes through; the rest is written out value by value. */
function normaliseField(field: Field, text: string, seed: string): NormalField {
  const parts = text.split(',')
  const elements = parts.map((part) => readElement(field, part, seed))
  if (elements.length > 1 && elements.some((element) => element.type === 'nth-weekday')) {
    const remedy = 'Use one schedule for each; a job may have several'
    throw fieldError(field, text, 'a weekday with # cannot stand in a list', remedy)
  }
  const plain = elements.filter((element) => element.type === 'values')
  const values = plain.flatMap((element) => element.values)
  const isAccepted = !isRepeated(values) && !plain.some((element) => element.wraps) && !hasHash(text)
  const written = isAccepted ? [] : [...new Set(values)].sort((a, b) => a - b).map(String)
  const kept = parts.flatMap((part, index) => textForCronParser(part, elements[index], isAccepted))
  return { text: [...new Set([...written, ...kept])].join(','), elements }
}

/** The same thing is always written the same way (6L and SATL), because cron-parser refuses to be told twice. */
function textForCronParser(part: string, element: Element, valuesAreAccepted: boolean): string[] {
  switch (element.type) {
    case 'values':
      return valuesAreAccepted ? [part] : []
    case 'nth-weekday':
      return [part]
    case 'last-of-weekday':
      return [`${element.weekday}L`]
    case 'last-day':
      return element.daysBefore === 0 ? ['L'] : []
    case 'nearest-weekday':
    case 'last-weekday':
      return []
  }
}

function warningsOf(fields: string[]): string[] {
  const weekday = fields[5]
  const besideQuestionMark = fields[3] === '?' && /\d/.test(weekday.replace(/#\d/, '').replace(/\/\d+/, ''))
  if (!besideQuestionMark) return []
  return [
    `The day of week ${JSON.stringify(weekday)} is read as crontab does, with 0 and 7 for Sunday; Quartz counts from 1 for Sunday. Use names such as MON-FRI to be sure.`,
  ]
}

function movingDaysOf(elements: readonly Element[]): MovingDays | null {
  let [days, lastDays, nearestWeekdays] = [0, 0, 0]
  let lastWeekday = false
  for (const element of elements) {
    if (element.type === 'values') for (const day of element.values) days |= 1 << (day - 1)
    if (element.type === 'last-day') lastDays |= 1 << element.daysBefore
    if (element.type === 'nearest-weekday') nearestWeekdays |= 1 << (element.day - 1)
    if (element.type === 'last-weekday') lastWeekday = true
  }
  const isKnownToCronParser = lastDays <= 1 && nearestWeekdays === 0 && !lastWeekday
  return isKnownToCronParser ? null : { days, lastDays, nearestWeekdays, lastWeekday }
}

/** H begins an element; inside one it is a letter of THU or MARCH. */
const hasHash = (text: string): boolean => /(^|,)H/.test(text)

const isRestricted = (text: string): boolean => text !== '*' && text !== '?'

/** `seed` is what H goes by: the id of the job. */
export function normaliseCron(expression: string, seed: string): NormalCron {
  const fields = splitFields(expression)
  const normal = FIELDS.map((field, index) => normaliseField(field, fields[index], seed))
  const [daysAt, weekdaysAt] = [FIELDS.indexOf(DAY_OF_MONTH), FIELDS.indexOf(DAY_OF_WEEK)]
  if (fields[daysAt] === '?' && fields[weekdaysAt] === '?') {
    throw expressionError(expression, 'leaves both day fields to the other', 'Use * for one of them')
  }
  const movingDays = movingDaysOf(normal[daysAt].elements)
  if (movingDays !== null) normal[daysAt].text = '1'
  return {
    text: normal.map((field) => field.text).join(' '),
    movingDays,
    daysRestricted: isRestricted(fields[daysAt]),
    weekdaysRestricted: isRestricted(fields[weekdaysAt]),
    hashed: fields.some(hasHash),
    warnings: warningsOf(fields),
  }
}

// Knows how to read the numeric part of one cron field: a comma list of values, ranges and steps.

export interface FieldSpec {
  min: number
  max: number
  // The value after which a range with a > b goes on at `min`; for days of the week it is below `max` (7 is Sunday).
  wrapsAfter: number
  names: string[]
}

const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

export const SECOND: FieldSpec = { min: 0, max: 59, wrapsAfter: 59, names: [] }
export const MINUTE: FieldSpec = { min: 0, max: 59, wrapsAfter: 59, names: [] }
export const HOUR: FieldSpec = { min: 0, max: 23, wrapsAfter: 23, names: [] }
export const MONTH_DAY: FieldSpec = { min: 1, max: 31, wrapsAfter: 31, names: [] }
export const MONTH: FieldSpec = { min: 1, max: 12, wrapsAfter: 12, names: MONTH_NAMES }
export const WEEKDAY: FieldSpec = { min: 0, max: 7, wrapsAfter: 6, names: WEEKDAY_NAMES }

export function readValue(text: string, spec: FieldSpec): number {
  const nameIndex = spec.names.indexOf(text)
  const value = nameIndex >= 0 ? spec.min + nameIndex : Number(text)
  if (!/^([A-Z]{3}|\d+)$/.test(text) || !(value >= spec.min && value <= spec.max)) {
    throw new Error(`oracle: no value of this field: ${text}`)
  }
  return value
}

function walk(first: number, last: number, spec: FieldSpec): number[] {
  const values: number[] = []
  if (first <= last) {
    for (let value = first; value <= last; value++) values.push(value)
    return values
  }
  const start = first > spec.wrapsAfter ? spec.min : first
  for (let value = start; value !== last; value = value === spec.wrapsAfter ? spec.min : value + 1) values.push(value)
  values.push(last)
  return values
}

// The values of one list item: `*`, `?`, n, a-b, and each of them with a step.
export function readItem(text: string, spec: FieldSpec): number[] {
  const [span, stepText, ...rest] = text.split('/')
  if (rest.length > 0) throw new Error(`oracle: two steps: ${text}`)
  const step = stepText === undefined ? 1 : Number(stepText)
  if (!Number.isInteger(step) || step < 1) throw new Error(`oracle: bad step: ${text}`)
  return spanValues(span, stepText !== undefined, spec).filter((_, index) => index % step === 0)
}

function spanValues(span: string, hasStep: boolean, spec: FieldSpec): number[] {
  if (span === '*' || span === '?') return walk(spec.min, spec.max, spec)
  const [first, last] = span.split('-').map((text) => readValue(text, spec))
  if (last === undefined) return hasStep ? walk(first, spec.max, spec) : [first]
  return walk(first, last, spec)
}

// All values of a list, ascending, each once.
export function readList(text: string, spec: FieldSpec): number[] {
  const values = new Set(text.split(',').flatMap((item) => readItem(item, spec)))
  return [...values].sort((a, b) => a - b)
}

// One element of a field, between two commas: its check, with a message that names the field, the value and the remedy,
// and the values that it stands for.

import { InputError, quote } from '../errors.ts'
import { hashText } from '../hash.ts'
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field } from './fields.ts'

export type Element =
  | { type: 'values'; values: number[]; wraps: boolean }
  | { type: 'last-day'; daysBefore: number }
  | { type: 'nearest-weekday'; day: number }
  | { type: 'last-weekday' }
  | { type: 'last-of-weekday'; weekday: number }
  | { type: 'nth-weekday'; weekday: number; nth: number }

export function fieldError(field: Field, value: string, problem: string, remedy: string): InputError {
  return new InputError({ code: 'cron.field', field: `cron ${field.name}`, value, problem, remedy })
}

const rangeOf = (field: Field): string =>
  field.words.length > 0
    ? `${field.min}-${field.max} or ${field.words[0]}-${field.words.at(-1)}`
    : `${field.min}-${field.max}`

function readValue(field: Field, text: string, element: string): number {
  const word = field.words.indexOf(text)
  const value = word >= 0 ? word + field.min : Number(text)
  if (!/^\d{1,4}$/.test(text) && word < 0) {
    throw fieldError(field, element, `${quote(text)} is not a value of this field`, `Use ${rangeOf(field)}`)
  }
  if (value < field.min || value > field.max) {
    throw fieldError(field, element, `${text} is outside ${field.min}-${field.max}`, `Use ${rangeOf(field)}`)
  }
  return value
}

function readStep(field: Field, text: string, element: string): number {
  const step = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (step >= 1) return step
  throw fieldError(field, element, `the step ${quote(text)} is not a whole number above 0`, 'Use a step such as */5')
}

/** A step that gives one value only is nearly always meant as an interval that the field cannot hold. */
function refuseIdleStep(field: Field, step: number, values: readonly number[], element: string): void {
  if (step === 1 || new Set(values).size > 1) return
  const remedy = `Use ${values[0]} without the step, or {"every": seconds} for an interval that the field cannot hold`
  throw fieldError(field, element, `the step ${step} never comes to a second value`, remedy)
}

/** From `first` on, going round at the end of the field where `last` lies before it. Sunday as 7 becomes 0. */
function valuesBetween(field: Field, first: number, last: number, step: number): { values: number[]; wraps: boolean } {
  const wraps = first > last
  const end = field.min + field.size
  const from = wraps && first >= end ? first - field.size : first
  const span = last - from + (from > last ? field.size : 0)
  const values: number[] = []
  for (let moved = 0; moved <= span; moved += step) {
    const value = from + moved
    values.push(value >= end ? value - field.size : value)
  }
  return { values, wraps }
}

function readSpecial(field: Field, text: string): Element | null {
  if (field === DAY_OF_MONTH) {
    if (text === 'L') return { type: 'last-day', daysBefore: 0 }
    if (text === 'LW' || text === 'WL') return { type: 'last-weekday' }
    const before = /^L-(\d{1,4})$/.exec(text)
    if (before !== null) {
      const daysBefore = Number(before[1])
      if (daysBefore >= 1 && daysBefore <= 30) return { type: 'last-day', daysBefore }
      throw fieldError(field, text, 'no month has that many days before its last', 'Use L-1 to L-30')
    }
    const nearest = /^(\d+)W$/.exec(text)
    if (nearest !== null) return { type: 'nearest-weekday', day: readValue(field, nearest[1], text) }
    if (/^\d+L$/.test(text)) {
      const asWeekday = /^[0-7]L$/.test(text) ? `, or ${text} as day of week` : ''
      throw fieldError(field, text, 'a number before L means nothing here', `Use L for the last day${asWeekday}`)
    }
  }
  if (field === DAY_OF_WEEK) {
    if (text === 'L') {
      throw fieldError(
        field,
        text,
        'L needs the weekday before it',
        'Use 6 for Saturdays or 6L for the last Saturday of a month',
      )
    }
    const last = /^([^-/#]+)L$/.exec(text)
    if (last !== null) return { type: 'last-of-weekday', weekday: readValue(field, last[1], text) % 7 }
    const nth = /^([^-/]+)#(.*)$/.exec(text)
    if (nth !== null) {
      if (!/^[1-5]$/.test(nth[2])) {
        throw fieldError(field, text, `no month has a weekday number ${quote(nth[2])}`, 'Use #1 to #5, as in 5#2')
      }
      return { type: 'nth-weekday', weekday: readValue(field, nth[1], text) % 7, nth: Number(nth[2]) }
    }
  }
  return null
}

/** H leaves out what not every month has, so that every job runs equally often. */
const LAST_HASHED_DAY = 28

/** H is a value that the job's own hash picks: always the same for one job, spread evenly over many. */
function readHash(field: Field, text: string, seed: string): Element {
  const parts = /^H(?:\((\w+)-(\w+)\))?(?:\/(.+))?$/.exec(text)
  if (parts === null) {
    throw fieldError(field, text, 'H stands alone, with a range or with a step', 'Use H, H(0-29), H/15 or H(0-29)/10')
  }
  const [, firstText, lastText, stepText] = parts
  const lastByDefault = field === DAY_OF_MONTH ? LAST_HASHED_DAY : field.min + field.size - 1
  const first = firstText === undefined ? field.min : readValue(field, firstText, text)
  const last = lastText === undefined ? lastByDefault : readValue(field, lastText, text)
  const { values: all } = valuesBetween(field, first, last, 1)
  const hash = hashText(`H/${field.name}/${seed}`)
  if (stepText === undefined) return { type: 'values', values: [all[Number(hash % BigInt(all.length))]], wraps: false }
  const step = readStep(field, stepText, text)
  if (step >= all.length) refuseIdleStep(field, step, all.slice(0, 1), text)
  const from = Number(hash % BigInt(step))
  return { type: 'values', values: all.filter((_, index) => index % step === from), wraps: true }
}

/** `text` is in capitals; `seed` is what H goes by. Throws an InputError for anything that the field cannot hold. */
export function readElement(field: Field, text: string, seed: string): Element {
  if (text === '') throw fieldError(field, text, 'an element of the list is empty', 'Remove the extra comma')
  const special = readSpecial(field, text)
  if (special !== null) return special
  if (text.startsWith('H')) return readHash(field, text, seed)
  const [range, stepText, ...rest] = text.split('/')
  const [firstText, lastText, ...more] = range.split('-')
  if (rest.length > 0 || more.length > 0) {
    throw fieldError(field, text, 'is not a value, a range or a step', 'Use forms such as 5, 1-5, */10 or 1-30/10')
  }
  const step = stepText === undefined ? 1 : readStep(field, stepText, text)
  const { values, wraps } = valuesBetween(
    field,
    ...readRange(field, text, firstText, lastText, stepText !== undefined),
    step,
  )
  refuseIdleStep(field, step, values, text)
  return { type: 'values', values, wraps }
}

function readRange(
  field: Field,
  element: string,
  firstText: string,
  lastText: string | undefined,
  hasStep: boolean,
): [first: number, last: number] {
  if (firstText === '*' || firstText === '?') {
    const isDay = field === DAY_OF_MONTH || field === DAY_OF_WEEK
    if (firstText === '?' && !(isDay && element === '?')) {
      throw fieldError(field, element, '? stands for a day field of which the other decides', 'Use *')
    }
    if (lastText !== undefined) throw fieldError(field, element, '* has no range', 'Use * or 1-5')
    return [field.min, field.min + field.size - 1]
  }
  const first = readValue(field, firstText, element)
  if (lastText !== undefined) return [first, readValue(field, lastText, element)]
  return [first, hasStep ? field.max : first]
}

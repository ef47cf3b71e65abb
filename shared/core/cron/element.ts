// One element of a field, between two commas: its check, with a message that names the field, the value and the remedy,
// and the values that it stands for.

import { InputError } from '../errors.ts'
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field } from './fields.ts'

export type Element =
  | { type: 'values'; values: number[]; wraps: boolean }
  | { type: 'hash' }
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
    throw fieldError(field, element, `${JSON.stringify(text)} is not a value of this field`, `Use ${rangeOf(field)}`)
  }
  if (value < field.min || value > field.max) {
    throw fieldError(field, element, `${text} is outside ${field.min}-${field.max}`, `Use ${rangeOf(field)}`)
  }
  return value
}

function readStep(field: Field, text: string, element: string): number {
  const step = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (step < 1) {
    throw fieldError(
      field,
      element,
      `the step ${JSON.stringify(text)} is not a whole number above 0`,
      'Use a step such as */5',
    )
  }
  if (step >= field.size && step > 1) {
    const remedy = `Use a step below ${field.size}, or {"every": seconds} for an interval that the field cannot hold`
    throw fieldError(
      field,
      element,
      `the step ${step} never comes to a second value of ${field.min}-${field.max}`,
      remedy,
    )
  }
  return step
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
      throw fieldError(
        field,
        text,
        'a number before L means nothing here',
        `Use L for the last day, or ${text} as day of week`,
      )
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
        throw fieldError(
          field,
          text,
          `no month has a weekday number ${JSON.stringify(nth[2])}`,
          'Use #1 to #5, as in 5#2',
        )
      }
      return { type: 'nth-weekday', weekday: readValue(field, nth[1], text) % 7, nth: Number(nth[2]) }
    }
  }
  return null
}

function readHash(field: Field, text: string): Element {
  const parts = /^H(?:\((\w+)-(\w+)\))?(?:\/(.+))?$/.exec(text)
  if (parts === null) {
    throw fieldError(field, text, 'H stands alone, with a range or with a step', 'Use H, H(0-29), H/15 or H(0-29)/10')
  }
  const [, first, last, step] = parts
  if (first !== undefined && readValue(field, first, text) > readValue(field, last, text)) {
    throw fieldError(field, text, 'the range ends before it begins', `Use H(${last}-${first})`)
  }
  if (step !== undefined) readStep(field, step, text)
  return { type: 'hash' }
}

/** `text` is in capitals. Throws an InputError for anything that the field cannot hold. */
export function readElement(field: Field, text: string): Element {
  if (text === '') throw fieldError(field, text, 'an element of the list is empty', 'Remove the extra comma')
  const special = readSpecial(field, text)
  if (special !== null) return special
  if (text.startsWith('H')) return readHash(field, text)
  const [range, stepText, ...rest] = text.split('/')
  const [firstText, lastText, ...more] = range.split('-')
  if (rest.length > 0 || more.length > 0) {
    throw fieldError(field, text, 'is not a value, a range or a step', 'Use forms such as 5, 1-5, */10 or 1-30/10')
  }
  const step = stepText === undefined ? 1 : readStep(field, stepText, text)
  if (firstText === '*' || firstText === '?') {
    if (lastText !== undefined) throw fieldError(field, text, `${firstText} has no range`, `Use ${firstText} or 1-5`)
    return { type: 'values', ...valuesBetween(field, field.min, field.min + field.size - 1, step) }
  }
  const first = readValue(field, firstText, text)
  const lastByDefault = stepText === undefined ? first : field.max
  const last = lastText === undefined ? lastByDefault : readValue(field, lastText, text)
  return { type: 'values', ...valuesBetween(field, first, last, step) }
}

// Knows how to write one random cron field, and says which parts of the grammar the text uses.
import type { Random } from './random.ts'

// Parts of the grammar that other libraries read differently or not at all, and some that are worth counting.
export type Feature =
  | 'seconds field'
  | 'alias'
  | 'alias @midnight'
  | 'alias beyond vixie'
  | 'name'
  | 'open step'
  | 'open step in weekday'
  | 'wrapping range'
  | 'range to SUN'
  | 'repeated value'
  | 'L'
  | 'L-n'
  | 'W'
  | 'LW'
  | 'LW in list'
  | 'weekday L'
  | '#'

export interface FieldShape {
  min: number
  max: number
  wrapsAfter: number
  names: readonly string[]
  // Values that meet clock changes, month ends or each other more often than uniform ones.
  favourites: readonly number[]
}

interface Item {
  text: string
  // What it allows, in a form in which equal entries of two items mean a repetition.
  values: (number | string)[]
  uses: Feature[]
}

export interface RandomField {
  text: string
  uses: Feature[]
  // How many values of seconds, minutes or hours the field allows.
  count: number
}

const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

export const SECOND: FieldShape = { min: 0, max: 59, wrapsAfter: 59, names: [], favourites: [0, 1, 30, 59] }
export const MINUTE: FieldShape = { min: 0, max: 59, wrapsAfter: 59, names: [], favourites: [0, 15, 29, 30, 45, 59] }
export const HOUR: FieldShape = { min: 0, max: 23, wrapsAfter: 23, names: [], favourites: [0, 0, 1, 1, 2, 2, 3, 4, 23] }
export const MONTH_DAY: FieldShape = { min: 1, max: 31, wrapsAfter: 31, names: [], favourites: [1, 15, 28, 29, 30, 31] }
export const MONTH: FieldShape = {
  min: 1,
  max: 12,
  wrapsAfter: 12,
  names: MONTH_NAMES,
  favourites: [2, 3, 4, 9, 10, 11],
}
export const WEEKDAY: FieldShape = { min: 0, max: 7, wrapsAfter: 6, names: WEEKDAY_NAMES, favourites: [0, 5, 6, 7] }

function value(random: Random, shape: FieldShape): number {
  return random.chance(0.5) ? random.pick(shape.favourites) : random.between(shape.min, shape.max)
}

function write(random: Random, shape: FieldShape, number: number, uses: Feature[]): string {
  const name = shape.names[number - shape.min]
  if (name === undefined || random.chance(0.75)) return String(number)
  uses.push('name')
  return random.pick([name, name.toLowerCase(), name[0] + name.slice(1).toLowerCase()])
}

function steps(first: number, last: number, step: number): number[] {
  const values: number[] = []
  for (let number = first; number <= last; number += step) values.push(number)
  return values
}

// A range, sometimes with a step; it wraps when the first is above the last.
function rangeItem(random: Random, shape: FieldShape): Item {
  const uses: Feature[] = []
  let first = value(random, shape)
  let last = random.chance(0.6) ? first + random.between(1, 4) : value(random, shape)
  if (last > shape.max) last = shape.max
  if (first > last && random.chance(0.5)) [first, last] = [last, first]
  const span = shape.wrapsAfter - shape.min + 1
  const start = first > shape.wrapsAfter ? shape.min : first
  const reach = last >= first ? last - first : (last - start + span) % span
  // A step beyond the range is refused by the product, because it never comes to a second value.
  const step = random.chance(0.3) && reach >= 1 ? random.between(1, Math.min(6, reach)) : 1
  const text = `${write(random, shape, first, uses)}-${write(random, shape, last, uses)}${step > 1 ? `/${step}` : ''}`
  if (/-sun/i.test(text)) uses.push('range to SUN')
  if (first <= last) return { text, values: steps(first, last, step), uses }
  const length = (((last - start) % span) + span) % span
  const values = steps(0, length, step).map((offset) => shape.min + ((start - shape.min + offset) % span))
  return { text, values, uses: [...uses, 'wrapping range'] }
}

function plainItem(random: Random, shape: FieldShape): Item {
  const kind = random.below(10)
  const uses: Feature[] = []
  if (kind < 5) {
    const number = value(random, shape)
    return { text: write(random, shape, number, uses), values: [number], uses }
  }
  if (kind < 8) return rangeItem(random, shape)
  const step = random.between(1, shape.wrapsAfter - shape.min)
  if (kind < 9) return { text: `*/${step}`, values: steps(shape.min, shape.max, step), uses }
  const first = Math.min(value(random, shape), shape.wrapsAfter - 1)
  const openStep = random.between(1, shape.wrapsAfter - first)
  uses.push(shape === WEEKDAY ? 'open step in weekday' : 'open step')
  return { text: `${write(random, shape, first, uses)}/${openStep}`, values: steps(first, shape.max, openStep), uses }
}

function monthDayItem(random: Random, isAlone: boolean): Item {
  if (random.chance(0.6)) return plainItem(random, MONTH_DAY)
  const kind = random.below(4)
  if (kind === 0) return { text: 'L', values: ['L'], uses: ['L'] }
  if (kind === 1) return { text: `L-${random.between(1, 30)}`, values: [], uses: ['L-n'] }
  if (kind === 2) return { text: `${value(random, MONTH_DAY)}W`, values: [], uses: ['W'] }
  return { text: 'LW', values: [], uses: isAlone ? ['LW'] : ['LW', 'LW in list'] }
}

function weekdayItem(random: Random): Item {
  if (random.chance(0.75)) return plainItem(random, WEEKDAY)
  const uses: Feature[] = ['weekday L']
  const weekday = value(random, WEEKDAY)
  return { text: `${write(random, WEEKDAY, weekday, uses)}L`, values: [`${weekday % 7}L`], uses }
}

function nthWeekday(random: Random): RandomField {
  const uses: Feature[] = ['#']
  const text = `${write(random, WEEKDAY, value(random, WEEKDAY), uses)}#${random.between(1, 5)}`
  return { text, uses, count: 1 }
}

export function randomField(random: Random, shape: FieldShape, starChance: number): RandomField {
  if (random.chance(starChance)) {
    const isDay = shape === MONTH_DAY || shape === WEEKDAY
    const text = isDay && random.chance(0.1) ? '?' : '*'
    return { text, uses: [], count: shape.wrapsAfter - shape.min + 1 }
  }
  if (shape === WEEKDAY && random.chance(0.15)) return nthWeekday(random)
  const hasStar = random.chance(0.02)
  const length = random.pick([1, 1, 1, 2, 2, 3])
  const items = Array.from({ length }, () => {
    if (shape === MONTH_DAY) return monthDayItem(random, length === 1 && !hasStar)
    return shape === WEEKDAY ? weekdayItem(random) : plainItem(random, shape)
  })
  if (hasStar) items.push({ text: '*', values: steps(shape.min, shape.wrapsAfter, 1), uses: ['repeated value'] })
  const uses = items.flatMap((item) => item.uses)
  const values = items.flatMap((item) => [...new Set(item.values.map((entry) => foldSunday(entry, shape)))])
  const texts = items.map((item) => item.text)
  if (new Set(values).size < values.length) uses.push('repeated value')
  return { text: texts.join(','), uses, count: new Set(values).size }
}

function foldSunday(entry: number | string, shape: FieldShape): number | string {
  return entry === 7 && shape === WEEKDAY ? 0 : entry
}

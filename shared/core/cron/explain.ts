// A compiled cron expression in plain English. It reads the masks, not the text, so it says what will really happen.

import { MONTH } from './fields.ts'
import {
  DAYS,
  DAYS_RESTRICTED,
  HOURS,
  LAST_DAYS,
  LAST_WEEKDAY,
  lowestBit,
  MINUTES_LOW,
  MONTHS,
  NEAREST,
  SECONDS_LOW,
  WEEKDAYS,
  WEEKDAYS_RESTRICTED,
} from './masks.ts'

const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ')
const WEEKDAY_NAMES = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

/** More clock times than this are said as minutes past hours. */
const MOST_CLOCK_TIMES = 6

/** Every list of jobs says this of each of them, so only the bits that are set are looked at. */
function setBits(word: number): number[] {
  const bits: number[] = []
  for (let left = word; left !== 0; left &= left - 1) bits.push(lowestBit(left))
  return bits
}

const sixty = (words: Int32Array, low: number): number[] => [
  ...setBits(words[low]),
  ...setBits(words[low + 1]).map((bit) => bit + 32),
]

export const joinWords = (parts: readonly string[], word = 'and'): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`

/** Three or more neighbours become a range. */
function listOf(values: readonly number[], name: (value: number) => string): string {
  const parts: string[] = []
  for (let index = 0; index < values.length; ) {
    let end = index
    while (end + 1 < values.length && values[end + 1] === values[end] + 1) end += 1
    if (end - index >= 2) parts.push(`${name(values[index])} through ${name(values[end])}`)
    else for (let each = index; each <= end; each++) parts.push(name(values[each]))
    index = end + 1
  }
  return joinWords(parts)
}

/** The step with which the values go through the whole field, or null. */
function stepOf(values: readonly number[], size: number): number | null {
  const step = values.length > 1 ? values[1] - values[0] : 0
  const isEven = values.every((value, index) => index === 0 || value - values[index - 1] === step)
  return isEven &&
    values.length > 2 &&
    size % step === 0 &&
    values[0] < step &&
    values[values.length - 1] + step >= size
    ? step
    : null
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** "every 5 minutes", or null where the values are no steps. */
function explainSteps(values: readonly number[], size: number, unit: string): string | null {
  const step = stepOf(values, size)
  if (step === null) return null
  return step === 1
    ? `every ${unit}`
    : `every ${step} ${unit}s${values[0] === 0 ? '' : ` from ${unit} ${values[0]} on`}`
}

function explainTime(words: Int32Array): string {
  const seconds = sixty(words, SECONDS_LOW)
  const minutes = sixty(words, MINUTES_LOW)
  const hours = setBits(words[HOURS])
  const isOnTheMinute = seconds.length === 1 && seconds[0] === 0
  const isOnTheHour = isOnTheMinute && minutes.length === 1 && minutes[0] === 0
  const hourSteps = explainSteps(hours, 24, 'hour')
  if (isOnTheHour && hourSteps !== null) return hourSteps
  if (hours.length * minutes.length * seconds.length <= MOST_CLOCK_TIMES) {
    const times = hours.flatMap((hour) => minutes.map((minute) => `${twoDigits(hour)}:${twoDigits(minute)}`))
    const exact = times.flatMap((time) =>
      seconds.map((second) => (second === 0 ? time : `${time}:${twoDigits(second)}`)),
    )
    return `at ${joinWords(exact)}`
  }
  const withinHour = isOnTheMinute ? explainMinutes(minutes) : explainSecondsOf(seconds, minutes)
  const isEveryHour = hours.length === 24
  const minutesAreListed = stepOf(minutes, 60) === null
  if (isEveryHour) return minutesAreListed ? `${withinHour} of every hour` : withinHour
  return `${withinHour} during ${hours.length > 1 ? 'hours' : 'hour'} ${listOf(hours, twoDigits)}`
}

function explainMinutes(minutes: readonly number[]): string {
  return explainSteps(minutes, 60, 'minute') ?? `at minute ${listOf(minutes, String)}`
}

/** Runs within a minute, and which minutes those are. */
function explainSecondsOf(seconds: readonly number[], minutes: readonly number[]): string {
  const steps = explainSteps(seconds, 60, 'second')
  if (minutes.length === 60) return steps ?? `at second ${listOf(seconds, String)} of every minute`
  const step = stepOf(minutes, 60)
  const from = minutes[0] === 0 ? '' : ` from minute ${minutes[0]} on`
  const which = step === null ? `minute ${listOf(minutes, String)}` : `every ${ordinal(step)} minute${from}`
  return `${steps ?? `at second ${listOf(seconds, String)}`} of ${which}`
}

const ordinal = (value: number): string => `${value}${value === 2 ? 'nd' : value === 3 ? 'rd' : 'th'}`

function datesOf(words: Int32Array): string[] {
  const days = setBits(words[DAYS]).map((bit) => bit + 1)
  const nearest = setBits(words[NEAREST]).map((bit) => `the weekday nearest to day ${bit + 1}`)
  const last = setBits(words[LAST_DAYS]).map((before) =>
    before === 0 ? 'the last day' : before === 1 ? 'the day before the last' : `the day ${before} days before the last`,
  )
  const listed = days.length > 0 ? [`day ${listOf(days, String)}`] : []
  const lastWeekday = (words[WEEKDAYS] & LAST_WEEKDAY) !== 0 ? ['the last weekday'] : []
  return [...listed, ...nearest, ...last, ...lastWeekday]
}

function weekdaysOf(words: Int32Array): string[] {
  const week = words[WEEKDAYS]
  const name = (weekday: number) => WEEKDAY_NAMES[weekday]
  const plain = setBits(week & 127)
  const last = setBits((week >>> 7) & 127).map((weekday) => `the last ${name(weekday)} of the month`)
  const nth = setBits((week >>> 14) & 127).map(
    (weekday) => `the ${ORDINALS[((week >>> 21) & 7) - 1]} ${name(weekday)} of the month`,
  )
  return [...(plain.length > 0 ? [listOf(plain, name)] : []), ...last, ...nth]
}

function explainDays(words: Int32Array): string {
  const week = words[WEEKDAYS]
  const dates = (week & DAYS_RESTRICTED) === 0 ? '' : `on ${joinWords(datesOf(words))} of the month`
  const weekdays = (week & WEEKDAYS_RESTRICTED) === 0 ? '' : `on ${joinWords(weekdaysOf(words))}`
  return [dates, weekdays].filter((part) => part !== '').join(' or ')
}

function explainMonths(words: Int32Array): string {
  const months = setBits(words[MONTHS])
  return months.length === MONTH.size ? '' : `in ${listOf(months, (month) => MONTH_NAMES[month - 1])}`
}

export function explainWords(words: Int32Array): string {
  const time = explainTime(words)
  const days = explainDays(words)
  const isDaily = days === '' && time.startsWith('at') && !time.includes('every')
  const parts = [time, isDaily ? 'every day' : days, explainMonths(words)]
  return parts.filter((part) => part !== '').join(' ')
}

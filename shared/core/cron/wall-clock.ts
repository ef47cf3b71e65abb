// The next and the previous wall-clock time that a compiled expression matches. It knows no zones: its times are
// seconds since 1970 on a clock that never jumps.

import {
  DAY_SECONDS,
  dateFromDays,
  dayOf,
  daysFromDate,
  daysInMonth,
  monthOf,
  weekdayOfDays,
  yearOf,
} from '../time/civil.ts'
import { highestBit, lowestBit, MONTHS, matchingDays } from './masks.ts'
import { firstTime, lastTime, NONE, timeFrom, timeUpTo } from './time-of-day.ts'

/** The calendar repeats after 400 years, so what has not matched by then never will. */
const SEARCH_YEARS = 400

/** The month that was looked at last. Nearly all questions are about one month, so its date arithmetic is kept. */
const current = { year: 1970, month: 1, firstDays: 0, length: 31, firstWeekday: 4 }

function lookAtMonth(year: number, month: number, firstDays: number): void {
  current.year = year
  current.month = month
  current.firstDays = firstDays
  current.length = daysInMonth(year, month)
  current.firstWeekday = weekdayOfDays(firstDays)
}

function lookAtMonthOf(days: number): void {
  if (days >= current.firstDays && days < current.firstDays + current.length) return
  const date = dateFromDays(days)
  lookAtMonth(yearOf(date), monthOf(date), days - dayOf(date) + 1)
}

const daysOfCurrent = (words: Int32Array, base: number): number =>
  matchingDays(words, base, current.firstWeekday, current.length)

/** The least matching wall-clock time at or after `wall`, or Infinity. */
export function wallFrom(words: Int32Array, base: number, wall: number): number {
  const days = Math.floor(wall / DAY_SECONDS)
  lookAtMonthOf(days)
  let { year, month } = current
  const months = words[base + MONTHS]
  if ((months & (1 << month)) !== 0) {
    const { firstDays } = current
    const day = days - firstDays + 1
    const matching = daysOfCurrent(words, base)
    if ((matching & (1 << (day - 1))) !== 0) {
      const time = timeFrom(words, base, wall - days * DAY_SECONDS)
      if (time !== NONE) return days * DAY_SECONDS + time
    }
    const later = matching & (-1 << day)
    if (later !== 0) return (firstDays + lowestBit(later)) * DAY_SECONDS + firstTime(words, base)
  }
  const lastYear = year + SEARCH_YEARS
  while (year <= lastYear) {
    const laterMonths = months & (-2 << month)
    if (laterMonths === 0) {
      year += 1
      month = 0
      continue
    }
    month = lowestBit(laterMonths)
    lookAtMonth(year, month, daysFromDate(year, month, 1))
    const matching = daysOfCurrent(words, base)
    if (matching !== 0) return (current.firstDays + lowestBit(matching)) * DAY_SECONDS + firstTime(words, base)
  }
  return Number.POSITIVE_INFINITY
}

/** The greatest matching wall-clock time at or before `wall`, or -Infinity. */
export function wallUpTo(words: Int32Array, base: number, wall: number): number {
  const days = Math.floor(wall / DAY_SECONDS)
  lookAtMonthOf(days)
  let { year, month } = current
  const months = words[base + MONTHS]
  if ((months & (1 << month)) !== 0) {
    const { firstDays } = current
    const day = days - firstDays + 1
    const matching = daysOfCurrent(words, base)
    if ((matching & (1 << (day - 1))) !== 0) {
      const time = timeUpTo(words, base, wall - days * DAY_SECONDS)
      if (time !== NONE) return days * DAY_SECONDS + time
    }
    const earlier = matching & ((1 << (day - 1)) - 1)
    if (earlier !== 0) return (firstDays + highestBit(earlier)) * DAY_SECONDS + lastTime(words, base)
  }
  const firstYear = year - SEARCH_YEARS
  while (year >= firstYear) {
    const earlierMonths = months & ((1 << month) - 1)
    if (earlierMonths === 0) {
      year -= 1
      month = 13
      continue
    }
    month = highestBit(earlierMonths)
    lookAtMonth(year, month, daysFromDate(year, month, 1))
    const matching = daysOfCurrent(words, base)
    if (matching !== 0) return (current.firstDays + highestBit(matching)) * DAY_SECONDS + lastTime(words, base)
  }
  return Number.NEGATIVE_INFINITY
}

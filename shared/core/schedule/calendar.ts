// Named sets of excluded dates. A date is a whole local day of the schedule's zone.

import { InputError } from '../errors.ts'
import { DAY_SECONDS, dateFromDays } from '../time/civil.ts'
import { parseDate } from '../time/instant.ts'
import type { Instants } from '../time/instants.ts'
import { NEVER } from '../time/instants.ts'
import type { Zone } from '../time/zone.ts'

export interface CalendarSpec {
  readonly name: string
  /** "2026-12-25", "2026-12-24/2027-01-02" with both ends, or "12-25" for every year. */
  readonly dates: readonly string[]
}

export interface Calendar {
  excludes(days: number): boolean
}

/** A leap year, so that 02-29 is a date of some years. */
const ANY_LEAP_YEAR = 2000

export function compileCalendar(spec: CalendarSpec): Calendar {
  const single = new Set<number>()
  const yearly = new Set<number>()
  const ranges: { first: number; last: number }[] = []
  for (const text of spec.dates) {
    const [first, last] = text.split('/', 2).map(parseDate)
    const everyYear = parseDate(`${ANY_LEAP_YEAR}-${text}`)
    if (everyYear !== null) yearly.add(dateFromDays(everyYear) & 511)
    else if (first !== null && last === undefined) single.add(first)
    else if (first !== null && last !== undefined && last !== null && first <= last) ranges.push({ first, last })
    else throw notADate(spec.name, text)
  }
  return {
    excludes: (days) =>
      single.has(days) ||
      yearly.has(dateFromDays(days) & 511) ||
      ranges.some(({ first, last }) => first <= days && days <= last),
  }
}

function notADate(calendar: string, value: string): InputError {
  return new InputError({
    code: 'calendar.date',
    field: `calendar ${calendar} dates`,
    value,
    problem: 'is not a date, a range of dates or a day of every year',
    remedy: 'Use "2026-12-25", "2026-12-24/2027-01-02" or "12-25"',
  })
}

/** A calendar may be long, but a schedule with nothing but excluded dates for so many of them, or so long, has no other. */
const LOOKS = 4000
const SECONDS_TO_SEARCH = 50 * 366 * DAY_SECONDS

/** The instants whose local date no calendar excludes. */
export function withoutDates(instants: Instants, calendars: readonly Calendar[], zone: Zone): Instants {
  const localDays = (t: number) => Math.floor((t + zone.offsetAt(t)) / DAY_SECONDS)
  const isExcluded = (days: number) => calendars.some((calendar) => calendar.excludes(days))
  // On a day when clocks move, midnight by the offset of an instant is not midnight. Of the two guesses the one that
  // does not leave the date is taken; what is left of the date is excluded by the next look.
  const endOf = (days: number, t: number) => {
    const end = (days + 1) * DAY_SECONDS - zone.offsetAt(t)
    return Math.min(end, (days + 1) * DAY_SECONDS - zone.offsetAt(end))
  }
  const startOf = (days: number, t: number) => {
    const start = days * DAY_SECONDS - zone.offsetAt(t)
    return Math.max(start, days * DAY_SECONDS - zone.offsetAt(start))
  }
  return {
    next(after) {
      let t = instants.next(after)
      for (let looks = 0; looks < LOOKS && t !== NEVER && t - after < SECONDS_TO_SEARCH; looks++) {
        const days = localDays(t)
        if (!isExcluded(days)) return t
        t = instants.next(Math.max(t, endOf(days, t) - 1))
      }
      return NEVER
    },
    previous(before) {
      let t = instants.previous(before)
      for (let looks = 0; looks < LOOKS && t !== NEVER && before - t < SECONDS_TO_SEARCH; looks++) {
        const days = localDays(t)
        if (!isExcluded(days)) return t
        t = instants.previous(Math.min(t, startOf(days, t)))
      }
      return NEVER
    },
  }
}

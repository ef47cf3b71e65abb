// Named sets of excluded dates. A date is a whole local day of the schedule's zone.

import * as z from 'zod'
import { firstPlace } from '../binary-search.ts'
import { InputError } from '../errors.ts'
import { DAY_SECONDS, dateFromDays } from '../time/civil.ts'
import { parseDate } from '../time/instant.ts'
import { type Instants, NEVER } from '../time/instants.ts'
import type { Zone } from '../time/zone.ts'

const MOST_DATES = 2000
const MOST_DATE_CHARACTERS = 21

/** A calendar as its users put it. */
export const calendarBody = z.strictObject({
  description: z.string().max(1000).default(''),
  /** "2026-12-25", "2026-12-24/2027-01-02" with both ends, or "12-25" for every year. */
  dates: z.array(z.string().max(MOST_DATE_CHARACTERS)).max(MOST_DATES),
})

export type Calendar = Readonly<z.infer<typeof calendarBody>>

/** A calendar as a job's times hold it. */
export interface CalendarSpec {
  readonly name: string
  readonly dates: readonly string[]
}

/** The excluded dates of a job, of all its calendars together. */
export interface ExcludedDates {
  /** The last day of the stretch of excluded days that holds the given one, or null where it is not excluded. */
  endOf(days: number): number | null
  startOf(days: number): number | null
}

interface Range {
  readonly first: number
  readonly last: number
}

/** A leap year, so that 02-29 is a date of some years. */
const ANY_LEAP_YEAR = 2000
const dayOfYear = (days: number): number => dateFromDays(days) & 511

export function excludedDates(calendars: readonly CalendarSpec[]): ExcludedDates {
  const yearly = new Set<number>()
  const ranges: Range[] = []
  for (const { name, dates } of calendars) {
    for (const [index, text] of dates.entries()) {
      const everyYear = parseDate(`${ANY_LEAP_YEAR}-${text}`)
      if (everyYear !== null) yearly.add(dayOfYear(everyYear))
      else ranges.push(readRange(name, text, `/dates/${index}`))
    }
  }
  const merged = mergeRanges(ranges)
  const isYearly = (days: number) => yearly.has(dayOfYear(days))
  return {
    endOf: (days) => rangeAt(merged, days)?.last ?? (isYearly(days) ? days : null),
    startOf: (days) => rangeAt(merged, days)?.first ?? (isYearly(days) ? days : null),
  }
}

function readRange(calendar: string, text: string, path: string): Range {
  const [first, last = first, ...more] = text.split('/').map(parseDate)
  if (first !== null && last !== null && first <= last && more.length === 0) return { first, last }
  throw new InputError({
    code: 'calendar.date',
    field: `calendar ${calendar} dates`,
    value: text,
    problem: 'is not a date, a range of dates or a day of every year',
    remedy: 'Use "2026-12-25", "2026-12-24/2027-01-02" or "12-25"',
    path,
  })
}

/** Sorted, and those that touch made one, so that a long holiday is passed over at one look. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: { first: number; last: number }[] = []
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1)
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last)
    else merged.push({ first, last })
  }
  return merged
}

function rangeAt(ranges: readonly Range[], days: number): Range | null {
  const place = firstPlace(ranges.length, (each) => ranges[each].last >= days)
  return place < ranges.length && ranges[place].first <= days ? ranges[place] : null
}

/** What has nothing but excluded dates for so many looks, or so long, has no other. */
const LOOKS = 1500
const SECONDS_TO_SEARCH = 50 * 366 * DAY_SECONDS

/** The instants whose local date is not excluded. */
export function withoutDates(instants: Instants, excluded: ExcludedDates, zone: Zone): Instants {
  const localDays = (t: number) => Math.floor((t + zone.offsetAt(t)) / DAY_SECONDS)
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
      const first = instants.next(after)
      let t = first
      for (let looks = 0; looks < LOOKS && t !== NEVER && t - first < SECONDS_TO_SEARCH; looks++) {
        const end = excluded.endOf(localDays(t))
        if (end === null) return t
        t = instants.next(Math.max(t, endOf(end, t) - 1))
      }
      return NEVER
    },
    previous(before) {
      const last = instants.previous(before)
      let t = last
      for (let looks = 0; looks < LOOKS && t !== NEVER && last - t < SECONDS_TO_SEARCH; looks++) {
        const start = excluded.startOf(localDays(t))
        if (start === null) return t
        t = instants.previous(Math.min(t, startOf(start, t)))
      }
      return NEVER
    },
  }
}

// The wall-clock hours of a zone in a window of time, each with the seconds of it that are real. It knows zones and
// dates; it knows no schedules.

import { DAY_SECONDS, dateFromDays, dayOf, daysInMonth, monthOf, weekdayOfDays, yearOf } from '../time/civil.ts'
import { AFTER_GAP, PLAIN, type Zone } from '../time/zone.ts'

export interface LocalHour {
  readonly hour: number
  /** Seconds from the start of the window to the start of the hour by its wall clock; negative if it began earlier. */
  readonly start: number
  /** The seconds after the window's start for which this hour counts. */
  readonly keepFrom: number
  readonly keepTo: number
  readonly kind: number
  /** Clocks jumped over this hour: it counts for the seconds that came instead. */
  readonly isLost: boolean
  /** What clocks show at the start of the window, if they did not jump since. */
  readonly wallOfWindow: number
  /** All of its 3,600 seconds count, and clocks did not jump near it. */
  readonly isWhole: boolean
}

export interface LocalDay {
  readonly monthBit: number
  readonly dayBit: number
  readonly firstWeekday: number
  readonly monthLength: number
  readonly hours: LocalHour[]
  /** Bit h is set for every hour of the list. */
  hourBits: number
}

export function layOutHours(zone: Zone, from: number, to: number): LocalDay[] {
  const days: LocalDay[] = []
  for (let t = from; t < to; ) {
    const table = zone.tableAt(t)
    const piece = table.pieceAt(t)
    const end = Math.min(table.starts[piece + 1], to)
    const stretch = { from, start: t, end, kind: table.kinds[piece], offsetOfClock: table.offsets[piece] }
    addHours(days, stretch, table.offsets[piece])
    if (stretch.kind === AFTER_GAP) addHours(days, stretch, table.offsetsBefore[piece])
    t = end
  }
  return days
}

interface Stretch {
  readonly from: number
  readonly start: number
  readonly end: number
  readonly kind: number
  readonly offsetOfClock: number
}

function addHours(days: LocalDay[], stretch: Stretch, offset: number): void {
  const firstHour = Math.floor((stretch.start + offset) / 3600)
  const endHour = Math.ceil((stretch.end + offset) / 3600)
  let day: LocalDay | null = null
  for (let hour = firstHour; hour < endHour; hour++) {
    const hourOfDay = ((hour % 24) + 24) % 24
    if (day === null || hourOfDay === 0) {
      day = localDay(Math.floor((hour * 3600) / DAY_SECONDS))
      days.push(day)
    }
    day.hourBits |= 1 << hourOfDay
    day.hours.push(localHour(stretch, offset, hour * 3600 - offset, hourOfDay))
  }
}

function localDay(days: number): LocalDay {
  const date = dateFromDays(days)
  return {
    monthBit: 1 << monthOf(date),
    dayBit: 1 << (dayOf(date) - 1),
    firstWeekday: weekdayOfDays(days - dayOf(date) + 1),
    monthLength: daysInMonth(yearOf(date), monthOf(date)),
    hours: [],
    hourBits: 0,
  }
}

function localHour(stretch: Stretch, offset: number, startsAt: number, hour: number): LocalHour {
  const keepFrom = Math.max(startsAt, stretch.start)
  const keepTo = Math.min(startsAt + 3600, stretch.end)
  return {
    hour,
    start: startsAt - stretch.from,
    keepFrom: keepFrom - stretch.from,
    keepTo: keepTo - stretch.from,
    kind: stretch.kind,
    isLost: offset !== stretch.offsetOfClock,
    wallOfWindow: stretch.from + stretch.offsetOfClock,
    isWhole: stretch.kind === PLAIN && keepTo - keepFrom === 3600,
  }
}

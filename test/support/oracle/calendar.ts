// Knows whether a second lies on an excluded local date, by writing the date and comparing texts.
import { type OffsetPeriod, offsetPeriods } from './zone.ts'

export interface OracleCalendar {
  name: string
  // "2026-12-25", "2026-12-24/2027-01-02" with both ends, or "12-25" for every year.
  dates: readonly string[]
}

const SECONDS_PER_DAY = 86400
// Offsets are looked up one such stretch at a time.
const STRETCH_SECONDS = 6 * 3600

export function excludedBy(calendars: readonly OracleCalendar[], zone: string): (second: number) => boolean {
  const texts = calendars.flatMap(({ dates }) => dates)
  if (texts.length === 0) return () => false
  const offsetOf = offsetsOf(zone)
  const isExcluded = new Map<number, boolean>()
  return (second) => {
    const epochDay = Math.floor((second + offsetOf(second)) / SECONDS_PER_DAY)
    const known = isExcluded.get(epochDay)
    if (known !== undefined) return known
    const date = new Date(epochDay * SECONDS_PER_DAY * 1000).toISOString().slice(0, '2026-12-25'.length)
    const found = texts.some((text) => covers(text, date))
    isExcluded.set(epochDay, found)
    return found
  }
}

function covers(text: string, date: string): boolean {
  if (/^\d\d-\d\d$/.test(text)) return date.endsWith(`-${text}`)
  const [first, last = first] = text.split('/')
  return first <= date && date <= last
}

function offsetsOf(zone: string): (second: number) => number {
  let start = Number.NaN
  let periods: OffsetPeriod[] = []
  return (second) => {
    if (!(second >= start && second < start + STRETCH_SECONDS)) {
      start = Math.floor(second / STRETCH_SECONDS) * STRETCH_SECONDS
      periods = offsetPeriods(zone, start, start + STRETCH_SECONDS)
    }
    const period = periods.find(({ toSecond }) => second < toSecond)
    if (period === undefined) throw new Error(`oracle: no offset in ${zone} at ${second}`)
    return period.offset
  }
}

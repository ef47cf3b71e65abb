// Knows which calendar days a pair of day fields (day of month, day of week) selects, item by item.
import { MONTH_DAY, readItem, readValue, WEEKDAY } from './fields.ts'

export interface CalendarDay {
  month: number
  day: number
  weekday: number
  daysInMonth: number
}

type DayTest = (date: CalendarDay) => boolean

const SECONDS_PER_DAY = 86400
const SUNDAY = 0
const SATURDAY = 6

export function calendarDay(epochDay: number): CalendarDay {
  const date = new Date(epochDay * SECONDS_PER_DAY * 1000)
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    daysInMonth: new Date(nextMonth - SECONDS_PER_DAY * 1000).getUTCDate(),
  }
}

function weekdayOf(day: number, date: CalendarDay): number {
  return (((date.weekday + day - date.day) % 7) + 7) % 7
}

function nearestWorkday(target: number, date: CalendarDay): number {
  const weekday = weekdayOf(target, date)
  if (weekday === SATURDAY) return target === 1 ? 3 : target - 1
  if (weekday === SUNDAY) return target === date.daysInMonth ? target - 2 : target + 1
  return target
}

function lastWorkday(date: CalendarDay): number {
  const weekday = weekdayOf(date.daysInMonth, date)
  if (weekday === SATURDAY) return date.daysInMonth - 1
  if (weekday === SUNDAY) return date.daysInMonth - 2
  return date.daysInMonth
}

function monthDayTest(item: string): DayTest {
  if (item === 'L') return (date) => date.day === date.daysInMonth
  if (item === 'LW') return (date) => date.day === lastWorkday(date)
  if (item.startsWith('L-')) {
    const before = Number(item.slice(2))
    return (date) => date.day === date.daysInMonth - before
  }
  if (item.endsWith('W')) {
    const target = readValue(item.slice(0, -1), MONTH_DAY)
    return (date) => target <= date.daysInMonth && date.day === nearestWorkday(target, date)
  }
  const days = new Set(readItem(item, MONTH_DAY))
  return (date) => days.has(date.day)
}

function weekdayTest(item: string): DayTest {
  if (item.includes('#')) {
    const [name, nth] = item.split('#')
    const weekday = readValue(name, WEEKDAY) % 7
    return (date) => date.weekday === weekday && Math.ceil(date.day / 7) === Number(nth)
  }
  if (item.endsWith('L')) {
    const weekday = readValue(item.slice(0, -1), WEEKDAY) % 7
    return (date) => date.weekday === weekday && date.day + 7 > date.daysInMonth
  }
  const weekdays = new Set(readItem(item, WEEKDAY).map((value) => value % 7))
  return (date) => weekdays.has(date.weekday)
}

export function dayTest(monthDayText: string, weekdayText: string): DayTest {
  const monthDayTests = monthDayText.split(',').map(monthDayTest)
  const weekdayTests = weekdayText.split(',').map(weekdayTest)
  const isRestricted = (text: string) => text !== '*' && text !== '?'
  const either = isRestricted(monthDayText) && isRestricted(weekdayText)
  return (date) => {
    const inMonth = monthDayTests.some((test) => test(date))
    const inWeek = weekdayTests.some((test) => test(date))
    return either ? inMonth || inWeek : inMonth && inWeek
  }
}

// Instants as text: ISO 8601 in and out. Inside, an instant is an epoch second, an integer.

import { InputError } from '../errors.ts'
import {
  DAY_SECONDS,
  dateFromDays,
  dayOf,
  daysFromDate,
  daysInMonth,
  FIRST_SECOND,
  LAST_SECOND,
  monthOf,
  yearOf,
} from './civil.ts'

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0')

function formatDays(days: number): string {
  const date = dateFromDays(days)
  return `${pad(yearOf(date), 4)}-${pad(monthOf(date))}-${pad(dayOf(date))}`
}

function formatTime(secondOfDay: number): string {
  return `${pad((secondOfDay / 3600) | 0)}:${pad(((secondOfDay / 60) | 0) % 60)}:${pad(secondOfDay % 60)}`
}

function formatWall(wall: number): string {
  const days = Math.floor(wall / DAY_SECONDS)
  return `${formatDays(days)}T${formatTime(wall - days * DAY_SECONDS)}`
}

export const formatInstant = (second: number): string => `${formatWall(second)}Z`

/** What clocks with this offset from UTC show, with the offset: 2026-03-08T03:30:00-04:00. */
export function formatLocal(second: number, offsetSeconds: number): string {
  const sign = offsetSeconds < 0 ? '-' : '+'
  const minutes = Math.round(Math.abs(offsetSeconds) / 60)
  return `${formatWall(second + offsetSeconds)}${sign}${pad((minutes / 60) | 0)}:${pad(minutes % 60)}`
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.0+)?)?(Z|[+-]\d\d:\d\d)$/

/** A calendar date as days since 1970, or null where there is no such date. */
export function parseDate(text: string): number | null {
  const parts = DATE.exec(text)
  if (parts === null) return null
  const [year, month, day] = parts.slice(1).map(Number)
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
  return exists ? daysFromDate(year, month, day) : null
}

export function parseInstant(text: string, field: string): number {
  const parts = INSTANT.exec(text)
  const days = parts === null ? null : parseDate(parts[1])
  if (parts === null || days === null) throw notAnInstant(text, field)
  const [hours, minutes, seconds] = [parts[2], parts[3], parts[4] ?? '0'].map(Number)
  const offset = offsetOf(parts[5])
  if (hours > 23 || minutes > 59 || seconds > 59 || offset === null) throw notAnInstant(text, field)
  const second = days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds - offset
  if (second < FIRST_SECOND || second > LAST_SECOND) {
    const remedy = 'Use a time from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59Z'
    throw new InputError({ code: 'time.range', field, value: text, problem: 'is out of range', remedy })
  }
  return second
}

function offsetOf(text: string): number | null {
  if (text === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4))]
  if (hours > 15 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}

function notAnInstant(text: string, field: string): InputError {
  const problem = 'is not a time with zone, to the second'
  const remedy = 'Use ISO 8601 with Z or an offset, such as 2026-12-01T09:00:00Z or 2026-12-01T10:00:00+01:00'
  return new InputError({ code: 'time.format', field, value: text, problem, remedy })
}

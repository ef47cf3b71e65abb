import { describe, expect, test } from 'vitest'
import type { ScheduleSpec } from '../../../shared/core/schedule/schedule.ts'
import { compileTiming } from '../../../shared/core/schedule/timing.ts'
import { between, NEVER } from '../../../shared/core/time/instants.ts'
import { at, iso, nextFew } from '../../support/time.ts'

const without = (dates: string[], schedule: ScheduleSpec) =>
  compileTiming({ jobId: 'j', schedules: [schedule], calendars: [{ name: 'holidays', dates }] }).start

test('a single date, a range and a day of every year are left out', () => {
  const start = without(['2026-12-21', '2026-12-23/2026-12-26', '12-28'], { cron: '0 9 * * *' })
  expect(nextFew(start, '2026-12-20T00:00:00Z', 5).map((text) => text.slice(5, 10))).toEqual([
    '12-20',
    '12-22',
    '12-27',
    '12-29',
    '12-30',
  ])
  expect(iso(start.previous(at('2026-12-27T00:00:00Z')))).toBe('2026-12-22T09:00:00Z')
})

test('the date is that of the schedule’s zone', () => {
  const start = without(['2026-12-25'], { cron: '0 22 * * *', zone: 'America/New_York' })
  expect(nextFew(start, '2026-12-25T00:00:00Z', 2)).toEqual(['2026-12-25T03:00:00Z', '2026-12-27T03:00:00Z'])
})

test('29 February of every year is a date of leap years', () => {
  expect(nextFew(without(['02-29'], { cron: '0 0 29,28 2 *' }), '2027-03-01T00:00:00Z', 2)).toEqual([
    '2028-02-28T00:00:00Z',
    '2029-02-28T00:00:00Z',
  ])
})

describe('an excluded day on which clocks move loses all of its instants and no others', () => {
  test.each([
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    ['America/Havana', '2026-11-01', 25],
    ['America/Havana', '2026-03-08', 23],
    ['Africa/Cairo', '2026-04-24', 23],
    ['Australia/Lord_Howe', '2026-10-04', 23.5],
    ['UTC', '2026-05-05', 24],
  ])('%s %s', (zone, date, hours) => {
    const schedule: ScheduleSpec = { cron: '*/10 * * * *', zone }
    const [from, to] = [at(`${date}T00:00:00Z`) - 3 * 86_400, at(`${date}T00:00:00Z`) + 4 * 86_400]
    const all: number[] = []
    between(without([], schedule), from, to, all)
    const kept: number[] = []
    between(without([date], schedule), from, to, kept)
    expect(all.length - kept.length).toBe(hours * 6)
    const backwards: number[] = []
    for (let t = without([date], schedule).previous(to); t >= from; t = without([date], schedule).previous(t))
      backwards.unshift(t)
    expect(backwards).toEqual(kept)
  })
})

test('a schedule that only has excluded dates never fires, in either direction', () => {
  const start = without(['12-25'], { cron: '0 0 25 12 *' })
  expect(start.next(at('2026-01-01T00:00:00Z'))).toBe(NEVER)
  expect(start.previous(at('2026-01-01T00:00:00Z'))).toBe(NEVER)
  const always = without(
    Array.from({ length: 366 }, (_, day) => iso(at('2000-01-01T00:00:00Z') + day * 86_400).slice(5, 10)),
    { every: 1 },
  )
  expect(always.next(at('2026-01-01T00:00:00Z'))).toBe(NEVER)
  expect(always.previous(at('2026-01-01T00:00:00Z'))).toBe(NEVER)
})

test('before the first instant there is nothing, calendar or not', () => {
  expect(without(['12-25'], { at: '2026-12-24T00:00:00Z' }).previous(at('2026-12-24T00:00:00Z'))).toBe(NEVER)
})

test('a calendar of many years is passed over, and what lies far ahead is not given up', () => {
  const long = without(['2026-01-01/2040-01-01'], { cron: '0 9 * * *' })
  expect(iso(long.next(at('2026-07-01T00:00:00Z')))).toBe('2040-01-02T09:00:00Z')
  expect(iso(long.previous(at('2039-12-31T00:00:00Z')))).toBe('2025-12-31T09:00:00Z')
  expect(iso(without(['12-25'], { at: '2090-01-01T00:00:00Z' }).next(at('2026-07-01T00:00:00Z')))).toBe(
    '2090-01-01T00:00:00Z',
  )
  const touching = without(
    ['2026-01-03/2026-01-05', '2026-01-01', '2026-01-02', '2026-01-04/2026-01-04', '2026-01-08'],
    { cron: '0 9 * * *' },
  )
  expect(nextFew(touching, '2025-12-31T12:00:00Z', 3).map((text) => text.slice(8, 10))).toEqual(['06', '07', '09'])
})

test.each([
  '2026-12-24/2027-01-02/x',
  '2026-02-30',
  '13-01',
  'christmas',
  '',
  '2026-12-26/2026-12-24',
  '2026-12-24/',
  '/2026-12-24',
])('%j is no date', (date) => {
  expect(() => without([date], { every: 60 })).toThrow(/^calendar holidays dates ".*": is not a date.*Use "2026-12-25"/)
})

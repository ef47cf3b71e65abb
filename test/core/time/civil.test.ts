import { expect, test } from 'vitest'
import {
  dateFromDays,
  dayOf,
  daysFromDate,
  daysInMonth,
  monthOf,
  weekdayOfDays,
  yearOf,
} from '../../../shared/core/time/civil.ts'

test('days and dates are the same both ways for 1600 to 2400, and agree with the platform', () => {
  for (let days = daysFromDate(1600, 1, 1); days < daysFromDate(2400, 1, 1); days++) {
    const date = dateFromDays(days)
    if (daysFromDate(yearOf(date), monthOf(date), dayOf(date)) !== days) expect.fail(`day ${days}`)
    if (days % 97 === 0) {
      const platform = new Date(days * 86_400_000)
      expect([yearOf(date), monthOf(date), dayOf(date), weekdayOfDays(days)]).toEqual([
        platform.getUTCFullYear(),
        platform.getUTCMonth() + 1,
        platform.getUTCDate(),
        platform.getUTCDay(),
      ])
    }
  }
})

test('February has 29 days in 2024 and 2000, 28 in 2023 and 2100', () => {
  expect([2024, 2000, 2023, 2100].map((year) => daysInMonth(year, 2))).toEqual([29, 29, 28, 28])
  expect([1, 4, 6, 9, 11, 12].map((month) => daysInMonth(2026, month))).toEqual([31, 30, 30, 30, 30, 31])
})

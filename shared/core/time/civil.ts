// The proleptic Gregorian calendar as integer arithmetic. It knows days and dates; it knows no zones.

export const DAY_SECONDS = 86_400

export const FIRST_SECOND = 0
/** 9999-12-31T23:59:59Z, the last second that ISO 8601 writes with four digits. */
export const LAST_SECOND = 253_402_300_799

export function daysFromDate(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = (((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) | 0) + day - 1
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** A date in one integer, so that the hot loops allocate nothing: see yearOf, monthOf and dayOf. */
export function dateFromDays(days: number): number {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0))
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return (year << 9) | (month << 5) | day
}

export const yearOf = (date: number): number => date >> 9
export const monthOf = (date: number): number => (date >> 5) & 15
export const dayOf = (date: number): number => date & 31

/** 0 is Sunday. Day 0, 1970-01-01, was a Thursday. */
export const weekdayOfDays = (days: number): number => (((days + 4) % 7) + 7) % 7

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

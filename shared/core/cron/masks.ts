// A compiled cron expression: eleven 32-bit words in a larger array, so that a hundred thousand of them are one block.
// It knows the layout of the words and which days of a month they match; it knows no zones and no text.

/** Words of one expression, at base + name. Seconds and minutes take two neighbours, 0-31 and 32-59. */
export const SECONDS_LOW = 0
export const SECONDS_HIGH = 1
export const MINUTES_LOW = 2
export const MINUTES_HIGH = 3
export const HOURS = 4
/** Bit d-1 is day d of the month. */
export const DAYS = 5
/** Bit m is month m. */
export const MONTHS = 6
/** Weekdays 0-6, last weekday of its kind 7-13, nth weekday 14-20, its n 21-23, then the flags below. */
export const WEEKDAYS = 7
/** Bit n is the nth day before the last: L is bit 0. */
export const LAST_DAYS = 8
/** Bit d-1 is the weekday nearest to day d. */
export const NEAREST = 9
/** Zone and DST rule as a shape table numbers them; 0 for an expression that stands alone. */
export const RULE = 10
export const WORDS = 11

export const DAYS_RESTRICTED = 1 << 24
export const WEEKDAYS_RESTRICTED = 1 << 25
export const LAST_WEEKDAY = 1 << 26
/** The hours are all 24: the schedule follows elapsed time. */
export const ALL_HOURS = 1 << 27
/** Some days are counted from the end of the month or moved to a weekday: the slow path of matchingDays. */
export const DAYS_MOVE = 1 << 28

export const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)
export const highestBit = (bits: number): number => 31 - Math.clz32(bits)

const monthBits = (length: number): number => 0x7fffffff >>> (31 - length)

/** Seven bits by weekday become the days of a month whose first day is the given weekday. */
function daysOfWeekdays(weekdays: number, firstWeekday: number): number {
  const week = ((weekdays >>> firstWeekday) | (weekdays << (7 - firstWeekday))) & 127
  return week | (week << 7) | (week << 14) | (week << 21) | (week << 28)
}

/** The day from Monday to Friday that is nearest to a day of the same month; 0 where the month has no such day. */
function nearestWeekday(day: number, firstWeekday: number, length: number): number {
  if (day > length) return 0
  const weekday = (firstWeekday + day - 1) % 7
  if (weekday === 6) return day > 1 ? day - 1 : 3
  if (weekday === 0) return day < length ? day + 1 : day - 2
  return day
}

/** Days counted from the end, and nearest weekdays: rare, so kept out of the common path. */
function movingDays(words: Int32Array, base: number, firstWeekday: number, length: number): number {
  let days = 0
  for (let left = words[base + LAST_DAYS]; left !== 0; left &= left - 1) {
    const day = length - lowestBit(left)
    if (day >= 1) days |= 1 << (day - 1)
  }
  for (let left = words[base + NEAREST]; left !== 0; left &= left - 1) {
    const day = nearestWeekday(lowestBit(left) + 1, firstWeekday, length)
    if (day >= 1) days |= 1 << (day - 1)
  }
  if ((words[base + WEEKDAYS] & LAST_WEEKDAY) !== 0) {
    days |= 1 << (nearestWeekday(length, firstWeekday, length) - 1)
  }
  return days
}

/** Bit d-1 is set where day d of a month of this length, starting on this weekday, matches. */
export function matchingDays(words: Int32Array, base: number, firstWeekday: number, length: number): number {
  const week = words[base + WEEKDAYS]
  let byDate = words[base + DAYS]
  if ((week & DAYS_MOVE) !== 0) byDate |= movingDays(words, base, firstWeekday, length)
  let byWeekday = daysOfWeekdays(week & 127, firstWeekday)
  const special = (week >>> 7) & 0x3fff
  if (special !== 0) {
    const lastSeven = 127 << (length - 7)
    const nthSeven = 127 << (((week >>> 21) & 7) * 7 - 7)
    byWeekday |= daysOfWeekdays(special & 127, firstWeekday) & lastSeven
    byWeekday |= daysOfWeekdays(special >>> 7, firstWeekday) & nthSeven
  }
  const bothRestricted = (week & (DAYS_RESTRICTED | WEEKDAYS_RESTRICTED)) === (DAYS_RESTRICTED | WEEKDAYS_RESTRICTED)
  const days = bothRestricted ? byDate | byWeekday : byDate & byWeekday
  return days & monthBits(length)
}

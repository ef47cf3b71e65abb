// All shapes of a table over one window at once. The local hours of each zone are laid out first, with gaps and folds
// as data, so that the loop over the shapes has no dates and no zones in it, only bits.

import { isShiftedInto, isSkipped } from '../cron/cron.ts'
import { HOURS, lowestBit, MINUTES_LOW, MONTHS, matchingDays, RULE, SECONDS_LOW, WORDS } from '../cron/masks.ts'
import { wallFrom } from '../cron/wall-clock.ts'
import { untilPhase } from '../schedule/every.ts'
import { type LocalDay, type LocalHour, layOutHours } from './local-hours.ts'
import { EVERY, jumpRuleOf, type ShapeTable, zoneNumberOf } from './shape-table.ts'

export interface Expansion {
  /** Seconds after the start of the window, grouped by shape. */
  readonly fires: Int32Array
  /** Where the fires of each shape begin; one more at the end. */
  readonly starts: Int32Array
}

const HOUR_SECONDS = 3600

/** Expands every shape over [from, to), or answers null where that is more than `limit` fires. */
export function expandShapes(table: ShapeTable, from: number, to: number, limit: number): Expansion | null {
  const { words, zones, size } = table
  const days = zones.map((zone) => layOutHours(zone, from, to))
  const starts = new Int32Array(size + 1)
  let fires = new Int32Array(size + HOUR_SECONDS)
  let count = 0
  for (let shape = 0; shape < size; shape++) {
    const base = shape * WORDS
    const rule = words[base + RULE]
    if (rule === EVERY) {
      const needed = Math.ceil((to - from) / words[base])
      if (count + needed > fires.length) fires = grown(fires, count + needed)
      count = everyFires(words, base, from, to, fires, count)
    } else {
      const hours = words[base + HOURS]
      for (const day of days[zoneNumberOf(rule)]) {
        // Most daily and weekly shapes are not due in this hour of the day: the cheapest question comes first.
        if ((hours & day.hourBits) === 0 || !dayMatches(words, base, day)) continue
        for (const hour of day.hours) {
          if (((hours >>> hour.hour) & 1) === 0) continue
          if (count + HOUR_SECONDS > fires.length) fires = grown(fires, count + HOUR_SECONDS)
          count = hourFires(words, base, jumpRuleOf(rule), hour, fires, count)
        }
      }
    }
    if (count > limit) return null
    starts[shape + 1] = count
  }
  return { fires, starts }
}

function grown(fires: Int32Array<ArrayBuffer>, needed: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(needed, fires.length * 2))
  larger.set(fires)
  return larger
}

const dayMatches = (words: Int32Array, base: number, day: LocalDay): boolean =>
  (words[base + MONTHS] & day.monthBit) !== 0 &&
  (matchingDays(words, base, day.firstWeekday, day.monthLength) & day.dayBit) !== 0

function everyFires(words: Int32Array, base: number, from: number, to: number, fires: Int32Array, at: number): number {
  const interval = words[base]
  let count = at
  for (let second = untilPhase(from, interval, words[base + 1]); second < to - from; second += interval)
    fires[count++] = second
  return count
}

/** Writes the fires of one local hour. Most are at second 0 of some minutes of a whole hour. */
function hourFires(
  words: Int32Array,
  base: number,
  jumpRule: number,
  hour: LocalHour,
  fires: Int32Array,
  at: number,
): number {
  const onlyAtZero = words[base + SECONDS_LOW] === 1 && words[base + SECONDS_LOW + 1] === 0
  let count = at
  for (let half = 0; half < 2; half++) {
    const halfStart = hour.start + half * 32 * 60
    for (let minutes = words[base + MINUTES_LOW + half]; minutes !== 0; minutes &= minutes - 1) {
      const minuteStart = halfStart + lowestBit(minutes) * 60
      if (onlyAtZero) fires[count++] = minuteStart
      else count = minuteFires(words, base, minuteStart, fires, count)
    }
  }
  return hour.isWhole ? count : keepInside(words, base, jumpRule, hour, fires, at, count)
}

function minuteFires(words: Int32Array, base: number, start: number, fires: Int32Array, at: number): number {
  let count = at
  for (let seconds = words[base + SECONDS_LOW]; seconds !== 0; seconds &= seconds - 1)
    fires[count++] = start + lowestBit(seconds)
  for (let seconds = words[base + SECONDS_LOW + 1]; seconds !== 0; seconds &= seconds - 1) {
    fires[count++] = start + 32 + lowestBit(seconds)
  }
  return count
}

/** An hour that the window or a jump of the clock cuts: drops what lies outside, or belongs to the other pass. */
function keepInside(
  words: Int32Array,
  base: number,
  jumpRule: number,
  hour: LocalHour,
  fires: Int32Array,
  at: number,
  end: number,
): number {
  if (isSkipped(hour.kind, jumpRule) || (hour.isLost && !isShiftedInto(hour.kind, jumpRule))) return at
  let count = at
  for (let index = at; index < end; index++) {
    const fire = fires[index]
    if (fire < hour.keepFrom || fire >= hour.keepTo) continue
    // A time shifted out of a gap may land on one that is due by itself: that is one instant, and it is there already.
    const wall = hour.wallOfWindow + fire
    if (hour.isLost && wallFrom(words, base, wall) === wall) continue
    fires[count++] = fire
  }
  return count
}

// Which seconds of a day a compiled expression matches, forwards and backwards. It knows hours, minutes and seconds only.

import { HOURS, highestBit, lowestBit, MINUTES_HIGH, MINUTES_LOW, SECONDS_LOW } from './masks.ts'

export const NONE = -1

/** The least of a set of 0-59 that is at or after `from` (up to 60), or NONE. */
function valueFrom(words: Int32Array, low: number, from: number): number {
  const lowLeft = from < 32 ? words[low] & (-1 << from) : 0
  if (lowLeft !== 0) return lowestBit(lowLeft)
  const highLeft = from <= 32 ? words[low + 1] : words[low + 1] & (-1 << (from - 32))
  return highLeft !== 0 ? 32 + lowestBit(highLeft) : NONE
}

/** The greatest of a set of 0-59 that is at or before `to` (down to -1), or NONE. */
function valueUpTo(words: Int32Array, low: number, to: number): number {
  const highLeft = to >= 32 ? words[low + 1] & (-1 >>> (63 - to)) : 0
  if (highLeft !== 0) return 32 + highestBit(highLeft)
  const lowLeft = to >= 31 ? words[low] : words[low] & ((1 << (to + 1)) - 1)
  return lowLeft !== 0 ? highestBit(lowLeft) : NONE
}

const hasMinute = (words: Int32Array, base: number, minute: number): boolean =>
  ((minute < 32 ? words[base + MINUTES_LOW] >>> minute : words[base + MINUTES_HIGH] >>> (minute - 32)) & 1) !== 0

function firstOfHour(words: Int32Array, base: number): number {
  return valueFrom(words, base + MINUTES_LOW, 0) * 60 + valueFrom(words, base + SECONDS_LOW, 0)
}

function lastOfHour(words: Int32Array, base: number): number {
  return valueUpTo(words, base + MINUTES_LOW, 59) * 60 + valueUpTo(words, base + SECONDS_LOW, 59)
}

export function firstTime(words: Int32Array, base: number): number {
  return lowestBit(words[base + HOURS]) * 3600 + firstOfHour(words, base)
}

export function lastTime(words: Int32Array, base: number): number {
  return highestBit(words[base + HOURS]) * 3600 + lastOfHour(words, base)
}

/** The least matching second of a day at or after `secondOfDay`, or NONE. */
export function timeFrom(words: Int32Array, base: number, secondOfDay: number): number {
  const hour = (secondOfDay / 3600) | 0
  const hours = words[base + HOURS]
  if ((hours & (1 << hour)) !== 0) {
    const minute = ((secondOfDay / 60) | 0) - hour * 60
    if (hasMinute(words, base, minute)) {
      const second = valueFrom(words, base + SECONDS_LOW, secondOfDay - hour * 3600 - minute * 60)
      if (second !== NONE) return hour * 3600 + minute * 60 + second
    }
    const later = valueFrom(words, base + MINUTES_LOW, minute + 1)
    if (later !== NONE) return hour * 3600 + later * 60 + valueFrom(words, base + SECONDS_LOW, 0)
  }
  const laterHours = hours & (-2 << hour)
  return laterHours !== 0 ? lowestBit(laterHours) * 3600 + firstOfHour(words, base) : NONE
}

/** The greatest matching second of a day at or before `secondOfDay`, or NONE. */
export function timeUpTo(words: Int32Array, base: number, secondOfDay: number): number {
  const hour = (secondOfDay / 3600) | 0
  const hours = words[base + HOURS]
  if ((hours & (1 << hour)) !== 0) {
    const minute = ((secondOfDay / 60) | 0) - hour * 60
    if (hasMinute(words, base, minute)) {
      const second = valueUpTo(words, base + SECONDS_LOW, secondOfDay - hour * 3600 - minute * 60)
      if (second !== NONE) return hour * 3600 + minute * 60 + second
    }
    const earlier = valueUpTo(words, base + MINUTES_LOW, minute - 1)
    if (earlier !== NONE) return hour * 3600 + earlier * 60 + valueUpTo(words, base + SECONDS_LOW, 59)
  }
  const earlierHours = hours & ((1 << hour) - 1)
  return earlierHours !== 0 ? highestBit(earlierHours) * 3600 + lastOfHour(words, base) : NONE
}

// Knows the clock change nearest to an instant and its shape: gap or fold, how long, and which wall-clock times.
import { transitionsBetween } from '../support/oracle/zone.ts'

export interface ClockChange {
  kind: 'gap' | 'fold'
  atSecond: number
  lengthSeconds: number
  // The wall-clock times that are missing or come twice: [wallFrom, wallTo), as if they were UTC.
  wallFrom: number
  wallTo: number
}

// Further away than a day and a bit no clock change can excuse a difference; the longest, in Samoa, was 24 hours.
export const REACH_SECONDS = 26 * 3600
const SECONDS_PER_DAY = 86400
const SECONDS_PER_HOUR = 3600

export function clockChangeNear(zone: string, second: number): ClockChange | undefined {
  const [nearest] = transitionsBetween(zone, second - REACH_SECONDS, second + REACH_SECONDS).sort(
    (a, b) => Math.abs(a.atSecond - second) - Math.abs(b.atSecond - second),
  )
  if (nearest === undefined) return undefined
  const walls = [nearest.atSecond + nearest.offsetBefore, nearest.atSecond + nearest.offsetAfter]
  return {
    kind: nearest.offsetAfter > nearest.offsetBefore ? 'gap' : 'fold',
    atSecond: nearest.atSecond,
    lengthSeconds: Math.abs(nearest.offsetAfter - nearest.offsetBefore),
    wallFrom: Math.min(...walls),
    wallTo: Math.max(...walls),
  }
}

// From one hour before the first wall-clock time that the change touches to one hour after the last: libraries go
// through the clock by the hour, so this is where their mistakes can be.
export function isTouched({ kind, atSecond, lengthSeconds }: ClockChange, second: number): boolean {
  const first = kind === 'gap' ? atSecond : atSecond - lengthSeconds
  return second >= first - SECONDS_PER_HOUR && second < atSecond + lengthSeconds + SECONDS_PER_HOUR
}

export function isOfOneHour({ lengthSeconds }: ClockChange): boolean {
  return lengthSeconds === SECONDS_PER_HOUR
}

export function isOnTheHour({ wallFrom }: ClockChange): boolean {
  return wallFrom % SECONDS_PER_HOUR === 0
}

export function holdsMidnight({ wallFrom, wallTo }: ClockChange): boolean {
  return Math.ceil(wallFrom / SECONDS_PER_DAY) * SECONDS_PER_DAY < wallTo
}

export function endsAtMidnight({ wallTo }: ClockChange): boolean {
  return wallTo % SECONDS_PER_DAY === 0
}

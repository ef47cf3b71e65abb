// How schedules are made of schedules: several as one, within bounds, later by a while.

import { type Instants, NEVER } from '../time/instants.ts'

/** Due when any of them is; two that fall on one second are one instant. */
export function unionOf(all: readonly Instants[]): Instants {
  if (all.length === 1) return all[0]
  return {
    next(after) {
      let first = NEVER
      for (const instants of all) {
        const next = instants.next(after)
        if (next !== NEVER && (first === NEVER || next < first)) first = next
      }
      return first
    },
    previous: (before) => all.reduce((last, instants) => Math.max(last, instants.previous(before)), NEVER),
  }
}

/** Only those of [first, last], both included. */
export function boundedBy(instants: Instants, first: number, last: number): Instants {
  return {
    next(after) {
      const next = instants.next(Math.max(after, first - 1))
      return next <= last ? next : NEVER
    },
    previous(before) {
      const previous = instants.previous(Math.min(before, last + 1))
      return previous >= first ? previous : NEVER
    },
  }
}

/** The same, later by a fixed number of seconds. */
export function delayedBy(instants: Instants, seconds: number): Instants {
  const later = (t: number) => (t === NEVER ? NEVER : t + seconds)
  return {
    next: (after) => later(instants.next(after - seconds)),
    previous: (before) => later(instants.previous(before - seconds)),
  }
}

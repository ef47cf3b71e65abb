// What every kind of schedule can answer. Times are epoch seconds.

/** There is no such instant. */
export const NEVER = -1

export interface Instants {
  /** The first instant after a second, or NEVER. */
  next(after: number): number
  /** The last instant before a second, or NEVER. */
  previous(before: number): number
}

/** Appends the instants of [from, to) to the caller's array, in order. */
export function between(instants: Pick<Instants, 'next'>, from: number, to: number, out: number[]): void {
  for (let t = instants.next(from - 1); t !== NEVER && t < to; t = instants.next(t)) out.push(t)
}

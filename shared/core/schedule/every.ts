// A fixed interval: anchor + n · interval for every whole n. Never "the last one plus the interval", so it cannot drift.

import { FIRST_SECOND, LAST_SECOND } from '../time/civil.ts'
import type { Instants } from '../time/instants.ts'
import { NEVER } from '../time/instants.ts'

/** Ten years; a longer interval is better said as a cron expression. */
export const LONGEST_INTERVAL_SECONDS = 315_576_000

/** Seconds from a second to the next one with the given phase; 0 where it has it. */
export function untilPhase(second: number, intervalSeconds: number, phaseSeconds: number): number {
  const ahead = (phaseSeconds - second) % intervalSeconds
  return ahead < 0 ? ahead + intervalSeconds : ahead
}

export class Every implements Instants {
  readonly intervalSeconds: number
  readonly phaseSeconds: number

  constructor(intervalSeconds: number, anchor: number) {
    this.intervalSeconds = intervalSeconds
    this.phaseSeconds = anchor % intervalSeconds
  }

  next(after: number): number {
    const from = Math.max(after + 1, FIRST_SECOND)
    const found = from + untilPhase(from, this.intervalSeconds, this.phaseSeconds)
    return found <= LAST_SECOND ? found : NEVER
  }

  previous(before: number): number {
    const to = Math.min(before - 1, LAST_SECOND)
    const behind = (to - this.phaseSeconds) % this.intervalSeconds
    const found = to - (behind < 0 ? behind + this.intervalSeconds : behind)
    return found >= FIRST_SECOND ? found : NEVER
  }
}

// One moment of the ring, as data to draw or print. It knows no terminal and no clock.

import type { Zone } from '../../shared/core/time/zone.ts'

export const SLOTS = 60
/** The hand parts the ring: behind it stands what fired, before it what is to come. */
export const SECONDS_AHEAD = 30

/** One second of the ring. */
export interface Slot {
  /** Runs that are due in it, where it lies ahead. */
  readonly due: number
  /** Runs of it that began, where it lies behind. */
  readonly fired: number
}

export interface JobView {
  readonly name: string
  readonly explanation: string
  /** The first instant within the seconds ahead, or NEVER. */
  readonly nextInstant: number
  readonly firedCount: number
  /** Null until the job fired. */
  readonly worstLatenessMs: number | null
}

export type Happening =
  /** The lateness is null while it is not known yet: of a run that is still running. */
  | {
      readonly type: 'fired'
      readonly second: number
      readonly name: string
      readonly attempt: number
      readonly latenessMs: number | null
    }
  /** So many in one second that they are not named. */
  | { readonly type: 'many'; readonly second: number; readonly count: number }
  | { readonly type: 'missed'; readonly second: number; readonly count: number }

/** Since the start; latenesses of the last minute. */
export interface Figures {
  readonly fired: number
  readonly running: number
  readonly failed: number
  readonly missed: number
  /** Null where none fired in the last minute. */
  readonly lateness: { readonly p50Ms: number; readonly p99Ms: number } | null
}

export interface RingView {
  readonly second: number
  /** Whose wall clock the times are shown in. */
  readonly zone: Zone
  readonly slots: readonly Slot[]
  /** The first run of any job after this second, or NEVER. */
  readonly nextRun: number
  readonly jobs: readonly JobView[]
  /** Newest first. */
  readonly latest: readonly Happening[]
  readonly figures: Figures
}

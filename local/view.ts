// One moment of the ring, as data to draw or print. It knows no terminal and no clock.

import type { Zone } from '../shared/core/time/zone.ts'

export const SLOTS = 60
/** Runs of the coming seconds that a ticker has read already and holds on its ring. */
export const PRE_READ_SECONDS = 5

export interface Slot {
  /** Runs inside the pre-read window, and those of the rest of the coming minute. */
  readonly soon: number
  readonly later: number
}

export interface JobView {
  readonly name: string
  readonly explanation: string
  readonly zone: Zone
  /** The first instant after the view's second, or NEVER. */
  readonly nextInstant: number
  readonly firedCount: number
  /** Null until the job fired. */
  readonly worstLatenessMs: number | null
}

export type Happening =
  | { readonly type: 'fired'; readonly second: number; readonly name: string; readonly latenessMs: number }
  | { readonly type: 'missed'; readonly second: number; readonly count: number }

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
}

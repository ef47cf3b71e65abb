// How late is late. A run of a second that was opened in time is fired, unless its job does not want it so late.

import type { JobVersion } from '../job/version.ts'
import { LIVE_SECONDS } from '../timings.ts'
import type { DueItem } from './due.ts'

export type Firing = 'fired' | 'missed'

/** DO_NOTHING is a lateness of ten seconds at most; otherwise the job says, or nothing does. */
export function latestStartSeconds(version: JobVersion): number {
  const own = version.maxLatenessSeconds ?? Number.POSITIVE_INFINITY
  return version.misfire.policy === 'DO_NOTHING' ? Math.min(own, LIVE_SECONDS) : own
}

/** What a live run needs that is this many seconds old: its second was opened in time, however late it is sent. */
export function firingOf(item: DueItem, ageSeconds: number): Firing {
  const latest = item.kind === 'start' ? latestStartSeconds(item.version) : LIVE_SECONDS
  return ageSeconds > latest ? 'missed' : 'fired'
}

// How late is late. A second that is at most ten seconds old is fired, in its slot or at once; an older one is a matter
// of the job's misfire rule.

import type { JobVersion } from '../job/version.ts'
import type { DueItem } from './due.ts'

/** The ring looks at the current slot and this many before it. */
const SLOTS_BEHIND = 2
/** A second up to this old, when it is opened, is live; an older one is a gap. Stops and restarts are dropped beyond it. */
export const LIVE_SECONDS = 10

export type Firing = 'in its slot' | 'at once' | 'missed'

/** DO_NOTHING is a lateness of ten seconds at most; otherwise the job says, or nothing does. */
export function latestStartSeconds(version: JobVersion): number {
  const own = version.maxLatenessSeconds ?? Number.POSITIVE_INFINITY
  return version.misfire.policy === 'DO_NOTHING' ? Math.min(own, LIVE_SECONDS) : own
}

/** What a live run needs that is this many seconds old: its second was opened in time, however late it is sent. */
export function firingOf(item: DueItem, ageSeconds: number): Firing {
  const latest = item.kind === 'start' ? latestStartSeconds(item.version) : LIVE_SECONDS
  if (ageSeconds > latest) return 'missed'
  return ageSeconds <= SLOTS_BEHIND ? 'in its slot' : 'at once'
}

// How one due instant stands in the ledger: the question that audit and verify share.

import { deadFrom, isDead } from '../claim.ts'
import type { PageEntry } from '../pages/entry.ts'
import { isTerminal, type RunStatus } from '../run/status.ts'

/** What the ledger holds for a job and a second. */
export interface Found {
  /** The entry in the page of the second. */
  readonly page: PageEntry | null
  /** The status of the run item under the bare second, which only a gap may have. */
  readonly gapRun: RunStatus | null
  /** An item in the list of open runs, or a catch-up cursor over the second, says that a ticker will come back to it. */
  readonly isOpen: boolean
  /** A record of missed instants covers the second. */
  readonly isCountedMissed: boolean
}

export const NOTHING_FOUND: Found = { page: null, gapRun: null, isOpen: false, isCountedMissed: false }

export type Standing =
  /** Ended, or recorded as never to run. */
  | 'fine'
  /** Not ended, and a ticker will come back to it; an executor may have claimed it. */
  | 'open'
  /** Claimed, and its executor has time left. */
  | 'running'
  /** Claimed by an executor that is gone. */
  | 'dead'
  /** Due, and there is nothing that would make it run. */
  | 'missing'
  /** Two records of one instant. */
  | 'doubled'

/** A live second lives on its page, a gap on run items; the depth map says which, and the other place must be empty. */
export function standingOf(found: Found, isLive: boolean, now: number): Standing {
  const { page, gapRun, isOpen, isCountedMissed } = found
  const records = [page !== null, gapRun !== null, isCountedMissed].filter((each) => each).length
  const isInTheWrongPlace = isLive ? gapRun !== null || isCountedMissed : page !== null
  if (records > 1 || isInTheWrongPlace) return 'doubled'
  if (isCountedMissed) return 'fine'
  const status = isLive ? (page?.status ?? null) : gapRun
  if (status !== null && isTerminal(status)) return 'fine'
  if (isOpen) return 'open'
  if (page?.status === 'RUNNING') return isDead(page, now) ? 'dead' : 'running'
  return 'missing'
}

/** For how long the claim of a run has been dead; 0 where it is not. */
export const deadSecondsOf = ({ page }: Found, now: number): number =>
  page?.status === 'RUNNING' ? Math.max(0, now - deadFrom(page)) : 0

// Which executor may run a run: when a claim ends, when another may take it over, and what a message does about the entry that it
// finds. All times are the store's, so that a wrong clock frees nothing early.

import type { Retry } from './job/job.ts'
import type { Lane } from './lanes.ts'
import type { ClaimEntry, OutcomeEntry, PageEntry } from './pages/entry.ts'
import { hasAttemptLeft } from './retry.ts'
import {
  DEADLINE_GRACE_SECONDS,
  RENEWED_CLAIM_SECONDS,
  START_MARGIN_SECONDS,
  TAKE_OVER_GRACE_SECONDS,
} from './timings.ts'

export const deadlineOf = (claimedAt: number, timeoutSeconds: number, lane: Lane): number =>
  claimedAt + (lane === 'slow' ? RENEWED_CLAIM_SECONDS : timeoutSeconds + DEADLINE_GRACE_SECONDS)

/** A run whose claim is so old that it might outlive its deadline is claimed anew before it starts. */
export const mayStart = (claimedAt: number, now: number): boolean => now < claimedAt + START_MARGIN_SECONDS

/** The second from which on others may take a claim over, unless it is renewed. */
export const deadFrom = ({ deadlineSecond }: ClaimEntry): number => deadlineSecond + TAKE_OVER_GRACE_SECONDS

export const isDead = (claim: ClaimEntry, now: number): boolean => now >= deadFrom(claim)

/** It has not ended, has no live claim, and waits neither in line nor for another attempt: the audit comes back to those that wait. */
export function isNobodys(found: PageEntry | null, now: number): boolean {
  switch (found?.status) {
    case undefined:
      return true
    case 'RUNNING':
      return isDead(found, now)
    case 'QUEUED':
      return found.attempt === 1
    default:
      return false
  }
}

/** By when a run that holds its job's lock is surely over: it started soon after its claim, and then ran into its timeout. */
export const lockDeadlineOf = (claimedAt: number, timeoutSeconds: number): number =>
  claimedAt + START_MARGIN_SECONDS + timeoutSeconds + DEADLINE_GRACE_SECONDS

/** Which attempt a message is about, and from which second on it may start. */
export interface ClaimRequest {
  readonly attempt: number
  readonly notBefore: number | null
  /** The message names an item in the list of open runs. What a ticker sends because it is due names none. */
  readonly isListed: boolean
}

export type ClaimDecision =
  | { readonly do: 'CLAIM'; readonly attempt: number }
  /** Its executor is gone and no attempt is left. */
  | { readonly do: 'LOSE'; readonly attempt: number }
  /** It has ended: what follows its end is done once more, in case that was cut short. */
  | { readonly do: 'REPEAT'; readonly ended: OutcomeEntry }
  | { readonly do: 'PUT_BACK'; readonly inSeconds: number }
  /** An executor has claimed it, it waits in line, or the message is of an attempt that is over. */
  | { readonly do: 'LEAVE' }

export function decideClaim(found: PageEntry | null, asked: ClaimRequest, retry: Retry, now: number): ClaimDecision {
  if (found === null) return claimFrom(1, asked, now)
  switch (found.status) {
    case 'WAITING':
      // What waits was listed before, and is sent from the list or when its turn comes. A ticker that fell behind sends it many times
      // more; each copy would claim it, list it once more and put it back in line.
      return asked.isListed ? claimFrom(found.attempt, asked, now) : { do: 'LEAVE' }
    case 'QUEUED':
      return claimFrom(found.attempt, asked, now)
    case 'RUNNING':
      if (!isDead(found, now)) return { do: 'LEAVE' }
      return hasAttemptLeft(retry, found.attempt)
        ? { do: 'CLAIM', attempt: found.attempt + 1 }
        : { do: 'LOSE', attempt: found.attempt }
    default:
      return { do: 'REPEAT', ended: found }
  }
}

function claimFrom(attempt: number, asked: ClaimRequest, now: number): ClaimDecision {
  // The executor that ended the earlier attempt has sent another message for this one.
  if (asked.attempt < attempt) return { do: 'LEAVE' }
  if (asked.notBefore !== null && now < asked.notBefore) return { do: 'PUT_BACK', inSeconds: asked.notBefore - now }
  return { do: 'CLAIM', attempt }
}

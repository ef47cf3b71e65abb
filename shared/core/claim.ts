// When a claim ends and who may take it over. All times are the store's, so that a wrong clock frees nothing early.

import type { ClaimEntry } from './pages/entry.ts'

const DEADLINE_GRACE_SECONDS = 10
const START_MARGIN_SECONDS = 5
const TAKE_OVER_GRACE_SECONDS = 5

export const deadlineOf = (claimedAt: number, timeoutSeconds: number): number =>
  claimedAt + timeoutSeconds + DEADLINE_GRACE_SECONDS

/** A run whose claim is so old that it might outlive its deadline is claimed anew before it starts. */
export const mayStart = (deadline: number, timeoutSeconds: number, now: number): boolean =>
  now < deadline - timeoutSeconds - START_MARGIN_SECONDS

export const isDead = (claim: ClaimEntry, now: number): boolean => now >= claim.deadlineSecond + TAKE_OVER_GRACE_SECONDS

/** Without a sign of life for so long whoever runs a slow run is gone. */
const DEAD_AFTER_MS = 20_000

export const isBeating = ({ beatMs }: { readonly beatMs: number | null }, nowMs: number): boolean =>
  beatMs !== null && nowMs - beatMs < DEAD_AFTER_MS

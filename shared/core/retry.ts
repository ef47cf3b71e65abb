// Another attempt after a failed one: how many, and how long to wait.

import type { Retry } from './job/job.ts'

/** Attempts are counted from 1; `retry.attempts` are those after the first. */
export const hasAttemptLeft = (retry: Retry, attempt: number): boolean => attempt <= retry.attempts

/**
 * Seconds to wait after a failed attempt: doubling from delay up to maxDelay, and of that the upper half by chance, so that
 * jobs that failed together do not come back together. `random` is in [0, 1).
 */
export function backoffSeconds(retry: Retry, attempt: number, random: number): number {
  const longest = Math.min(retry.maxDelay, retry.delay * 2 ** Math.min(attempt - 1, 40))
  return Math.ceil(longest / 2 + (longest / 2) * random)
}

// What the end of an attempt means: the outcome, or another attempt. And what follows the end of a run.

import type { Job, Retry } from '../job/job.ts'
import type { OutcomeEntry } from '../pages/entry.ts'
import { backoffSeconds, hasAttemptLeft } from '../retry.ts'
import { isFailure, type RunStatus } from './status.ts'

export type OutcomeStatus = OutcomeEntry['status']

/** Seconds until the next attempt, or null where this was the last. `random` is in [0, 1). */
export function retryAfter(status: OutcomeStatus, attempt: number, retry: Retry, random: number): number | null {
  const isWorthAnother = status === 'FAILED' || status === 'TIMED_OUT'
  return isWorthAnother && hasAttemptLeft(retry, attempt) ? backoffSeconds(retry, attempt, random) : null
}

/** The jobs that a run's end triggers. */
export function triggeredBy(status: RunStatus, then: Job['then']): string[] {
  const on = isFailure(status) ? 'failure' : status === 'SUCCEEDED' ? 'success' : null
  return then.filter((each) => each.on === on).map(({ job }) => job)
}

// The life of a run: its states and the legal steps between them, as one table. docs/state-machine.md draws it, and a
// test holds the two together.

export const STATUSES = [
  'QUEUED',
  'WAITING',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'DISCARDED',
  'SKIPPED',
  'EXPIRED',
  'MISSED',
  'LOST',
] as const

export type RunStatus = (typeof STATUSES)[number]

/**
 * QUEUED: sent, or to be sent again. RUNNING: claimed, which comes before the rules of its job are asked, so it may yet wait or end
 * without a start. RUNNING to RUNNING: its executor died and another took it over as the next attempt. RUNNING to QUEUED: the attempt failed and another
 * is left, or it was given back. A run that no executor started ends as FAILED where its message is poison or a queue refuses it.
 */
export const NEXT_STATUSES: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  QUEUED: ['RUNNING', 'SKIPPED', 'MISSED', 'CANCELLED', 'FAILED'],
  WAITING: ['RUNNING', 'CANCELLED', 'FAILED'],
  RUNNING: [
    'SUCCEEDED',
    'FAILED',
    'TIMED_OUT',
    'CANCELLED',
    'LOST',
    'QUEUED',
    'RUNNING',
    'WAITING',
    'DISCARDED',
    'SKIPPED',
    'EXPIRED',
    'MISSED',
  ],
  SUCCEEDED: [],
  FAILED: [],
  TIMED_OUT: [],
  CANCELLED: [],
  DISCARDED: [],
  SKIPPED: [],
  EXPIRED: [],
  MISSED: [],
  LOST: [],
}

export const isTerminal = (status: RunStatus): boolean => NEXT_STATUSES[status].length === 0

export const canBecome = (from: RunStatus, to: RunStatus): boolean => NEXT_STATUSES[from].includes(to)

/** What an operator should look at. */
const FAILURES: readonly RunStatus[] = ['FAILED', 'TIMED_OUT', 'LOST']

export const isFailure = (status: RunStatus): boolean => FAILURES.includes(status)

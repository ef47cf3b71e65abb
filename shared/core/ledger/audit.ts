// Compares what was due with what the ledger holds, and says what to send again. This is how a wiped queue heals and a
// dead executor's runs come back.

import { firingOf } from '../planner/misfire.ts'
import type { PlannedRun } from '../planner/snapshot.ts'
import type { OpenRun } from '../run/record.ts'
import {
  AUDIT_CHUNK_SECONDS,
  AUDITED_AFTER_SECONDS,
  COMES_BACK_AFTER_SECONDS,
  FIRST_RESEND_AGE_SECONDS,
  LONGEST_COMES_BACK_SECONDS,
  LONGEST_WAIT_SECONDS,
} from '../timings.ts'
import { deadSecondsOf, type Found, type Standing, standingOf } from './standing.ts'

export interface AuditInput {
  /** Everything due in (after, through]. */
  readonly runs: readonly PlannedRun[]
  readonly after: number
  readonly through: number
  readonly find: (run: PlannedRun) => Found
  readonly isLive: (second: number) => boolean
  readonly now: number
}

export interface Resend {
  readonly run: PlannedRun
  /** The attempt that its entry is about. */
  readonly attempt: number
  /** How long it should have been running. One whose executor died counts from its death as if it had just become due. */
  readonly ageSeconds: number
}

export interface AuditResult {
  /** Missing and dead runs, to be sent again. */
  readonly resend: readonly Resend[]
  /** Missing runs that their job does not want so late: to be recorded as missed. */
  readonly tooLate: readonly PlannedRun[]
  readonly doubled: readonly PlannedRun[]
  /** The last second up to which every instant is accounted for. */
  readonly auditedThrough: number
}

/** Up to which second an audit goes: what was sent, is old enough and was planned with fresh eyes, a minute at a time. */
export function auditableThrough(
  shard: { sentThrough: number; auditedThrough: number },
  now: number,
  drainedAt: number,
): number {
  const chunkEnd = shard.auditedThrough + AUDIT_CHUNK_SECONDS
  return Math.min(shard.sentThrough, now - AUDITED_AFTER_SECONDS, drainedAt, chunkEnd)
}

/** A double has ended, twice: it is reported, and there is nothing to wait for. */
const isAccountedFor = (standing: Standing): boolean =>
  standing === 'fine' || standing === 'open' || standing === 'doubled'

export function audit({ runs, after, through, find, isLive, now }: AuditInput): AuditResult {
  const judged = runs
    .filter(({ second }) => second > after && second <= through)
    .map((run) => {
      const found = find(run)
      return {
        run,
        standing: standingOf(found, isLive(run.second), now),
        deadSeconds: deadSecondsOf(found, now),
        attempt: found.page?.attempt ?? 1,
        isUntouched: found.page === null,
      }
    })
  const withStanding = (...standings: Standing[]) =>
    judged.filter(({ standing }) => standings.includes(standing)).map(({ run }) => run)
  const firstOpenSecond = judged
    .filter(({ standing }) => !isAccountedFor(standing))
    .reduce((first, { run }) => Math.min(first, run.second), through + 1)
  // Only a run without an entry is judged here. One that was claimed before is judged by the executor that claims it next.
  const isTooLate = ({ run, isUntouched }: (typeof judged)[number]) =>
    isUntouched && firingOf(run, now - run.second) === 'missed'
  const missing = judged.filter(({ standing }) => standing === 'missing')
  return {
    resend: [
      ...missing
        .filter((each) => !isTooLate(each))
        .map(({ run, attempt }) => ({ run, attempt, ageSeconds: now - run.second })),
      ...judged
        .filter(({ standing }) => standing === 'dead')
        .map(({ run, attempt, deadSeconds }) => ({ run, attempt, ageSeconds: FIRST_RESEND_AGE_SECONDS + deadSeconds })),
    ],
    tooLate: missing.filter(isTooLate).map(({ run }) => run),
    doubled: withStanding('doubled'),
    auditedThrough: Math.max(after, firstOpenSecond - 1),
  }
}

/** So many messages are taken within seconds, so what is missing for longer is not among them. */
const SOON_TAKEN = 10
/** So many are in the hands of executors that are well. */
const SOON_DONE = 100

/** Where a message that was sent before may be: nowhere, in the hands of executors that are at it or failed, or still in the queue. */
export type QueueLoad = 'none' | 'in hands' | 'waiting'

/** Delayed messages are those of retries: nothing that is due waits among them. */
export function queueLoadOf({ visible, inFlight }: { readonly visible: number; readonly inFlight: number }): QueueLoad {
  if (visible > SOON_TAKEN) return 'waiting'
  return inFlight > SOON_DONE ? 'in hands' : 'none'
}

const RESEND_AGE_FACTOR = 4
const RESEND_EVERY_SECONDS = 60

/**
 * Whether what is missing in a second is sent again now. Where the queue cannot hold it, at once. Where many messages wait it may be among
 * them, so only when the second's age passes 20, 80, 320 … seconds: a slow backlog is not made longer by copies of itself. Where
 * many are in hands, at 20 seconds and then once a minute: what failed there comes again by itself, but late.
 */
export function isResendDue(ageSeconds: number, ageAtLastAuditSeconds: number, backlog: QueueLoad): boolean {
  if (backlog === 'none') return true
  let age = FIRST_RESEND_AGE_SECONDS
  while (age <= ageAtLastAuditSeconds)
    age = backlog === 'waiting' ? age * RESEND_AGE_FACTOR : age + RESEND_EVERY_SECONDS
  return age <= ageSeconds
}

/**
 * Of the open items of one attempt of a run, the one that is due last: it alone is sent, and the others are copies that can go. Executors leave
 * copies where a write fails on the way and they list the run again.
 */
export function splitCopies<Item extends Pick<OpenRun, 'runId' | 'attempt'>>(
  oldestFirst: readonly Item[],
): { readonly kept: readonly Item[]; readonly copies: readonly Item[] } {
  const last = new Map(oldestFirst.map((item) => [`${item.runId} ${item.attempt}`, item]))
  const kept = new Set(last.values())
  return { kept: [...kept], copies: oldestFirst.filter((item) => !kept.has(item)) }
}

/** How long until an open run that was sent again for the nth time is looked at once more: 20, 40, 80, and in line up to 640 s. */
export function openDelaySeconds(times: number, isInLine = false): number {
  const longest = isInLine ? LONGEST_WAIT_SECONDS : LONGEST_COMES_BACK_SECONDS
  return Math.min(longest, COMES_BACK_AFTER_SECONDS * 2 ** Math.min(times - 1, 10))
}

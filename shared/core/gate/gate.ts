// What a claimed run does next: start, wait, or end without having run. A pure decision from the job, its state and the
// time; the executor only carries it out.

import type { Block, Job } from '../job/job.ts'
import { LIVE_SECONDS } from '../timings.ts'
import type { RunTimes } from './overlap.ts'
import {
  type GateRun,
  type Holder,
  isBehindCatchUp,
  type JobState,
  type Lock,
  liveHolders,
  MOST_WAITING,
  oldestWaiter,
} from './state.ts'

/** What the definition says about starting; the rest of the job is the planner's. */
export type GatePolicy = Pick<Job, 'block' | 'misfire' | 'skipIfSuccessful' | 'after' | 'maxLateness'>

export interface GateInput {
  readonly run: GateRun
  /** How the run lies among the instants of its job. */
  readonly times: RunTimes
  readonly policy: GatePolicy
  readonly lock: Lock
  readonly state: Pick<JobState, 'lastSuccess' | 'catchUp'>
  /** The last success of each job in `after`, in that order; null where there was none in the time that counts. */
  readonly lastSuccessOfAfter: readonly (number | null)[]
  readonly now: number
}

/** A stop at a second ends what was due before it, and what came by hand; what is due with or after it stays. */
export const isEndedByStop = (instant: number | null, stopSecond: number): boolean =>
  instant === null || instant < stopSecond

export type Decision =
  | { readonly do: 'START'; readonly takesLock: boolean }
  | { readonly do: 'WAIT'; readonly until: number | null; readonly reason: string }
  | { readonly do: 'COVER'; readonly cancels: readonly Holder[] }
  | { readonly do: 'DISCARD' | 'SKIP' | 'EXPIRE' | 'CANCEL' | 'MISS'; readonly reason: string }

type Check = (input: GateInput) => Decision | null

/** The first check that has something to say decides; where none has, the run starts. */
const CHECKS: readonly Check[] = [tooLate, succeededAlready, dependencyNotFresh, behindCatchUp, blockedByOthers]

export function decide(input: GateInput): Decision {
  for (const check of CHECKS) {
    const decision = check(input)
    if (decision !== null) return decision
  }
  return { do: 'START', takesLock: true }
}

/** Only a first attempt can be too late: a retry was on time once. */
function tooLate({ run, policy, now }: GateInput): Decision | null {
  if (run.instant === null || run.attempt > 1) return null
  const late = now - run.instant
  if (run.trigger === 'RESTART' && late > LIVE_SECONDS)
    return { do: 'MISS', reason: `a restart that comes ${late} s late is dropped` }
  if (run.trigger !== 'SCHEDULE') return null
  if (policy.misfire.policy === 'DO_NOTHING' && late > LIVE_SECONDS) {
    return { do: 'MISS', reason: `it came ${late} s late and the job does nothing about missed instants` }
  }
  if (policy.maxLateness !== null && late > policy.maxLateness) {
    return { do: 'EXPIRE', reason: `it came ${late} s late and maxLateness is ${policy.maxLateness} s` }
  }
  return null
}

/** A success in the time from the previous instant to this one makes this one needless. Only scheduled runs are. */
function succeededAlready({ run, times, policy, state }: GateInput): Decision | null {
  if (!policy.skipIfSuccessful || run.instant === null || run.trigger !== 'SCHEDULE') return null
  const previous = times.previousInstant()
  const { lastSuccess } = state
  const isSinceThen = lastSuccess !== null && lastSuccess > previous && lastSuccess < run.instant
  return isSinceThen ? { do: 'SKIP', reason: `a run of ${lastSuccess} has succeeded since the previous instant` } : null
}

/** A person who triggers a run knows what they want: only runs by schedule, catch-up and other jobs ask. */
const asksAfter = ({ trigger }: GateRun): boolean => trigger !== 'MANUAL' && trigger !== 'BACKFILL'

function dependencyNotFresh({ run, policy, lastSuccessOfAfter, now }: GateInput): Decision | null {
  if (!asksAfter(run)) return null
  for (const [index, { job, within }] of policy.after.entries()) {
    const success = lastSuccessOfAfter[index] ?? null
    if (success === null) return { do: 'SKIP', reason: `${job} has not succeeded in the last ${within} s` }
    const age = now - success
    if (age > within) return { do: 'SKIP', reason: `${job} last succeeded ${age} s ago, more than ${within} s` }
  }
  return null
}

function behindCatchUp({ run, policy, lock, state, now }: GateInput): Decision | null {
  if (isBehindCatchUp(state, run.trigger)) return waitInLine(lock, run, 'older instants are being caught up first')
  const skipsOverlap = policy.misfire.policy === 'CATCH_UP' && policy.misfire.overlap === 'skip'
  const other = othersIn(lock, run, now).find(({ sentAt }) => sentAt === null)
  if (run.trigger !== 'CATCH_UP' || !skipsOverlap || other === undefined) return null
  return { do: 'SKIP', reason: `${other.runId} was still running, and the job skips overlapping catch-up` }
}

const othersIn = (lock: Lock, run: GateRun, now: number): Holder[] =>
  liveHolders(lock, now).filter(({ runId }) => runId !== run.runId)

/** A run without an instant came by hand and counts as newest. */
function newestOf(holders: readonly Holder[]): Holder | null {
  const age = ({ instant }: Holder) => instant ?? Number.POSITIVE_INFINITY
  return holders.reduce<Holder | null>(
    (newest, each) => (newest === null || age(each) > age(newest) ? each : newest),
    null,
  )
}

const holdsLock = ({ holders }: Lock, run: GateRun): boolean => holders.some(({ runId }) => runId === run.runId)

function blockedByOthers(input: GateInput): Decision | null {
  const { run, times, policy, lock, now } = input
  if (policy.block.strategy === 'CONCURRENT') return blockedByMany(input, policy.block.max)
  if (times.needsNoLock()) return { do: 'START', takesLock: false }
  const clear = times.clearFrom()
  if (clear !== now) return waitInLine(lock, run, 'a scheduled run is due too near', clear)
  if (holdsLock(lock, run)) return null
  const others = othersIn(lock, run, now)
  const blocker = newestOf(others)
  if (blocker !== null) return blockedBy(blocker, others, policy.block, input)
  return policy.block.strategy === 'SERIAL' ? afterOlderOnes(input) : null
}

function blockedByMany({ run, lock, now }: GateInput, max: number): Decision | null {
  if (holdsLock(lock, run) || othersIn(lock, run, now).length < max) return null
  return waitInLine(lock, run, `${max} runs of the job are running`)
}

function blockedBy(
  blocker: Holder,
  others: readonly Holder[],
  block: Exclude<Block, { strategy: 'CONCURRENT' }>,
  { run, lock }: GateInput,
): Decision {
  switch (block.strategy) {
    case 'SERIAL':
      return waitInLine(lock, run, `${blocker.runId} is running`)
    case 'DISCARD':
      return { do: 'DISCARD', reason: `${blocker.runId} is running` }
    case 'COVER': {
      const isOlder = run.instant !== null && blocker.instant !== null && run.instant < blocker.instant
      if (isOlder) return { do: 'CANCEL', reason: `${blocker.runId} is newer` }
      return { do: 'COVER', cancels: others }
    }
  }
}

/** No run holds the lock, but older runs wait: they go first. */
function afterOlderOnes({ run, lock, state }: GateInput): Decision | null {
  const oldest = oldestWaiter(lock, state)
  if (oldest === null || oldest.runId === run.runId) return null
  if (run.instant !== null && run.instant < oldest.orderedBy) return null
  return waitInLine(lock, run, `${oldest.runId} waits since before`)
}

function waitInLine(lock: Lock, run: GateRun, reason: string, until: number | null = null): Decision {
  const isInLine = lock.waiting.some(({ runId }) => runId === run.runId)
  if (!isInLine && lock.waiting.length >= MOST_WAITING) {
    return { do: 'DISCARD', reason: `${MOST_WAITING} runs of the job wait already` }
  }
  return { do: 'WAIT', until, reason }
}

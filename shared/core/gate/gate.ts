// What a claimed run does next: start, wait, or end without having run. A pure decision from the job, its state and the
// time; the executor only carries it out.

import type { Block, Job } from '../job/job.ts'
import type { VersionedJob } from '../job/version.ts'
import { previousRun } from '../planner/due.ts'
import { LIVE_SECONDS } from '../planner/misfire.ts'
import type { Trigger } from '../run/run.ts'
import { clearSecond, needsNoLock } from './overlap.ts'
import { type Holder, isBehindCatchUp, type JobState, liveHolders, MOST_WAITING, oldestWaiter } from './state.ts'

export interface GateRun {
  readonly runId: string
  readonly trigger: Trigger
  /** null for a manual or dependent run that was given none. */
  readonly instant: number | null
  readonly attempt: number
}

/** What the definition says about starting; the rest of the job is the planner's. */
export type GatePolicy = Pick<Job, 'block' | 'misfire' | 'skipIfSuccessful' | 'after' | 'maxLateness'>

export interface GateInput {
  readonly run: GateRun
  readonly job: VersionedJob
  readonly policy: GatePolicy
  readonly state: JobState
  /** The last success of each job in `after`, in that order. */
  readonly lastSuccessOfAfter: readonly (number | null)[]
  readonly now: number
}

/** A stop at a second ends what was due before it, and what came by hand; what is due with or after it stays. */
export const isEndedByStop = (instant: number | null, stopSecond: number): boolean =>
  instant === null || instant < stopSecond

export type Decision =
  | { readonly do: 'START'; readonly takesLock: boolean }
  | { readonly do: 'WAIT'; readonly until: number | null; readonly reason: string }
  | { readonly do: 'COVER'; readonly cancels: string }
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
function succeededAlready({ run, job, policy, state }: GateInput): Decision | null {
  if (!policy.skipIfSuccessful || run.instant === null || run.trigger !== 'SCHEDULE') return null
  const previous = previousRun(job, run.instant)
  const { lastSuccess } = state
  const isSinceThen = lastSuccess !== null && lastSuccess > previous && lastSuccess < run.instant
  return isSinceThen ? { do: 'SKIP', reason: `a run of ${lastSuccess} has succeeded since the previous instant` } : null
}

function dependencyNotFresh({ policy, lastSuccessOfAfter, now }: GateInput): Decision | null {
  for (const [index, { job, withinSeconds }] of policy.after.entries()) {
    const success = lastSuccessOfAfter[index] ?? null
    if (success === null) return { do: 'SKIP', reason: `${job} has never succeeded` }
    const age = now - success
    if (age > withinSeconds)
      return { do: 'SKIP', reason: `${job} last succeeded ${age} s ago, more than ${withinSeconds} s` }
  }
  return null
}

function behindCatchUp({ run, policy, state, now }: GateInput): Decision | null {
  if (isBehindCatchUp(state, run.trigger)) return waitInLine(state, run, 'older instants are being caught up first')
  const skipsOverlap = policy.misfire.policy === 'CATCH_UP' && policy.misfire.overlap === 'skip'
  const other = othersIn(state, run, now).find(({ started }) => started)
  if (run.trigger !== 'CATCH_UP' || !skipsOverlap || other === undefined) return null
  return { do: 'SKIP', reason: `${other.runId} was still running, and the job skips overlapping catch-up` }
}

const othersIn = (state: JobState, run: GateRun, now: number): Holder[] =>
  liveHolders(state, now).filter(({ runId }) => runId !== run.runId)

/** A run without an instant came by hand and counts as newest. */
function newestOf(holders: readonly Holder[]): Holder | null {
  const age = ({ instant }: Holder) => instant ?? Number.POSITIVE_INFINITY
  return holders.reduce<Holder | null>(
    (newest, each) => (newest === null || age(each) > age(newest) ? each : newest),
    null,
  )
}

const holdsLock = (state: JobState, run: GateRun): boolean => state.holders.some(({ runId }) => runId === run.runId)

function blockedByOthers(input: GateInput): Decision | null {
  const { run, job, policy, state, now } = input
  if (policy.block.strategy === 'CONCURRENT') return blockedByMany(input, policy.block.max)
  if (needsNoLock(job, run, now)) return { do: 'START', takesLock: false }
  const clear = clearSecond(job, now, run.instant)
  if (clear !== now) return waitInLine(state, run, 'a scheduled run is due too near', clear)
  if (holdsLock(state, run)) return null
  const blocker = newestOf(othersIn(state, run, now))
  if (blocker !== null) return blockedBy(blocker, policy.block, input)
  return policy.block.strategy === 'SERIAL' ? afterOlderOnes(input) : null
}

function blockedByMany({ run, state, now }: GateInput, max: number): Decision | null {
  if (holdsLock(state, run) || othersIn(state, run, now).length < max) return null
  return waitInLine(state, run, `${max} runs of the job are running`)
}

function blockedBy(blocker: Holder, block: Block, { run, state }: GateInput): Decision {
  switch (block.strategy) {
    case 'SERIAL':
    case 'CONCURRENT':
      return waitInLine(state, run, `${blocker.runId} is running`)
    case 'DISCARD':
      return { do: 'DISCARD', reason: `${blocker.runId} is running` }
    case 'COVER': {
      const isOlder = run.instant !== null && blocker.instant !== null && run.instant < blocker.instant
      if (isOlder) return { do: 'CANCEL', reason: `${blocker.runId} is newer` }
      return { do: 'COVER', cancels: blocker.runId }
    }
  }
}

/** Nobody runs, but older runs wait: they go first. */
function afterOlderOnes({ run, state }: GateInput): Decision | null {
  const oldest = oldestWaiter(state)
  if (oldest === null || oldest.runId === run.runId) return null
  if (run.instant !== null && run.instant < oldest.orderedBy) return null
  return waitInLine(state, run, `${oldest.runId} waits since before`)
}

function waitInLine(state: JobState, run: GateRun, reason: string, until: number | null = null): Decision {
  const isInLine = state.waiting.some(({ runId }) => runId === run.runId)
  if (!isInLine && state.waiting.length >= MOST_WAITING) {
    return { do: 'DISCARD', reason: `${MOST_WAITING} runs of the job wait already` }
  }
  return { do: 'WAIT', until, reason }
}

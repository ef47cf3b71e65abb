// How a job's lock is taken, given on and freed. Every step can be repeated: a message that comes twice repeats it and
// changes nothing.

import type { Block } from '../job/job.ts'
import { SENT_AGAIN_AFTER_SECONDS } from '../timings.ts'
import { isEndedByStop } from './gate.ts'
import { type GateRun, type Holder, type JobState, type Lock, oldestWaiter, type Waiter } from './state.ts'

type CatchingUp = Pick<JobState, 'catchUp'>

/** The lock once a run has started with it; it waits no more. Where it covers others they lose the lock at once. */
export function take(lock: Lock, run: GateRun, deadline: number, now: number, block: Block): Lock {
  const others = lock.holders.filter((each) => each.runId !== run.runId && now < each.deadline)
  const kept = block.strategy === 'CONCURRENT' ? others : []
  return { holders: [...kept, holderOf(run, deadline, null)], waiting: without(lock.waiting, run.runId) }
}

/** The lock once a run stands in line. */
export function wait(lock: Lock, run: GateRun, now: number): Lock {
  const waiter: Waiter = { ...runOf(run), orderedBy: run.instant ?? now }
  const isInLine = lock.waiting.some(({ runId }) => runId === run.runId)
  const waiting = lock.waiting.map((each) =>
    each.runId === run.runId ? { ...waiter, orderedBy: each.orderedBy } : each,
  )
  // One that was given the lock and may not start yet after all gives it back.
  const holders = lock.holders.filter(({ runId, sentAt }) => runId !== run.runId || sentAt === null)
  return { holders, waiting: isInLine ? waiting : [...waiting, waiter] }
}

/** The lock of a run whose attempt failed: it keeps it until the next one, which must have started by then. */
export function keepForRetry(lock: Lock, run: GateRun, retryAt: number, startBy: number): Lock {
  const holders = lock.holders.map((each) => (each.runId === run.runId ? holderOf(run, startBy, retryAt) : each))
  return { ...lock, holders }
}

const without = (waiting: readonly Waiter[], runId: string): Waiter[] => waiting.filter((each) => each.runId !== runId)

export interface Release {
  readonly lock: Lock
  /** Runs that have the lock and have not started: the one that was given it, and any that may have been lost on its way. */
  readonly send: readonly Holder[]
  /** The one that was given the lock, as it waited. */
  readonly promoted: Waiter | null
}

export interface ReleaseAt {
  readonly now: number
  /** A run that is given the lock must have started by then. */
  readonly startBy: number
  /** And this is when the audit comes back to it. */
  readonly openMs: number
  readonly block: Block
  readonly state: CatchingUp
}

/**
 * A run has ended. Where it held the lock and that leaves room, the oldest that may start gets it, with a deadline by which it must
 * have started. One that was covered meanwhile holds nothing any more, so it gives nothing on, unless no living run is left to do so.
 */
export function release(lock: Lock, runId: string, at: ReleaseAt): Release {
  const held = lock.holders.some((each) => each.runId === runId)
  const holders = lock.holders.filter((each) => each.runId !== runId)
  const rest: Lock = { holders, waiting: without(lock.waiting, runId) }
  return held || isLeft(rest, at.now) ? giveToOldest(rest, at) : { ...sendAgain(rest, at.now), promoted: null }
}

/** A run that has started is over by its deadline. */
const isOver = ({ deadline, sentAt }: Holder, now: number): boolean => sentAt === null && now >= deadline

/**
 * Runs wait, and the run that should give them the lock is gone: its release was lost, or its executor died. A holder that has not started is
 * sent again, and gives the lock on then. Where there is no holder those that wait have their own time, and are sent when it comes.
 */
const isLeft = ({ holders, waiting }: Lock, now: number): boolean =>
  waiting.length > 0 && holders.length > 0 && holders.every((holder) => isOver(holder, now))

/**
 * A run stands in line. Where no living run is left to give the lock on, the oldest gets it now: the audit comes back to a waiting run so
 * rarely that one after the other would be too late for its job, and the line would never end.
 */
export function joinLine(lock: Lock, run: GateRun, at: ReleaseAt): Release {
  const joined = wait(lock, run, at.now)
  const isFirst = oldestWaiter(joined, at.state)?.runId === run.runId
  const isGivenOn = isLeft(joined, at.now) && !isFirst
  return isGivenOn ? giveToOldest(joined, at) : { ...sendAgain(joined, at.now), promoted: null }
}

function giveToOldest(lock: Lock, at: ReleaseAt): Release {
  const { now, startBy, openMs, block, state } = at
  const most = block.strategy === 'CONCURRENT' ? block.max : 1
  // Where the release of such a run was lost, no other release names it.
  const held: Lock = { ...lock, holders: lock.holders.filter((holder) => !isOver(holder, now)) }
  const hasRoom = held.holders.filter(({ deadline }) => now < deadline).length < most
  const oldest = hasRoom ? oldestWaiter(held, state) : null
  const { lock: rest, send } = sendAgain(held, now)
  if (oldest === null) return { lock: rest, send, promoted: null }
  const given = holderOf({ ...oldest, openMs }, startBy, now)
  const next = { holders: [...rest.holders, given], waiting: without(rest.waiting, oldest.runId) }
  return { lock: next, send: [...send, given], promoted: oldest }
}

/**
 * The runs that hold the lock, have not started and may have been lost on their way, and the lock once they are sent again. One
 * that keeps the lock through its backoff has its time still before it. Every message about the job may find them, so the lock
 * says when they were sent. Otherwise each copy of a message would make copies of all others.
 */
export function sendAgain(lock: Lock, now: number): Pick<Release, 'lock' | 'send'> {
  const isOverdue = ({ sentAt }: Holder) => sentAt !== null && now - sentAt >= SENT_AGAIN_AFTER_SECONDS
  const send = lock.holders.filter(isOverdue)
  const holders = lock.holders.map((holder) => (isOverdue(holder) ? { ...holder, sentAt: now } : holder))
  return { lock: send.length > 0 ? { ...lock, holders } : lock, send }
}

/** A stop has come: what it ends neither runs nor waits any more, and the next may go. */
export function stop(lock: Lock, stopSecond: number, at: ReleaseAt): Release & { readonly ended: readonly GateRun[] } {
  const isEnded = ({ instant }: GateRun) => isEndedByStop(instant, stopSecond)
  const rest: Lock = {
    holders: lock.holders.filter((each) => !isEnded(each)),
    waiting: lock.waiting.filter((each) => !isEnded(each)),
  }
  const ended = [...lock.holders.filter(isEnded), ...lock.waiting.filter(isEnded)]
  const isFreed = rest.holders.length < lock.holders.length
  return { ...(isFreed ? giveToOldest(rest, at) : { ...sendAgain(rest, at.now), promoted: null }), ended }
}

const runOf = ({ runId, trigger, instant, nominal, attempt, depth, openMs }: GateRun): GateRun => ({
  runId,
  trigger,
  instant,
  nominal,
  attempt,
  depth,
  openMs,
})

const holderOf = (run: GateRun, deadline: number, sentAt: number | null): Holder => ({
  ...runOf(run),
  deadline,
  sentAt,
})

/** Remembers a success, before it is settled. An older run that ends late does not take it back. */
export function recordSuccess(state: JobState, second: number): JobState {
  return state.lastSuccess !== null && state.lastSuccess >= second ? state : { ...state, lastSuccess: second }
}

// How a job's lock is taken, given on and freed. Every step can be repeated: a message that comes twice repeats it and
// changes nothing.

import type { Block } from '../job/job.ts'
import type { GateRun } from './gate.ts'
import { type Holder, type JobState, oldestWaiter, type Waiter } from './state.ts'

/** The state once a run has started with the lock; it waits no more. Where it covers others they lose the lock at once. */
export function take(state: JobState, run: GateRun, deadline: number, now: number, block: Block): JobState {
  const holder: Holder = { runId: run.runId, attempt: run.attempt, instant: run.instant, deadline, started: true }
  const others = state.holders.filter((each) => each.runId !== run.runId && now < each.deadline)
  const kept = block.strategy === 'CONCURRENT' ? others : []
  return { ...state, holders: [...kept, holder], waiting: without(state.waiting, run.runId) }
}

/** The state once a run stands in line. */
export function wait(state: JobState, run: GateRun, now: number): JobState {
  const waiter: Waiter = { runId: run.runId, orderedBy: run.instant ?? now, attempt: run.attempt, trigger: run.trigger }
  const isInLine = state.waiting.some(({ runId }) => runId === run.runId)
  return isInLine ? state : { ...state, waiting: [...state.waiting, waiter] }
}

const without = (waiting: readonly Waiter[], runId: string): Waiter[] => waiting.filter((each) => each.runId !== runId)

export interface Release {
  readonly state: JobState
  /** Runs that have the lock and have not started: they are sent again, which is how a lost message heals. */
  readonly send: readonly string[]
}

/**
 * A run has ended. Where it held the lock and that leaves room, the oldest that may start gets it, with a deadline by which it must
 * have started. One that was covered meanwhile holds nothing any more, so it gives nothing on.
 */
export function release(state: JobState, runId: string, startBy: number, now: number, block: Block): Release {
  const held = state.holders.some((each) => each.runId === runId)
  const holders = state.holders.filter((each) => each.runId !== runId)
  const most = block.strategy === 'CONCURRENT' ? block.max : 1
  const hasRoom = holders.filter(({ deadline }) => now < deadline).length < most
  const promoted = held && hasRoom ? oldestWaiter(state) : null
  const after = promoted === null ? holders : [...holders, promote(promoted, startBy)]
  const waiting = promoted === null ? without(state.waiting, runId) : without(state.waiting, promoted.runId)
  return {
    state: { ...state, holders: after, waiting },
    send: after.filter(({ started }) => !started).map((each) => each.runId),
  }
}

const promote = ({ runId, attempt, orderedBy }: Waiter, deadline: number): Holder => ({
  runId,
  attempt,
  instant: orderedBy,
  deadline,
  started: false,
})

/** Remembers a success, before it is settled. An older run that ends late does not take it back. */
export function recordSuccess(state: JobState, second: number): JobState {
  return state.lastSuccess !== null && state.lastSuccess >= second ? state : { ...state, lastSuccess: second }
}

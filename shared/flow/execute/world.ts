// What an executor needs from the world.

import type { HandlerRun } from '../../core/handlers.ts'
import type { Job } from '../../core/job/job.ts'
import type { Lane } from '../../core/lanes.ts'
import type { Clock, Queue, Stores } from '../../ports.ts'

/** Hands a run to its target and returns what comes of it. */
export type Deliver = (target: Job['target'], run: HandlerRun) => Promise<unknown>

/** What it takes to end a run and to do what follows its end; tickers have it as well. */
export interface EndingWorld extends Stores {
  readonly clock: Clock
  readonly shardCount: number
  readonly queues: Readonly<Record<Lane, Queue>>
  /** A new random id, another one at every call. */
  newId(): string
  /** Something that an operator should see. */
  warn(message: string, detail: object): void
}

export interface ExecuteWorld extends EndingWorld {
  /** For each kind of target, what delivers a run to it. */
  readonly deliver: Readonly<Partial<Record<Job['target']['type'], Deliver>>>
  /** The name under which runs say who ran them. */
  readonly executor: string
  /** Returns when the store's time has come to this, or when the caller aborts the signal because it waits no more. */
  until(ms: number, signal?: AbortSignal): Promise<void>
  /** In [0, 1). */
  random(): number
  /** A line of a handler's own log. */
  log(runId: string, line: string): void
}

/** An executor without the handlers that a user brings. */
export type ExecutorHost = Omit<ExecuteWorld, 'deliver'>

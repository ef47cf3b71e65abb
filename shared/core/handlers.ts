// What a user's code sees: handlers by name, what they get, and jobs whose schedules stand beside the code.

import { InputError } from './errors.ts'
import type { Trigger } from './run/run.ts'

/** One attempt of one run, as a handler gets it. */
export interface HandlerRun {
  /** The same for every attempt: together with it the key to make effects happen once. */
  readonly id: string
  readonly attempt: number
  readonly job: { readonly id: string; readonly namespace: string; readonly name: string }
  readonly payload: unknown
  /** When it was due; null for a run that came by hand and was given no instant. */
  readonly instant: Date | null
  readonly trigger: Trigger
  /** Which part of a broadcast this is. */
  readonly shard: { readonly index: number; readonly total: number } | null
  /** Aborted when the run times out, is cancelled or is covered by a newer one. What is returned after that is not taken. */
  readonly signal: AbortSignal
  log(line: string): void
}

export type Handler = (run: HandlerRun) => unknown

/** A job beside its code: everything that a job may say, but its target, which is the handler itself. */
export interface ScheduledHandler {
  readonly schedule: string
  readonly zone?: string
  readonly run: Handler
  readonly [field: string]: unknown
}

export type HandlerSet = Readonly<Record<string, Handler | ScheduledHandler>>

export interface Handlers {
  /** Null where there is none of that name. */
  find(name: string): Handler | null
  readonly names: readonly string[]
  /** Bodies of the jobs whose schedules stand beside the code. */
  readonly jobs: readonly object[]
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/

/** Throws where a name or a handler is none, so that a deployment fails and not a run. */
export function defineHandlers(set: HandlerSet): Handlers {
  const handlers = new Map<string, Handler>()
  const jobs: object[] = []
  for (const [name, definition] of Object.entries(set)) {
    const run: unknown = typeof definition === 'function' ? definition : definition?.run
    if (!NAME.test(name)) {
      const remedy = 'Use 1 to 63 of a-z, 0-9, dot, underscore and hyphen, the first a letter or digit'
      throw new InputError({ code: 'handler.name', field: 'handler', value: name, problem: 'is no name', remedy })
    }
    if (typeof run !== 'function') {
      const remedy = 'Give a function, or an object with schedule and run'
      throw new InputError({
        code: 'handler.run',
        field: 'handler',
        value: name,
        problem: 'has nothing to run',
        remedy,
      })
    }
    handlers.set(name, run as Handler)
    if (typeof definition !== 'function') jobs.push(bodyOf(name, definition))
  }
  return { find: (name) => handlers.get(name) ?? null, names: [...handlers.keys()], jobs }
}

function bodyOf(name: string, { schedule, zone, run: _, ...rest }: ScheduledHandler): object {
  const spec = zone === undefined ? { cron: schedule } : { cron: schedule, zone }
  return { name, ...rest, schedules: [spec], target: { type: 'handler', handler: name } }
}

// What a user's code sees: handlers by name, what they get, and jobs whose schedules stand beside the code.

import { InputError } from './errors.ts'
import { NAME, NAME_RULE } from './fields.ts'
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
  /** A cron expression, or "every 5m". */
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

/** Throws where a name or a handler is none, so that a deployment fails and not a run. */
export function defineHandlers(set: HandlerSet): Handlers {
  const handlers = new Map<string, Handler>()
  const jobs: object[] = []
  for (const [name, definition] of Object.entries(set)) {
    const run: unknown = typeof definition === 'function' ? definition : definition?.run
    if (!NAME.test(name)) {
      throw new InputError({
        code: 'handler.name',
        field: 'handler',
        value: name,
        problem: 'is no name',
        remedy: NAME_RULE,
      })
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

const EVERY = /^every (\S+)$/

function bodyOf(name: string, { schedule, zone, run: _, ...rest }: ScheduledHandler): object {
  const every = EVERY.exec(schedule)?.[1]
  const when = every === undefined ? { cron: schedule } : { every }
  const spec = zone === undefined ? when : { ...when, zone }
  return { name, ...rest, schedules: [spec], target: { type: 'handler', handler: name } }
}

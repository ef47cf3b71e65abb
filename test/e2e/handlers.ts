// Handlers of the end-to-end tests and benchmarks. They run in executors of their own, and tell the test what they begin and end.

import { setTimeout as pause } from 'node:timers/promises'
import { defineHandlers, type HandlerRun } from '../../shared/core/handlers.ts'
import type { HandlerNote } from '../support/handler-notes.ts'

const tell = (type: HandlerNote['type'], { id: runId, attempt, job }: HandlerRun, payload?: unknown): void => {
  const note: HandlerNote = { type, atMs: Date.now(), name: job.name, runId, attempt, payload }
  process.send?.({ note })
}

const field = ({ payload }: HandlerRun, name: string): number => Number(Object(payload)[name] ?? 0)

function begin(run: HandlerRun): void {
  tell('began', run)
  run.signal.addEventListener('abort', () => tell('told to stop', run))
}

export default defineHandlers({
  echo: (run) => {
    tell('began', run)
    return null
  },
  /** Tells its payload as it received it. */
  keep: (run) => tell('began', run, run.payload),
  /** Takes `ms` milliseconds, unless it is told to stop. */
  take: async (run) => {
    begin(run)
    const isStopped = new Promise((resolve) => run.signal.addEventListener('abort', resolve))
    await Promise.race([pause(field(run, 'ms')), isStopped])
    tell('ended', run)
  },
  /** Takes `ms` milliseconds whatever it is told. */
  deaf: async (run) => {
    begin(run)
    await pause(field(run, 'ms'))
    tell('ended', run)
  },
  /** Fails `times` attempts. */
  flaky: (run) => {
    begin(run)
    tell('ended', run)
    if (run.attempt <= field(run, 'times')) throw new Error(`attempt ${run.attempt}`)
  },
  nothing: (run) => {
    tell('began', run)
    return Promise.reject(undefined)
  },
})

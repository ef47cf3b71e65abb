// The handlers that come with Tickring, for samples and tests. A deployment puts its own in the place of this file.

import { setTimeout as pause } from 'node:timers/promises'
import { defineHandlers, type HandlerRun } from '../shared/core/handlers.ts'

const field = ({ payload }: HandlerRun, name: string): unknown => Object(payload)[name]

export default defineHandlers({
  /** Returns its payload. */
  echo: ({ payload }) => payload,
  /** Takes `ms` milliseconds, unless it is told to stop. */
  sleep: async (run) => {
    await pause(Number(field(run, 'ms') ?? 0), undefined, { signal: run.signal })
  },
  /** Fails `times` attempts, then succeeds. */
  fail: (run) => {
    if (run.attempt <= Number(field(run, 'times') ?? 1)) throw new Error(`attempt ${run.attempt} was to fail`)
  },
  /** Writes `lines` to its log. */
  log: (run) => {
    const lines = field(run, 'lines')
    for (const line of Array.isArray(lines) ? lines : []) run.log(String(line))
  },
})

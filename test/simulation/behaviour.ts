// What handlers of the simulation do: be quick, take their time, fail now and then, throw at once, hang, or go on whatever
// they are told. Some jobs no queue takes; their handler runs only where an edit made them so after they were sent.

import type { HandlerRun } from '../../shared/core/handlers.ts'
import type { Random } from '../support/random-cron/random.ts'
import type { Process } from './process.ts'

export type Behaviour = 'quick' | 'takes' | 'flaky' | 'throws' | 'hangs' | 'ignores' | 'odd' | 'refused'

export interface Acts {
  readonly acts: Behaviour
  /** How long it takes at most. */
  readonly ms: number
}

export function behave(process: Process, run: HandlerRun, random: Random): Promise<unknown> {
  const { acts, ms } = run.payload as Acts
  const takesMs = random.between(Math.ceil(ms / 4), ms)
  const take = (signal?: AbortSignal) => process.until(process.clock.nowMs() + takesMs, signal)
  switch (acts) {
    case 'quick':
    case 'refused':
      return take(run.signal).then(() => run.id)
    case 'takes':
      return take(run.signal).then(() => {
        if (run.signal.aborted) throw new Error('told to stop')
        return { took: takesMs }
      })
    case 'flaky': {
      const isBad = random.chance(0.4)
      return take(run.signal).then(() => {
        if (isBad) throw new Error('this time it failed')
      })
    }
    case 'throws':
      throw new Error('it throws at once')
    case 'hangs':
      // Now and then; else nothing would be left to look at.
      return random.chance(0.2) ? new Promise(() => {}) : take(run.signal)
    case 'ignores':
      return take().then(() => 'too late')
    case 'odd':
      return take(run.signal).then(() => Promise.reject(random.chance(0.5) ? undefined : { not: 'an error' }))
  }
}

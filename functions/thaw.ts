// What every door does first. An environment that has just started knows only its machine's time, and Lambda freezes one between two calls,
// for minutes or hours: then the store is asked what time it is before anything is decided.

import type { StoreClock } from '../shared/aws/store-clock.ts'

export interface Thawing {
  /** Sets the clock right where this environment is new or was frozen. */
  thaw(): Promise<void>
}

/**
 * `ask` makes the store answer, which sets the clock. Where it fails twice the call fails, because the machine's own time may be an hour
 * off: a lease that was taken by it would hold its shard for that hour.
 */
export async function thaw(
  clock: Pick<StoreClock, 'isSet' | 'wasFrozen' | 'forget'>,
  ask: () => Promise<unknown>,
): Promise<void> {
  if (clock.isSet && !clock.wasFrozen()) return
  clock.forget()
  const askOnce = async () => {
    await ask()
    if (!clock.isSet) throw new Error('the answer of the store came too late to tell its time')
  }
  await askOnce().catch(askOnce)
}

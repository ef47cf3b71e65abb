// What every door does first. Lambda freezes an environment between two calls, for minutes or hours: then the store is asked what time it
// is before anything is decided.

import type { StoreClock } from '../shared/aws/store-clock.ts'

export interface Thawing {
  /** Sets the clock right where this environment was frozen. */
  thaw(): Promise<void>
}

/**
 * `ask` makes the store answer, which sets the clock. Where it fails twice the call fails, because the machine's own time may be an hour
 * off: a lease that was taken by it would hold its shard for that hour.
 */
export async function thaw(
  clock: Pick<StoreClock, 'wasFrozen' | 'forget'>,
  ask: () => Promise<unknown>,
): Promise<void> {
  if (!clock.wasFrozen()) return
  clock.forget()
  await ask().catch(ask)
}

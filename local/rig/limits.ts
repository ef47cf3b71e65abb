// What the rig allows its functions and queues: as deployed, but for numbers at once.

import type { Lane } from '../../shared/core/lanes.ts'

export const TICK_TIMEOUT_MS = 15_000
export const WATCHDOG_TIMEOUT_MS = 60_000
export const EXECUTOR_TIMEOUT_MS: Readonly<Record<Lane, number>> = { fast: 90_000, slow: 900_000 }
export const MOST_TICKS = 10
export const MOST_WATCHDOGS = 5
export const MOST_EXECUTORS = 8
/** Messages a call. */
export const BATCH = { fast: 5, slow: 1, dead: 1, watch: 10 } as const
/** A switch that a watchdog could not handle comes again soon. */
export const WATCH_VISIBILITY_SECONDS = 10
/** A dead letter stays for an operator to look at. */
export const DEAD_VISIBILITY_SECONDS = 43_200
export const MOST_RECEIVES = 5

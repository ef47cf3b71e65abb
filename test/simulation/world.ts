// All that a process of the simulation sees: what tickers, watchdogs, executors and clients need, together.

import type { Thawing } from '../../functions/thaw.ts'
import type { ExecutorHost } from '../../shared/flow/execute/world.ts'
import type { TickWorld } from '../../shared/flow/tick-world.ts'

export type SimWorld = TickWorld & ExecutorHost & Thawing

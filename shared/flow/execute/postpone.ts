// Puts a run off about which nothing can be decided now, because what must be known cannot be read. The audit comes back to
// it, less and less often, so that it holds up neither the others of its page nor the audit; after an hour it has failed.

import { type Batch, endedAs, type Life } from './life.ts'
import { putOff } from './put-off.ts'
import type { ExecuteWorld } from './world.ts'

const GIVEN_UP_AFTER_MS = 3_600_000

/** The run with its end, or null where it is put off. */
export async function postpone(world: ExecuteWorld, batch: Batch, life: Life, trouble: string): Promise<Life | null> {
  const nowMs = world.clock.nowMs()
  if (nowMs - batch.changesReadAtMs > GIVEN_UP_AFTER_MS) {
    return endedAs(life, 'FAILED', nowMs, `for an hour it could not be decided whether it may start: ${trouble}`)
  }
  await putOff(world, batch, life, { isSentNow: false })
  world.warn('a run could not be decided about and is put off', { runId: life.run.runId, reason: trouble })
  return null
}

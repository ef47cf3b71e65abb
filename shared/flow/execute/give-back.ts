// Gives back claimed runs that did not start, where something that all of them need cannot be read.

import { mapLimited } from '../map-limited.ts'
import { swapClaimed } from './claimed-entry.ts'
import { type Batch, isGoing, type Life } from './life.ts'
import { putOff } from './put-off.ts'
import type { ExecuteWorld } from './world.ts'

export async function giveBack(world: ExecuteWorld, batch: Batch): Promise<void> {
  await mapLimited(batch.lives.filter(isGoing), async (life: Life) => {
    try {
      // A stop has no list to come back from: its message comes again, and is dropped where it is too late.
      if (life.kind === 'stop') {
        const next = { status: 'QUEUED', attempt: life.run.attempt } as const
        await swapClaimed(batch.place, [{ id: life.id, expect: life.entry, next }])
      } else await putOff(world, batch, life, { isSentNow: false })
    } catch (error) {
      // Then the audit finds the claim dead when its time is over.
      world.warn('a claimed run could not be given back', { runId: life.run.runId, reason: String(error) })
    }
  })
}

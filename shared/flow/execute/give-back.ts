// Gives claimed runs back that did not start: their entries say again that nobody has them.

import { type Batch, isGoing } from './life.ts'
import type { ExecuteWorld } from './world.ts'

export async function giveBack(world: ExecuteWorld, batch: Batch): Promise<void> {
  const swaps = batch.lives
    .filter(isGoing)
    .map(({ id, entry, run }) => ({ id, expect: entry, next: { status: 'QUEUED', attempt: run.attempt } as const }))
  try {
    await batch.place.swap(swaps)
  } catch (error) {
    // Then the audit finds the claims dead when their time is over.
    world.warn('claimed runs could not be given back', { runs: swaps.length, reason: String(error) })
  }
}

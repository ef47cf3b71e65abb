// Gives claimed runs back that did not start: their entries say again that nobody has them. The audit sends first attempts
// again; about a later one only the list of open runs knows.

import { whereNeeded } from '../in-bunches.ts'
import { type Batch, isGoing, type Life } from './life.ts'
import { putOpen } from './open.ts'
import type { ExecuteWorld } from './world.ts'

export async function giveBack(world: ExecuteWorld, batch: Batch): Promise<void> {
  const isLater = ({ run }: Life) => run.attempt > 1 || run.depth === null
  try {
    const lives = await whereNeeded(batch.lives.filter(isGoing), isLater, (life) =>
      putOpen(world, batch, life, { fromMs: world.clock.nowMs() }),
    )
    await batch.place.swap(
      lives.map(({ id, entry, run }) => ({ id, expect: entry, next: { status: 'QUEUED', attempt: run.attempt } })),
    )
  } catch (error) {
    // Then the audit finds the claims dead when their time is over.
    world.warn('claimed runs could not be given back', { runs: batch.lives.length, reason: String(error) })
  }
}

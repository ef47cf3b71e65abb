// Takes back the start of a run that was claimed: its lock is let go, somebody comes back to it, and its entry says again
// that nobody has it.

import type { Lane } from '../../core/lanes.ts'
import type { Batch, Life } from './life.ts'
import { letGo } from './locking.ts'
import { putOpen } from './open.ts'
import { swapOwn } from './own-entry.ts'
import { sendRun } from './send-again.ts'
import type { ExecuteWorld } from './world.ts'

export async function putOff(
  world: ExecuteWorld,
  batch: Batch,
  life: Life,
  { isSentNow, lane = batch.lane }: { readonly isSentNow: boolean; readonly lane?: Lane },
): Promise<void> {
  const sender = { ...batch, lane }
  // An item of another lane would send it back to where it does not belong.
  const unlisted = lane === batch.lane ? life : { ...life, run: { ...life.run, openMs: null } }
  const listed = await putOpen(world, sender, unlisted, { fromMs: world.clock.nowMs() })
  await letGo(world, batch, life)
  const next = { status: 'QUEUED', attempt: life.run.attempt } as const
  const result = (await swapOwn(batch.place, [{ id: life.id, expect: life.entry, next }])).get(life.id)
  if (isSentNow && result?.done === true) {
    await sendRun(world, sender, listed.run, life.job, { inSeconds: 0, notBefore: null })
  }
}

// Takes back the start of a run that was claimed. The run is listed as open, so that the audit comes back to it; its lock is freed;
// and its entry says again that no executor has claimed it.

import type { Lane } from '../../core/lanes.ts'
import { swapClaimed } from './claimed-entry.ts'
import type { Batch, Life } from './life.ts'
import { releaseOwnLock } from './locking.ts'
import { putOpen } from './open.ts'
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
  // The run that gets the lock is of the same job: sent on the old lane it would be put off in turn, and so on for ever.
  await releaseOwnLock(world, sender, life)
  const next = { status: 'QUEUED', attempt: life.run.attempt } as const
  const result = (await swapClaimed(batch.place, [{ id: life.id, expect: life.entry, next }])).get(life.id)
  if (isSentNow && result?.done === true) {
    await sendRun(world, sender, listed.run, life.job, { inSeconds: 0, notBefore: null })
  }
}

// How a run waits for its turn.

import { type Decision, decide } from '../../core/gate/gate.ts'
import { joinLine, sendAgain } from '../../core/gate/release.ts'
import { FREE, type Lock } from '../../core/gate/state.ts'
import { nowOf } from '../tick-world.ts'
import type { Asked } from './ask.ts'
import { swapClaimed } from './claimed-entry.ts'
import type { Batch } from './life.ts'
import { releaseAt, sendReleased } from './locking.ts'
import { putOpen } from './open.ts'
import { sendRun } from './send-again.ts'
import type { ExecuteWorld } from './world.ts'

/**
 * First the list of open runs, then the entry, then the line: a run that is given the lock finds its entry free to be claimed. If the
 * lock became free meanwhile, no release would send the run, so this executor sends it.
 */
export async function standInLine(
  world: ExecuteWorld,
  batch: Batch,
  asked: Asked,
  decision: Extract<Decision, { do: 'WAIT' }>,
): Promise<void> {
  const { now, question } = asked
  const notBefore = decision.until
  const fromMs = Math.max(world.clock.nowMs(), (notBefore ?? 0) * 1000)
  const life = await putOpen(world, batch, asked.life, { fromMs, notBefore })
  const next = { status: 'WAITING', attempt: life.run.attempt } as const
  const detail = life.run.depth === null ? { reason: decision.reason } : undefined
  const result = (await swapClaimed(batch.place, [{ id: life.id, expect: life.entry, next, detail }])).get(life.id)
  if (result?.done !== true) return
  const at = await releaseAt(world, life.jobId, life.job)
  const [{ stillWaits, send, promoted }] = await world.locks.change([
    {
      jobId: life.jobId,
      believed: FREE,
      decide: (lock: Lock) => {
        const stillWaits = decide({ ...question, run: life.run, lock, now }).do === 'WAIT'
        const next = stillWaits ? joinLine(lock, life.run, at) : { ...sendAgain(lock, now), promoted: null }
        return { lock: next.lock === lock ? null : next.lock, result: { ...next, stillWaits } }
      },
    },
  ])
  await sendReleased(world, batch, life.job, { send, promoted })
  if (!stillWaits) await sendRun(world, batch, life.run, life.job, { inSeconds: 0, notBefore: null })
  else if (notBefore !== null) {
    await sendRun(world, batch, life.run, life.job, { inSeconds: notBefore - nowOf(world), notBefore })
  }
}

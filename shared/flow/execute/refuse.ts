// Ends the runs of a message that a queue will never take: FAILED with the reason, and then what follows an end as always. Before that
// it is put down that this is to be done, so that a ticker that dies on the way is followed by one that repeats it.

import { neverStarted } from '../../core/pages/entry.ts'
import { decideRefusal } from '../../core/refusal.ts'
import { readMessage } from '../../core/run/message.ts'
import { triggeredBy } from '../../core/run/settlement.ts'
import { mapLimited } from '../map-limited.ts'
import { nowOf } from '../tick-world.ts'
import { batchOf } from './batch.ts'
import type { Batch, End, Life } from './life.ts'
import { putOpen } from './open.ts'
import { mayHold, release } from './release.ts'
import { isRemembered, remember } from './remember.ts'
import type { Settled } from './settle.ts'
import type { EndingWorld } from './world.ts'

/** A larger message has no room in the list of open runs. */
const LISTED_CHARACTERS = 300_000

export async function endRefused(world: EndingWorld, body: string, reason: string): Promise<void> {
  const batch = await batchOf(world, readMessage(body))
  if (batch.lives.length === 0) return
  const entries = await batch.place.read()
  const isListed = body.length <= LISTED_CHARACTERS
  const settled = await mapLimited(batch.lives, (life) =>
    endLife(world, batch, { ...life, entry: entries.get(life.id) ?? null }, reason, isListed),
  )
  await release(world, batch, settled.flat())
}

/** None where an executor has claimed it. */
async function endLife(
  world: EndingWorld,
  batch: Batch,
  life: Life,
  reason: string,
  isListed: boolean,
): Promise<Settled[]> {
  const { id, entry: expect, run, kind } = life
  const nowMs = world.clock.nowMs()
  const decision = decideRefusal(expect, run.attempt, nowOf(world))
  if (decision.do === 'LEAVE') return []
  if (decision.do === 'REPEAT') {
    const { ended: entry } = decision
    const end: End = { status: entry.status, startedMs: null, endedMs: nowMs }
    return [{ life: { ...life, isRepeat: true, end }, entry, retryInSeconds: null }]
  }
  const { attempt } = decision
  const end: End = { status: 'FAILED', startedMs: null, endedMs: nowMs, reason }
  const known = { ...life, wasKnown: expect !== null, run: { ...run, attempt } }
  const isFollowed = kind !== 'stop' && (mayHold(known) || triggeredBy('FAILED', life.job.then).length > 0)
  const listed = isFollowed && isListed ? await putOpen(world, batch, known, { fromMs: nowMs }) : known
  const next = neverStarted('FAILED', attempt)
  const detail = kind === 'stop' ? undefined : detailOf(batch, known, end)
  const result = (await batch.place.swap([{ id, expect, next, detail }])).get(id)
  if (result?.done !== true) return []
  const ending = { life: { ...listed, end }, expect, next, retryInSeconds: null }
  if (isRemembered(ending)) await remember(world, batch, ending)
  world.warn('a run has failed because a queue refused it', { runId: run.runId, reason })
  return [{ life: ending.life, entry: next, retryInSeconds: null }]
}

const detailOf = ({ lane }: Batch, { run, job }: Life, { endedMs, reason }: End) => ({
  version: job.version,
  trigger: run.trigger,
  ...(run.instant === null ? {} : { instant: run.instant }),
  ...(run.nominal === null ? {} : { nominal: run.nominal }),
  lane,
  finishedAtMs: endedMs,
  ...(reason === undefined ? {} : { reason }),
})

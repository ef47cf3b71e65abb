// Claims the runs of a message: each for this executor alone, as many as possible in one write. What it finds instead
// decides about the rest: taken over from the dead, left to the living, put back where it comes early.

import { type ClaimDecision, deadlineOf, decideClaim } from '../../core/claim.ts'
import { type ClaimEntry, TOKEN_LENGTH } from '../../core/pages/entry.ts'
import { secondOf } from '../../core/time/units.ts'
import { type Batch, endedAs, type Life } from './life.ts'
import { sendRun } from './send-again.ts'
import type { ExecuteWorld } from './world.ts'

/** An entry that others keep changing is left to them. */
const MOST_ROUNDS = 5

/** The batch with the runs that this executor has claimed, and those that have ended; the others are left out. */
export async function claim(world: ExecuteWorld, batch: Batch): Promise<Batch> {
  let asking: readonly Life[] = await seen(batch)
  const lives: Life[] = []
  for (let round = 1; asking.length > 0 && round <= MOST_ROUNDS; round++) {
    const claimedMs = world.clock.nowMs()
    const now = secondOf(claimedMs)
    const token = world.newId().slice(0, TOKEN_LENGTH)
    const wanted: { life: Life; next: ClaimEntry }[] = []
    for (const life of asking) {
      const { attempt, openMs } = life.run
      const asked = { attempt, notBefore: life.notBefore, isListed: openMs !== null }
      const decision = decideClaim(life.entry, asked, life.job.retry, now)
      if (decision.do === 'CLAIM') {
        const deadlineSecond = deadlineOf(now, life.job.timeoutSeconds, batch.lane)
        wanted.push({ life, next: { status: 'RUNNING', attempt: decision.attempt, token, deadlineSecond } })
      } else {
        const ended = await carryOut(world, batch, life, decision)
        if (ended !== null) lives.push(ended)
      }
    }
    asking = []
    if (wanted.length === 0) break
    const results = await batch.place.swap(wanted.map(({ life, next }) => ({ id: life.id, expect: life.entry, next })))
    const again: Life[] = []
    for (const { life, next } of wanted) {
      const result = results.get(life.id)
      if (result?.done === true) lives.push(claimedAs(life, next, claimedMs))
      else again.push({ ...life, entry: result?.found ?? null })
    }
    asking = again
  }
  return { ...batch, lives: inOrderOf(batch, lives) }
}

/** First attempts on a page are claimed without a read, because there is hardly ever an entry yet. */
async function seen({ lives, place }: Batch): Promise<readonly Life[]> {
  const isKnown = lives.every(({ run, notBefore }) => run.depth === null || (run.attempt === 1 && notBefore === null))
  if (isKnown) return lives
  const entries = await place.read()
  return lives.map((life) => ({ ...life, entry: entries.get(life.id) ?? null }))
}

/** The run with its end, or null where it has none here: another executor has claimed it, it waits, or its message is early or old. */
async function carryOut(
  world: ExecuteWorld,
  batch: Batch,
  life: Life,
  decision: Exclude<ClaimDecision, { do: 'CLAIM' }>,
): Promise<Life | null> {
  const nowMs = world.clock.nowMs()
  if (decision.do === 'LOSE') {
    const lost = { ...life, run: { ...life.run, attempt: decision.attempt } }
    return endedAs(lost, 'LOST', nowMs, 'its executor is gone, and no attempt is left')
  }
  if (decision.do === 'REPEAT') {
    return { ...life, isRepeat: true, end: { status: decision.ended.status, startedMs: null, endedMs: nowMs } }
  }
  if (decision.do === 'PUT_BACK') {
    await sendRun(world, batch, life.run, life.job, { inSeconds: decision.inSeconds, notBefore: life.notBefore })
  }
  return null
}

/** Where it is another attempt than its message was about, the open item is about that too, and of no use any more. */
function claimedAs(life: Life, entry: ClaimEntry, claimedMs: number): Life {
  const openMs = entry.attempt === life.run.attempt ? life.run.openMs : null
  return {
    ...life,
    entry,
    claimedMs,
    wasKnown: life.entry !== null,
    run: { ...life.run, attempt: entry.attempt, openMs },
  }
}

function inOrderOf({ lives: wanted }: Batch, lives: readonly Life[]): Life[] {
  const byId = new Map(lives.map((life) => [life.id, life]))
  return wanted.flatMap(({ id }) => byId.get(id) ?? [])
}

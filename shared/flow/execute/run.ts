// Runs what may start, all of a message together, and looks after it: time-outs, claims that were taken away, claims of long
// runs that must be renewed.

import { deadlineOf } from '../../core/claim.ts'
import { CLAIM_RENEWED_EVERY_SECONDS } from '../../core/timings.ts'
import { nowOf } from '../tick-world.ts'
import { type Attempt, type Started, startAttempt } from './attempt.ts'
import { swapClaimed } from './claimed-entry.ts'
import type { Batch } from './life.ts'
import type { Routed } from './route.ts'
import type { ExecuteWorld } from './world.ts'

/** A run that was cancelled or covered knows within two seconds. */
const LOOKS_EVERY_MS = 1500

export function run(world: ExecuteWorld, batch: Batch, routed: readonly Routed[]): Attempt[] {
  const started = routed.map((each) => startAttempt(world, each))
  void lookAfter(world, batch, started)
  return started.map(({ attempt }) => attempt)
}

async function lookAfter(world: ExecuteWorld, batch: Batch, started: readonly Started[]): Promise<void> {
  const allOver = new AbortController()
  void Promise.all(started.map(({ attempt }) => attempt.ended)).then(() => allOver.abort('all have ended'))
  let looksAtMs = world.clock.nowMs() + LOOKS_EVERY_MS
  let renewsAtMs = world.clock.nowMs() + CLAIM_RENEWED_EVERY_SECONDS * 1000
  for (;;) {
    const going = started.filter(({ attempt }) => !attempt.isOver)
    if (going.length === 0) return
    const nextTimeoutMs = Math.min(...going.map(({ attempt }) => attempt.timesOutAtMs))
    await world.until(Math.min(nextTimeoutMs, looksAtMs), allOver.signal)
    const nowMs = world.clock.nowMs()
    for (const { attempt, log } of going) if (nowMs >= attempt.timesOutAtMs) attempt.timeOut(nowMs, log)
    if (nowMs < looksAtMs || allOver.signal.aborted) continue
    const left = going.map(({ attempt }) => attempt).filter(({ isOver }) => !isOver)
    const isRenewal = batch.lane === 'slow' && nowMs >= renewsAtMs
    await (isRenewal ? renew(world, batch, left) : look(world, batch, left))
    if (isRenewal) renewsAtMs = nowMs + CLAIM_RENEWED_EVERY_SECONDS * 1000
    looksAtMs = world.clock.nowMs() + LOOKS_EVERY_MS
  }
}

const TAKEN = 'the run was cancelled, covered by a newer one or taken over'

async function look(world: ExecuteWorld, batch: Batch, going: readonly Attempt[]): Promise<void> {
  try {
    const entries = await batch.place.read()
    for (const attempt of going) {
      const [mine, found] = [attempt.life.entry, entries.get(attempt.life.id)]
      const isMine = mine?.status === 'RUNNING' && found?.status === 'RUNNING' && found.token === mine.token
      if (!isMine) attempt.giveUp(TAKEN)
    }
  } catch (error) {
    // It goes on: the next look comes soon, and what is written in the end is refused if it must be.
    world.warn('a running run could not be looked after', { reason: String(error) })
  }
}

/** A claim that could not be renewed in time may be taken over, so the run ends itself first. */
async function renew(world: ExecuteWorld, batch: Batch, going: readonly Attempt[]): Promise<void> {
  for (const attempt of going) {
    const { entry, id, job } = attempt.life
    if (entry?.status !== 'RUNNING') continue
    const next = { ...entry, deadlineSecond: deadlineOf(nowOf(world), job.timeoutSeconds, batch.lane) }
    attempt.renewing = swapClaimed(batch.place, [{ id, expect: entry, next }]).then(
      (results) => {
        if (results.get(id)?.done === true) attempt.life = { ...attempt.life, entry: next }
        else attempt.giveUp(TAKEN)
      },
      (error: unknown) => {
        world.warn('a claim could not be renewed', { runId: attempt.life.run.runId, reason: String(error) })
        if (nowOf(world) >= entry.deadlineSecond) attempt.giveUp('its claim could not be renewed in time')
      },
    )
    await attempt.renewing
  }
}

// The life of a run, from the message that brings it to the run that follows it. What it is part of, a page of runs or a run
// of its own, goes through together; one that fails harms no other.

import { readMessage } from '../../core/run/message.ts'
import { nowOf } from '../tick-world.ts'
import { batchOf } from './batch.ts'
import { check } from './check.ts'
import { claim } from './claim.ts'
import type { FreshChanges } from './fresh-changes.ts'
import { gate } from './gate.ts'
import { giveBack } from './give-back.ts'
import type { Batch } from './life.ts'
import { goRoundAgain, isTooOldToStart } from './make-ready.ts'
import { release } from './release.ts'
import { type Routed, route } from './route.ts'
import { run } from './run.ts'
import { type Settled, settle } from './settle.ts'
import type { ExecuteWorld } from './world.ts'

export interface Executed {
  readonly batch: Batch
  readonly settled: readonly Settled[]
}

/** Throws where the message must come again, or end among the dead letters. */
export async function execute(world: ExecuteWorld, changes: FreshChanges, body: string): Promise<Executed> {
  const message = readMessage(body)
  // A ticker whose clock is a little ahead must not make a run start early.
  if (message.type === 'page') await world.until(message.key.second * 1000)
  const claimed = await claim(world, await batchOf(world, message))
  const { batch, routed } = await letThrough(world, changes, claimed)
  const now = nowOf(world)
  const { ready = [], tooOld = [] } = Object.groupBy(routed, (each) =>
    isTooOldToStart(each, now) ? 'tooOld' : 'ready',
  )
  const attempts = run(world, batch, ready)
  const settled: Settled[] = []
  const failures: unknown[] = []
  const wentRound = goRoundAgain(world, batch, tooOld).catch((error: unknown) => failures.push(error))
  for await (const some of settle(world, batch, attempts)) {
    settled.push(...some.settled)
    await release(world, batch, some.settled).catch((error: unknown) => failures.push(error))
  }
  await wentRound
  if (failures.length > 0) throw failures[0]
  if (message.type === 'page' && message.unreadable.length > 0) {
    const [{ id, problem }] = message.unreadable
    throw new Error(`${message.unreadable.length} tickets cannot be read, the first of ${id}: ${problem}`)
  }
  return { batch, settled }
}

/** What was claimed and cannot be started is given back, so that the next executor need not wait until the claim is dead. */
async function letThrough(
  world: ExecuteWorld,
  changes: FreshChanges,
  claimed: Batch,
): Promise<{ readonly batch: Batch; readonly routed: readonly Routed[] }> {
  try {
    const checked = await check(world, changes, claimed)
    const batch = await gate(world, checked)
    return { batch, routed: await route(world, batch) }
  } catch (error) {
    await giveBack(world, claimed)
    throw error
  }
}

// Lets claimed runs start, or tells them to wait, or ends them, as the rules of their jobs and the others that run demand. What
// time alone keeps apart needs no lock; the locks of all others of a page are taken with one write.

import { lockDeadlineOf } from '../../core/claim.ts'
import { type Decision, decide } from '../../core/gate/gate.ts'
import { take } from '../../core/gate/release.ts'
import { FREE, type Holder, type Lock } from '../../core/gate/state.ts'
import type { OutcomeStatus } from '../../core/run/settlement.ts'
import { LIVE_SECONDS } from '../../core/timings.ts'
import type { LockChange } from '../../ports.ts'
import { mapLimited, mapWhere } from '../map-limited.ts'
import { nowOf } from '../tick-world.ts'
import { type Asked, ask } from './ask.ts'
import { cancelRun } from './cancel.ts'
import { type Batch, endedAs, isGoing, type Life } from './life.ts'
import { makeReady, renewOld } from './make-ready.ts'
import { postpone } from './postpone.ts'
import { standInLine } from './stand-in-line.ts'
import { carryOutStop } from './stop.ts'
import type { ExecuteWorld } from './world.ts'

export async function gate(world: ExecuteWorld, batch: Batch): Promise<Batch> {
  const fresh = await renewOld(world, batch, batch.lives)
  const isStop = (life: Life) => isGoing(life) && life.kind !== 'start'
  const stopped = await mapWhere(fresh, isStop, (life) => stopFirst(world, batch, life))
  const { asked, troubled } = await ask(world, stopped.filter(isGoing))
  const decided = new Map<string, Life>()
  for (const { life, trouble } of troubled) {
    const ended = await postpone(world, batch, life, trouble)
    if (ended !== null) decided.set(ended.id, ended)
  }
  const forLock: Asked[] = []
  for (const each of asked) {
    const decision = decide({ ...each.question, lock: FREE, now: each.now })
    const isFinal = decision.do !== 'WAIT' && !(decision.do === 'START' && decision.takesLock)
    if (isFinal) decided.set(each.life.id, ended(world, each.life, decision))
    else forLock.push(each)
  }
  for (const life of await throughLock(world, batch, forLock)) decided.set(life.id, life)
  const lives = stopped.flatMap((life) => (isGoing(life) ? (decided.get(life.id) ?? []) : [life]))
  return { ...batch, lives: await makeReady(world, batch, lives) }
}

/** A stop is all that its entry is about; a restart is a stop and then a run. */
async function stopFirst(world: ExecuteWorld, batch: Batch, life: Life): Promise<Life> {
  const late = nowOf(world) - life.second
  // A restart that comes too late is told so by the gate.
  if (late > LIVE_SECONDS)
    return life.kind === 'restart'
      ? life
      : endedAs(life, 'MISSED', world.clock.nowMs(), `a stop that comes ${late} s late is dropped`)
  try {
    await carryOutStop(world, batch, life)
  } catch (error) {
    return endedAs(life, 'FAILED', world.clock.nowMs(), `the ${life.kind} could not be carried out: ${error}`)
  }
  if (life.kind === 'restart') return life
  const nowMs = world.clock.nowMs()
  return { ...life, end: { status: 'SUCCEEDED', startedMs: nowMs, endedMs: nowMs } }
}

interface Ruled {
  readonly asked: Asked
  /** Null where a later attempt of the run holds the lock: then this one was taken over. */
  readonly decision: Decision | null
  readonly holds: Holder | null
}

async function throughLock(world: ExecuteWorld, batch: Batch, all: readonly Asked[]): Promise<Life[]> {
  if (all.length === 0) return []
  const ruled = await world.locks.change(all.map((asked) => lockChange(world, asked, NONE_CANCELLED)))
  const started = ruled.filter(({ holds }) => holds !== null)
  const others = ruled.filter(({ holds, decision }) => holds === null && decision !== null)
  const lives = await mapLimited(others, async ({ asked, decision }): Promise<Life | null> => {
    try {
      return await carryOut(world, batch, asked, decision as Decision)
    } catch (error) {
      return postpone(world, batch, asked.life, String(error))
    }
  })
  return [...started.map(({ asked, holds }) => ({ ...asked.life, holds })), ...lives.filter((life) => life !== null)]
}

async function carryOut(world: ExecuteWorld, batch: Batch, asked: Asked, decision: Decision): Promise<Life | null> {
  switch (decision.do) {
    case 'COVER':
      return cover(world, batch, asked, decision.cancels)
    case 'WAIT':
      await standInLine(world, batch, asked, decision)
      return null
    default:
      return ended(world, asked.life, decision)
  }
}

const NONE_CANCELLED: ReadonlySet<string> = new Set()
const MOST_COVERS = 5

/**
 * First the older runs are cancelled, then the lock is taken. So where the executor dies in between, every run that still goes on
 * stands in the lock.
 */
async function cover(
  world: ExecuteWorld,
  batch: Batch,
  asked: Asked,
  cancels: readonly Holder[],
): Promise<Life | null> {
  const { life } = asked
  const covered = new Set<string>()
  let next = cancels
  for (let round = 1; round <= MOST_COVERS; round++) {
    for (const other of next) {
      await cancelRun(world.ledger, batch.shard, other, `${life.run.runId} is newer and covers it`)
      covered.add(other.runId)
    }
    const [{ decision, holds }] = await world.locks.change([lockChange(world, asked, covered)])
    if (decision === null) return null
    if (holds !== null) return { ...life, holds }
    if (decision.do !== 'COVER') return carryOut(world, batch, asked, decision)
    next = decision.cancels
  }
  throw new Error(`others kept taking the lock of job ${life.jobId}`)
}

/**
 * A run that may start takes the lock with the same write. So does a run that covers others, once those are cancelled. To wait
 * takes more steps, so here it is only decided.
 */
function lockChange(world: ExecuteWorld, asked: Asked, covered: ReadonlySet<string>): LockChange<Ruled> {
  const { life, question, now } = asked
  const { job, jobId, run } = life
  const isTakenOver = ({ holders }: Lock) =>
    holders.some(({ runId, attempt }) => runId === run.runId && attempt > run.attempt)
  const mayTake = (decision: Decision) =>
    (decision.do === 'START' && decision.takesLock) ||
    (decision.do === 'COVER' && decision.cancels.every(({ runId }) => covered.has(runId)))
  return {
    jobId,
    believed: FREE,
    decide: (lock) => {
      if (isTakenOver(lock)) return { lock: null, result: { asked, decision: null, holds: null } }
      const decision = decide({ ...question, lock, now })
      // A write that was held up must not take the lock until a time that has almost come.
      const deadline = lockDeadlineOf(nowOf(world), job.timeoutSeconds)
      const next = mayTake(decision) ? take(lock, run, deadline, now, job.block) : null
      const holds = next?.holders.find(({ runId }) => runId === run.runId) ?? null
      return { lock: next, result: { asked, decision, holds } }
    },
  }
}

const STATUS_OF: Readonly<Record<'DISCARD' | 'SKIP' | 'EXPIRE' | 'CANCEL' | 'MISS', OutcomeStatus>> = {
  DISCARD: 'DISCARDED',
  SKIP: 'SKIPPED',
  EXPIRE: 'EXPIRED',
  CANCEL: 'CANCELLED',
  MISS: 'MISSED',
}

function ended(world: ExecuteWorld, life: Life, decision: Decision): Life {
  if (decision.do === 'START' || decision.do === 'WAIT' || decision.do === 'COVER') return life
  return endedAs(life, STATUS_OF[decision.do], world.clock.nowMs(), decision.reason)
}

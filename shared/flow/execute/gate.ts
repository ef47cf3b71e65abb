// Lets claimed runs start, or tells them to wait, or ends them, as the rules of their jobs and the others that run demand. What
// time alone keeps apart needs no lock; the locks of all others of a page are taken with one write.

import { deadlineOf, lockDeadlineOf, mayStart } from '../../core/claim.ts'
import { type Decision, decide, type GateInput } from '../../core/gate/gate.ts'
import { type RunTimes, timesByMeeting, timesOf } from '../../core/gate/overlap.ts'
import { release, take, wait } from '../../core/gate/release.ts'
import { FREE, type Holder, type Lock, NEW_STATE } from '../../core/gate/state.ts'
import { LIVE_SECONDS } from '../../core/planner/misfire.ts'
import type { OutcomeStatus } from '../../core/run/settlement.ts'
import { NEVER } from '../../core/time/instants.ts'
import type { LockChange } from '../../ports.ts'
import { inBunches } from '../in-bunches.ts'
import { nowOf } from '../tick-world.ts'
import { cancelRun } from './cancel.ts'
import { lastSuccessOf } from './last-success.ts'
import { type Batch, endedAs, isGoing, type Life } from './life.ts'
import { isOverdue, releaseAt, sendReleased } from './locking.ts'
import { putOpen } from './open.ts'
import { postpone } from './postpone.ts'
import { sendRun } from './send-again.ts'
import { carryOutStop } from './stop.ts'
import type { ExecuteWorld } from './world.ts'

/** What the gate asks about a run, but for the lock. */
type Question = Omit<GateInput, 'lock' | 'now'>

interface Asked {
  readonly life: Life
  readonly question: Question
  readonly now: number
}

/** One about which the gate could not find out what it must know. */
interface Troubled {
  readonly life: Life
  readonly trouble: string
}

export async function gate(world: ExecuteWorld, batch: Batch): Promise<Batch> {
  const fresh = await inBunches(batch.lives, (life) => renewed(world, batch, life))
  const stopped = await inBunches(present(fresh), (life) => stopsFirst(world, batch, life))
  const decided = new Map<string, Life>()
  const asked: Asked[] = []
  for (const each of await ask(world, stopped.filter(isGoing))) {
    if (!('trouble' in each)) asked.push(each)
    else {
      const ended = await postpone(world, batch, each.life, each.trouble)
      if (ended !== null) decided.set(ended.id, ended)
    }
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
  const ready = await inBunches(lives, (life) => makeReady(world, batch, life))
  return { ...batch, lives: present(ready) }
}

const present = (lives: readonly (Life | null)[]): Life[] => lives.filter((life) => life !== null)

/** A stop is all that its entry is about; a restart is a stop and then a run. */
async function stopsFirst(world: ExecuteWorld, batch: Batch, life: Life): Promise<Life> {
  if (!isGoing(life) || life.kind === 'start') return life
  const late = nowOf(world) - life.second
  // A restart that comes too late is told so by the gate.
  if (late > LIVE_SECONDS)
    return life.kind === 'restart'
      ? life
      : endedAs(life, 'MISSED', world.clock.nowMs(), `a stop that comes ${late} s late is dropped`)
  await carryOutStop(world, batch, life)
  if (life.kind === 'restart') return life
  const nowMs = world.clock.nowMs()
  return { ...life, end: { status: 'SUCCEEDED', startedMs: nowMs, endedMs: nowMs } }
}

/** Reads what the gate has to know and no message told. */
async function ask(world: ExecuteWorld, lives: readonly Life[]): Promise<(Asked | Troubled)[]> {
  const now = nowOf(world)
  const isTold = (life: Life) => timesByMeeting(life.meets, life.run, now) !== null && !life.job.skipIfSuccessful
  const unknown = lives.filter((life) => life.stored === null && !isTold(life)).map(({ jobId }) => jobId)
  const read = unknown.length === 0 ? [] : await world.jobs.readMany([...new Set(unknown)])
  const found = new Map(read.map((job) => [job.id, job]))
  return inBunches(lives, async (life) => {
    try {
      return await askAbout(world, { ...life, stored: life.stored ?? found.get(life.jobId) ?? null }, now)
    } catch (error) {
      return { life, trouble: String(error) }
    }
  })
}

async function askAbout(world: ExecuteWorld, life: Life, now: number): Promise<Asked> {
  const { job, run, jobId, stored } = life
  const needsState = job.skipIfSuccessful || job.misfire.policy === 'CATCH_UP'
  const state = needsState ? await world.states.read(jobId) : NEW_STATE
  const lastSuccessOfAfter = await Promise.all(job.after.map((each) => lastSuccessOf(world, each, now)))
  const told = timesByMeeting(life.meets, run, now)
  const times: RunTimes =
    stored === null
      ? { needsNoLock: () => false, clearFrom: () => now, previousInstant: () => NEVER, ...told }
      : timesOf(stored, run, now)
  return { life, question: { run, times, policy: job, state, lastSuccessOfAfter }, now }
}

interface Ruled {
  readonly asked: Asked
  /** Null where a later attempt of the run has the lock: then this one was taken over. */
  readonly decision: Decision | null
  readonly holds: Holder | null
}

async function throughLock(world: ExecuteWorld, batch: Batch, all: readonly Asked[]): Promise<Life[]> {
  if (all.length === 0) return []
  const ruled = await world.locks.change(all.map((each) => lockChange(each)))
  const lives = await inBunches(ruled, async ({ asked, decision, holds }): Promise<Life[]> => {
    const { life } = asked
    if (decision === null) return []
    switch (decision.do) {
      case 'START':
        return [{ ...life, holds }]
      case 'COVER':
        for (const other of decision.cancels) {
          await cancelRun(world.ledger, batch.shard, other, `${life.run.runId} is newer and covers it`)
        }
        return [{ ...life, holds }]
      case 'WAIT':
        await standInLine(world, batch, asked, decision)
        return []
      default:
        return [ended(world, life, decision)]
    }
  })
  return lives.flat()
}

/** Whoever may start takes the lock with the same write; to wait takes more steps, so it is only decided on here. */
function lockChange(asked: Asked): LockChange<Ruled> {
  const { life, question, now } = asked
  const { job, jobId, run } = life
  const deadline = lockDeadlineOf(now, job.timeoutSeconds)
  const isTakenOver = ({ holders }: Lock) =>
    holders.some(({ runId, attempt }) => runId === run.runId && attempt > run.attempt)
  return {
    jobId,
    believed: FREE,
    decide: (lock) => {
      if (isTakenOver(lock)) return { lock: null, result: { asked, decision: null, holds: null } }
      const decision = decide({ ...question, lock, now })
      const starts = decision.do === 'COVER' || (decision.do === 'START' && decision.takesLock)
      const next = starts ? take(lock, run, deadline, now, job.block) : null
      const holds = next?.holders.find(({ runId }) => runId === run.runId) ?? null
      return { lock: next, result: { asked, decision, holds } }
    },
  }
}

/**
 * First the list of open runs, then the entry, then the line: whoever is given the lock finds its entry free to be claimed. If the
 * lock became free meanwhile nobody would send the run, so it sends itself.
 */
async function standInLine(
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
  const result = (await batch.place.swap([{ id: life.id, expect: life.entry, next, detail }])).get(life.id)
  if (result?.done !== true) return
  const [{ stillWaits, send }] = await world.locks.change([
    {
      jobId: life.jobId,
      believed: FREE,
      decide: (lock: Lock) => {
        const stillWaits = decide({ ...question, run: life.run, lock, now }).do === 'WAIT'
        const send = lock.holders.filter((holder) => isOverdue(holder, now))
        return { lock: stillWaits ? wait(lock, life.run, now) : null, result: { stillWaits, send } }
      },
    },
  ])
  await sendReleased(world, batch, life.job, { send })
  if (!stillWaits) await sendRun(world, batch, life.run, life.job, { inSeconds: 0, notBefore: null })
  else if (notBefore !== null) {
    await sendRun(world, batch, life.run, life.job, { inSeconds: notBefore - nowOf(world), notBefore })
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

/** Somebody comes back to what takes long. Null where the run was taken over while it was decided about. */
async function makeReady(world: ExecuteWorld, batch: Batch, life: Life): Promise<Life | null> {
  if (!isGoing(life)) return life
  const listed = batch.lane === 'slow' ? await putOpen(world, batch, life, { fromMs: world.clock.nowMs() }) : life
  const ready = await renewed(world, batch, listed)
  if (ready === null && life.holds !== null) await letGo(world, batch, life, life.holds)
  return ready
}

/** A claim that grew old on the way is made anew, so that it outlives the run. Null where it is lost. */
async function renewed(world: ExecuteWorld, batch: Batch, life: Life): Promise<Life | null> {
  const { entry, claimedMs, job, id } = life
  const now = nowOf(world)
  if (!isGoing(life) || entry?.status !== 'RUNNING' || mayStart(Math.floor(claimedMs / 1000), now)) return life
  const next = { ...entry, deadlineSecond: deadlineOf(now, job.timeoutSeconds, batch.lane) }
  const result = (await batch.place.swap([{ id, expect: entry, next }])).get(id)
  return result?.done === true ? { ...life, entry: next, claimedMs: world.clock.nowMs() } : null
}

/** Frees a lock that was taken for a run that is no longer ours. */
async function letGo(world: ExecuteWorld, batch: Batch, { jobId, run, job }: Life, holds: Holder): Promise<void> {
  const at = await releaseAt(world, jobId, job)
  const [released] = await world.locks.change([
    {
      jobId,
      believed: { holders: [holds], waiting: [] },
      decide: (lock) => {
        const isMine = lock.holders.some(({ runId, attempt }) => runId === run.runId && attempt === run.attempt)
        const result = release(lock, run.runId, at)
        return isMine ? { lock: result.lock, result } : { lock: null, result: { lock, send: [] } }
      },
    },
  ])
  await sendReleased(world, batch, job, released)
}

// Works off seconds that no tick opened within LIVE_SECONDS: a few jobs of a gap a link, and what is caught up at a bounded rate.
// Every step can be repeated: a run is put once under its second, and one that was put and never sent is sent again.

import { oldestWaiter } from '../core/gate/state.ts'
import { isStoppedForGood } from '../core/job/version.ts'
import { isSameJson } from '../core/json-equal.ts'
import { neverStarted } from '../core/pages/entry.ts'
import { type BacklogEntry, stepBacklog } from '../core/planner/backlog.ts'
import {
  addCursors,
  type CatchUpCursor,
  isCatchingUp,
  type MissedInstant,
  shareBudget,
  stepCatchUp,
} from '../core/planner/catch-up.ts'
import type { DueItem } from '../core/planner/due.ts'
import type { GapPlan, Missed } from '../core/planner/gap.ts'
import type { Trigger } from '../core/run/run.ts'
import type { Message } from '../ports.ts'
import { listedMessageFor } from './execute/send-again.ts'
import { mapLimited } from './map-limited.ts'
import { putStandalone } from './put-standalone.ts'
import { sendRuns } from './send-runs.ts'
import type { ShardMemory } from './shard-memory.ts'
import type { TickWorld } from './tick-world.ts'

const JOBS_A_STEP = 50
const STEP_MS = 300

export interface WorkedBacklog {
  readonly backlog: readonly BacklogEntry[]
  readonly finishedJobs: readonly string[]
  /** Instants that never run. */
  readonly missed: number
}

/** Works on the backlog for a while and returns what is left of it. */
export async function workBacklog(
  world: TickWorld,
  memory: ShardMemory,
  backlog: readonly BacklogEntry[],
): Promise<WorkedBacklog> {
  const startedMs = world.clock.nowMs()
  const finishedJobs: string[] = []
  let left = backlog
  let missed = 0
  while (left.length > 0 && world.clock.nowMs() - startedMs < STEP_MS) {
    const step = stepBacklog(memory.snapshot, left, JOBS_A_STEP)
    await Promise.all(step.plans.map(({ jobId, plan }) => carryOutGapPlan(world, memory, jobId, plan)))
    missed += step.plans.flatMap(({ plan }) => plan.missed).reduce((sum, { count }) => sum + count, 0)
    finishedJobs.push(...step.finishedJobs)
    left = step.backlog
  }
  return { backlog: left, finishedJobs, missed }
}

async function carryOutGapPlan(world: TickWorld, memory: ShardMemory, jobId: string, plan: GapPlan): Promise<void> {
  if (plan.catchUp.length > 0) {
    await world.states.change(jobId, (state) => ({ state: addCursors(state, plan.catchUp), result: null }))
    memory.catchingUp?.add(jobId)
  }
  await putMissed(world, jobId, plan.missed)
  if (plan.fire !== null) await sendInOrder(world, [await putMissedRun(world, memory, jobId, plan.fire, 'MISFIRE')])
}

async function putMissed(world: TickWorld, jobId: string, missed: readonly Missed[]): Promise<void> {
  for (const each of missed) await world.ledger.putMissed({ ...each, jobId })
}

/** A run under its bare second. */
const putMissedRun = (
  world: TickWorld,
  memory: ShardMemory,
  jobId: string,
  { second, nominal }: DueItem,
  trigger: Trigger,
): Promise<Message | null> =>
  putStandalone(world, {
    shard: memory.shard,
    id: { jobId, second, suffix: '' },
    trigger,
    instant: second,
    nominal,
    lane: 'slow',
    changesReadAtMs: memory.changesReadAtMs,
    ticket: memory.ticketOf(jobId),
  })

const MESSAGES_A_CALL = 10

/** Call by call, because what is caught up is to start oldest first. Throws where the queue does not take all of it. */
async function sendInOrder(world: TickWorld, messages: readonly (Message | null)[]): Promise<void> {
  const wanted = messages.filter((message) => message !== null)
  for (let first = 0; first < wanted.length; first += MESSAGES_A_CALL) {
    const unsent = await sendRuns(world, 'slow', wanted.slice(first, first + MESSAGES_A_CALL))
    if (unsent.length > 0) throw new Error(`${unsent.length} messages were not taken by the slow queue`)
  }
}

/** Sends the next instants of jobs that catch up, and returns the jobs that are done with it. */
export async function catchUp(world: TickWorld, memory: ShardMemory, second: number): Promise<string[]> {
  const jobs = [...(await jobsCatchingUp(world, memory))].sort()
  const budgets = shareBudget(jobs.length, second)
  const done = await mapLimited(
    jobs.map((jobId, place) => ({ jobId, budget: budgets[place] })),
    async ({ jobId, budget }) => {
      try {
        return budget > 0 && (await catchUpJob(world, memory, jobId, second, budget)) ? [jobId] : []
      } catch (error) {
        world.warn('a job could not be caught up and is tried again', { jobId, reason: String(error) })
        return []
      }
    },
  )
  return done.flat()
}

/** True where the job has nothing left to catch up. */
async function catchUpJob(
  world: TickWorld,
  memory: ShardMemory,
  jobId: string,
  second: number,
  budget: number,
): Promise<boolean> {
  const job = memory.snapshot.job(jobId)
  if (job === null) return false
  const { catchUp: cursors } = await world.states.read(jobId)
  const step = stepCatchUp(job, cursors, second, budget)
  if (isSameJson(step.cursors, cursors)) {
    // A stop has frozen it. Where that does not end by itself, the next change of a job is the time to look again.
    if (isStoppedForGood(job)) memory.freezeCatchUp(jobId)
    return false
  }
  await mapLimited(step.missed, (each) => putAsMissed(world, jobId, each))
  await sendInOrder(world, await mapLimited(step.send, (item) => putMissedRun(world, memory, jobId, item, 'CATCH_UP')))
  if (!isCatchingUp(step.cursors)) await sendNextInLine(world, memory, jobId)
  const left = await world.states.change(jobId, (state) => {
    const isThere = (cursor: CatchUpCursor) => state.catchUp.some((each) => isSameJson(each, cursor))
    // Another link made the step meanwhile, and what it wrote counts; what another gap put in stays.
    if (!cursors.every(isThere)) return { state: null, result: state.catchUp }
    const added = state.catchUp.filter((each) => !cursors.some((cursor) => isSameJson(each, cursor)))
    const after = [...step.cursors, ...added]
    return { state: { ...state, catchUp: after }, result: after }
  })
  if (isCatchingUp(left)) return false
  memory.catchingUp?.delete(jobId)
  return true
}

/** By then it is written that nothing is left to catch up. */
const NEXT_IN_LINE_AFTER_SECONDS = 2

/**
 * Sends the oldest run that waits in line. Runs that were due during the catch-up wait there. The last run of the catch-up may
 * have given its lock to none of them, because it ended before the state said that nothing is left to catch up.
 */
async function sendNextInLine(world: TickWorld, memory: ShardMemory, jobId: string): Promise<void> {
  const next = oldestWaiter(await world.locks.read(jobId), { catchUp: [] })
  if (next === null) return
  const { shard, changesReadAtMs } = memory
  const body = listedMessageFor({ shard, lane: 'slow', changesReadAtMs }, next, memory.ticketOf(jobId), null)
  await sendInOrder(world, [{ body, delaySeconds: NEXT_IN_LINE_AFTER_SECONDS }])
}

/** Put under its second like a run: where one is there already, that is what becomes of the instant. */
async function putAsMissed(world: TickWorld, jobId: string, { item, reason }: MissedInstant): Promise<void> {
  const { second, nominal } = item
  const detail = { trigger: 'CATCH_UP', instant: second, nominal, reason } as const
  await world.ledger.putRun({ id: { jobId, second, suffix: '' }, entry: neverStarted('MISSED'), detail }, world.newId())
}

/** Known to a warm ticker; one that does not know asks the states of the jobs that may be. */
async function jobsCatchingUp(world: TickWorld, memory: ShardMemory): Promise<Set<string>> {
  if (memory.catchingUp !== null) return memory.catchingUp
  const found = await mapLimited(memory.jobsThatCatchUp(), async (jobId) =>
    isCatchingUp((await world.states.read(jobId)).catchUp) ? [jobId] : [],
  )
  memory.catchingUp = new Set(found.flat())
  return memory.catchingUp
}

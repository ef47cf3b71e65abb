// Works off what nobody opened in time: a few jobs of a gap a link, and what is caught up at a bounded rate. Every step can be
// repeated: a run is put once under its second, and one that was put and never sent is sent again.

import { openDelaySeconds } from '../core/ledger/audit.ts'
import { type BacklogEntry, stepBacklog } from '../core/planner/backlog.ts'
import { isCatchingUp, shareBudget, stepCatchUp } from '../core/planner/catch-up.ts'
import type { DueItem } from '../core/planner/due.ts'
import type { GapPlan, Missed } from '../core/planner/gap.ts'
import { writeRunMessage } from '../core/run/message.ts'
import type { OpenRun } from '../core/run/record.ts'
import { formatRunId, type Trigger } from '../core/run/run.ts'
import type { Message } from '../ports.ts'
import type { ShardMemory } from './shard-memory.ts'
import type { TickWorld } from './tick-world.ts'

const JOBS_A_STEP = 100
const STEP_MS = 300

/** Works on the backlog for a while and returns what is left of it. */
export async function workBacklog(
  world: TickWorld,
  memory: ShardMemory,
  backlog: readonly BacklogEntry[],
): Promise<{ backlog: readonly BacklogEntry[]; finishedJobs: string[]; missed: number }> {
  const startedMs = world.clock.nowMs()
  const finishedJobs: string[] = []
  let left = backlog
  let missed = 0
  while (left.length > 0 && world.clock.nowMs() - startedMs < STEP_MS) {
    const step = stepBacklog(memory.snapshot, left, JOBS_A_STEP)
    await Promise.all(step.plans.map(({ jobId, plan }) => carryOut(world, memory, jobId, plan)))
    missed += step.plans.flatMap(({ plan }) => plan.missed).reduce((sum, { count }) => sum + count, 0)
    finishedJobs.push(...step.finishedJobs)
    left = step.backlog
  }
  return { backlog: left, finishedJobs, missed }
}

async function carryOut(world: TickWorld, memory: ShardMemory, jobId: string, plan: GapPlan): Promise<void> {
  if (plan.catchUp.length > 0) {
    await world.states.change(jobId, (state) => {
      const isKnown = (cursor: { from: number; to: number }) =>
        state.catchUp.some(({ from, to }) => from === cursor.from && to === cursor.to)
      const added = plan.catchUp.filter((cursor) => !isKnown(cursor))
      return { state: added.length === 0 ? null : { ...state, catchUp: [...state.catchUp, ...added] }, result: null }
    })
    memory.catchingUp?.add(jobId)
  }
  await putMissed(world, jobId, plan.missed)
  if (plan.fire !== null) await sendAlone(world, memory, jobId, plan.fire, 'MISFIRE')
}

async function putMissed(world: TickWorld, jobId: string, missed: readonly Missed[]): Promise<void> {
  for (const each of missed) await world.ledger.putMissed({ ...each, jobId })
}

/** A run under its bare second: first that somebody must come back to it, then the run, then its message. */
async function sendAlone(
  world: TickWorld,
  memory: ShardMemory,
  jobId: string,
  { second, nominal }: DueItem,
  trigger: Trigger,
): Promise<void> {
  const id = { jobId, second, suffix: '' }
  const existing = await world.ledger.readRun(id)
  if (existing !== null && existing.entry?.status !== 'QUEUED') return
  const nowMs = world.clock.nowMs()
  const run = { shard: memory.shard, runId: formatRunId(id), trigger, nominal, drainedMs: memory.drainedMs }
  const message = writeRunMessage(run, memory.ticketOf(jobId))
  const open: OpenRun = {
    shard: memory.shard,
    // From its second, so that whoever repeats this puts the same item.
    dueMs: (Math.floor(nowMs / 1000) + openDelaySeconds(1)) * 1000,
    runId: run.runId,
    times: 0,
    beatMs: null,
    lane: 'slow',
    attempt: 1,
    message,
  }
  if (existing === null) {
    await world.open.put(open)
    const detail = { trigger, instant: second, nominal, lane: 'slow', queuedAtMs: nowMs } as const
    await world.ledger.putRun(id, { status: 'QUEUED', attempt: 1 }, detail, world.newId())
  }
  await sendOrThrow(world, [{ body: message }])
}

async function sendOrThrow(world: TickWorld, messages: readonly Message[]): Promise<void> {
  const unsent = await world.queues.slow.send(messages)
  if (unsent.length > 0)
    throw new Error(`${unsent.length} of ${messages.length} messages were not taken by the slow queue`)
}

/** Sends the next instants of jobs that catch up, and returns the jobs that are done with it. */
export async function catchUp(world: TickWorld, memory: ShardMemory, second: number): Promise<string[]> {
  const jobs = [...(await jobsCatchingUp(world, memory))].sort()
  const budgets = shareBudget(jobs.length, second)
  const done: string[] = []
  for (const [place, jobId] of jobs.entries()) {
    const job = memory.snapshot.job(jobId)
    if (job === null || budgets[place] === 0) continue
    const { catchUp: cursors } = await world.states.read(jobId)
    const step = stepCatchUp(job, cursors, second, budgets[place])
    await putMissed(world, jobId, step.missed)
    for (const item of step.send) await sendAlone(world, memory, jobId, item, 'CATCH_UP')
    // What was put in meanwhile by another gap stays.
    const isUnchanged = (cursor: object) => !cursors.some((each) => JSON.stringify(each) === JSON.stringify(cursor))
    const left = await world.states.change(jobId, (state) => {
      const after = [...step.cursors, ...state.catchUp.filter(isUnchanged)]
      return { state: { ...state, catchUp: after }, result: after }
    })
    if (!isCatchingUp(left)) {
      memory.catchingUp?.delete(jobId)
      done.push(jobId)
    }
  }
  return done
}

/** Known to a warm ticker; one that does not know asks the states of the jobs that may be. */
async function jobsCatchingUp(world: TickWorld, memory: ShardMemory): Promise<Set<string>> {
  if (memory.catchingUp !== null) return memory.catchingUp
  const found = new Set<string>()
  for (const jobId of memory.jobsThatCatchUp()) {
    if (isCatchingUp((await world.states.read(jobId)).catchUp)) found.add(jobId)
  }
  memory.catchingUp = found
  return found
}

// What the gate must know of a run and no message told: its job with all versions where it is late or comes again, the job's
// state where its rules need it, the last success of the jobs that it comes after. Most runs need none of it.

import type { GateInput } from '../../core/gate/gate.ts'
import { type RunTimes, timesByHint, timesOf } from '../../core/gate/overlap.ts'
import { NEW_STATE } from '../../core/gate/state.ts'
import type { StoredJob } from '../../core/job/stored.ts'
import { NEVER } from '../../core/time/instants.ts'
import { mapLimited } from '../map-limited.ts'
import { nowOf } from '../tick-world.ts'
import { lastSuccessOf } from './last-success.ts'
import type { Life } from './life.ts'
import type { ExecuteWorld } from './world.ts'

export interface Asked {
  readonly life: Life
  /** All that the gate asks about a run, but for the lock. */
  readonly question: Omit<GateInput, 'lock' | 'now'>
  readonly now: number
}

/** One about which it could not be found out. */
export interface Troubled {
  readonly life: Life
  readonly trouble: string
}

export async function ask(
  world: ExecuteWorld,
  lives: readonly Life[],
): Promise<{ readonly asked: Asked[]; readonly troubled: Troubled[] }> {
  const now = nowOf(world)
  const found = await readJobs(world, lives, now)
  const asked: Asked[] = []
  const troubled: Troubled[] = []
  const withReads: Life[] = []
  for (const each of lives) {
    const life = found.has(each.jobId) ? { ...each, stored: found.get(each.jobId) ?? null } : each
    if (needsState(life) || life.job.after.length > 0) withReads.push(life)
    else asked.push({ life, question: questionOf(life, now, { state: NEW_STATE, lastSuccessOfAfter: [] }), now })
  }
  await mapLimited(withReads, async (life) => {
    try {
      asked.push({ life, question: questionOf(life, now, await readMore(world, life, now)), now })
    } catch (error) {
      troubled.push({ life, trouble: String(error) })
    }
  })
  return { asked, troubled }
}

/** Jobs of runs about which the ticker could not say enough. */
async function readJobs(world: ExecuteWorld, lives: readonly Life[], now: number): Promise<Map<string, StoredJob>> {
  const isTold = (life: Life) => timesByHint(life.lockHint, life.run, now) !== null && !life.job.skipIfSuccessful
  const unknown = lives.filter((life) => life.stored === null && !isTold(life)).map(({ jobId }) => jobId)
  if (unknown.length === 0) return new Map()
  return new Map((await world.jobs.readMany([...new Set(unknown)])).map((job) => [job.id, job]))
}

const needsState = ({ job }: Life): boolean => job.skipIfSuccessful || job.misfire.policy === 'CATCH_UP'

type ReadMore = Pick<GateInput, 'state' | 'lastSuccessOfAfter'>

async function readMore(world: ExecuteWorld, life: Life, now: number): Promise<ReadMore> {
  const state = needsState(life) ? await world.states.read(life.jobId) : NEW_STATE
  const lastSuccessOfAfter = await Promise.all(life.job.after.map((each) => lastSuccessOf(world, each, now)))
  return { state, lastSuccessOfAfter }
}

const questionOf = (life: Life, now: number, more: ReadMore): Asked['question'] => ({
  run: life.run,
  times: timesFor(life, now),
  policy: life.job,
  ...more,
})

/** A job that is gone has no other runs to keep clear of. */
function timesFor({ stored, lockHint, run }: Life, now: number): RunTimes {
  if (stored !== null) return timesOf(stored, run, now)
  const told = timesByHint(lockHint, run, now)
  return { needsNoLock: () => false, clearFrom: () => now, previousInstant: () => NEVER, ...told }
}

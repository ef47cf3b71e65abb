// What others are to know of a run that has ended: the feed of failures and of runs that no page shows, and the lane of its job.

import { laneNotice } from '../../core/job/stored.ts'
import { countRun, isLong } from '../../core/lanes.ts'
import type { PageEntry } from '../../core/pages/entry.ts'
import { isFailure } from '../../core/run/status.ts'
import { nowOf } from '../tick-world.ts'
import type { Batch, End, Life } from './life.ts'
import type { EndingWorld } from './world.ts'

/** How an attempt is settled. */
export interface Ending {
  readonly life: Life & { readonly end: End }
  /** What is expected to stand in the ledger. */
  readonly expect: PageEntry | null
  readonly next: PageEntry
  readonly retryInSeconds: number | null
}

/** Runs that no page shows, and failures, are listed in the feed. */
const isListed = ({ life, next }: Ending): boolean =>
  (life.run.depth === null && next.status !== 'QUEUED') || isFailure(next.status)

const durationOf = ({ end }: Ending['life']): number => (end.startedMs === null ? 0 : end.endedMs - end.startedMs)

export const isRemembered = (ending: Ending): boolean =>
  ending.life.kind !== 'stop' && (isListed(ending) || isLong(durationOf(ending.life)))

/** What others are to know of a run that has ended: the feed, and the lane of its job. Neither may hold up what follows. */
export async function remember(world: EndingWorld, batch: Batch, ending: Ending): Promise<void> {
  const { life, next } = ending
  const { run, end } = life
  try {
    if (isListed(ending)) {
      const { runId, trigger } = run
      const reason = end.reason ?? null
      await world.ledger.putRecent({ shard: batch.shard, ms: end.endedMs, runId, entry: next, trigger, reason })
    }
    if (isLong(durationOf(life))) await countDuration(world, batch, life, durationOf(life))
  } catch (error) {
    world.warn('a run was settled and not all of it remembered', { runId: run.runId, reason: String(error) })
  }
}

/** Every long run is counted in the job's state, and all tickers are told when there were too many of them. */
async function countDuration(world: EndingWorld, { shard }: Batch, { jobId }: Life, durationMs: number): Promise<void> {
  const second = nowOf(world)
  const slowThroughMinute = await world.states.change(jobId, (state) => {
    const lane = countRun(state.lane, durationMs, second)
    const isNews = lane.slowThroughMinute > state.lane.slowThroughMinute
    return { state: { ...state, lane }, result: isNews ? lane.slowThroughMinute : null }
  })
  if (slowThroughMinute === null) return
  await world.jobs.announce(laneNotice(shard, world.clock.nowMs(), jobId, slowThroughMinute))
}

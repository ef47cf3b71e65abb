// The plan of one tick: which seconds it opens, which of them are live and which a gap, what to send, what comes next.
// It is a function of the snapshot, the shard item and the second, so every ticker computes the same plan.

import { depthFor } from '../pages/depth.ts'
import { LIVE_SECONDS } from '../timings.ts'
import { type Firing, firingOf } from './misfire.ts'
import type { PlannedRun, Snapshot } from './snapshot.ts'

/** What the shard item says about the seconds so far. */
export interface ShardSeconds {
  /** The last second whose runs were all sent. */
  readonly sentThrough: number
  /** The last second that was opened. */
  readonly fence: number
  /** Page depth of the live seconds. A fenced second that is not here is a gap: this map decides, never its age. */
  readonly depths: ReadonlyMap<number, number>
}

export interface SecondRange {
  /** Both included. */
  readonly from: number
  readonly to: number
}

export interface TickPlan {
  /** Depths of the seconds that this tick opens as live. */
  readonly opened: ReadonlyMap<number, number>
  /** The seconds that it opens too late to be live: for the backlog. */
  readonly gap: SecondRange | null
  /** What to send, oldest first. */
  readonly send: readonly { readonly run: PlannedRun; readonly firing: Firing }[]
  /** The last second whose runs are all in `send`; later ones are left to the next link. */
  readonly sendsThrough: number
  /** Jobs that were due and never will be again. Where there is a gap the backlog says so, when it is worked off. */
  readonly finishedJobs: readonly string[]
}

/** What one link sends at most, but never less than a whole second. */
const RUNS_PER_LINK = 25_000

/** No second later than this may be opened by a link that drained changes at the given second: eyes must be fresh. */
export const latestFreshSecond = (drainedAt: number): number => drainedAt + 1

export function planTick(snapshot: Snapshot, shard: ShardSeconds, second: number): TickPlan {
  snapshot.roll(second)
  const liveFrom = Math.max(shard.fence + 1, second - LIVE_SECONDS)
  const gap = liveFrom > shard.fence + 1 ? { from: shard.fence + 1, to: liveFrom - 1 } : null
  const opened = new Map<number, number>()
  const newRuns = snapshot.due(liveFrom, second + 1)
  for (let t = liveFrom; t <= second; t++) opened.set(t, 0)
  for (const [t, runs] of countBySecond(newRuns)) opened.set(t, depthFor(runs))
  const oldRuns = fencedLive(shard).flatMap(({ from, to }) => snapshot.due(from, to + 1))
  const { send, sendsThrough } = cutAtLimit([...oldRuns, ...newRuns], second)
  const jobs = new Set(send.map(({ run }) => run.jobId))
  return {
    opened,
    gap,
    send,
    sendsThrough,
    finishedJobs: gap === null ? [...jobs].filter((id) => snapshot.hasNothingLeft(id, second)) : [],
  }
}

function countBySecond(runs: readonly PlannedRun[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { second } of runs) counts.set(second, (counts.get(second) ?? 0) + 1)
  return counts
}

/** The live seconds after the sentThrough that an earlier link opened and perhaps did not send, as ranges. */
function fencedLive({ sentThrough, fence, depths }: ShardSeconds): SecondRange[] {
  const seconds = [...depths.keys()].filter((t) => t > sentThrough && t <= fence).sort((a, b) => a - b)
  const ranges: { from: number; to: number }[] = []
  for (const t of seconds) {
    const last = ranges.at(-1)
    if (last !== undefined && last.to === t - 1) last.to = t
    else ranges.push({ from: t, to: t })
  }
  return ranges
}

function cutAtLimit(runs: readonly PlannedRun[], second: number): Pick<TickPlan, 'send' | 'sendsThrough'> {
  const withFiring = (run: PlannedRun) => ({ run, firing: firingOf(run, second - run.second) })
  if (runs.length <= RUNS_PER_LINK) return { send: runs.map(withFiring), sendsThrough: second }
  const lastWhole = runs[RUNS_PER_LINK].second - 1
  const sendsThrough = Math.max(lastWhole, runs[0].second)
  return { send: runs.filter((run) => run.second <= sendsThrough).map(withFiring), sendsThrough }
}

// Histories written by hand, to show each invariant one that it accepts and others that it must reject: a job of every ten seconds, and
// what may happen to its runs.

import type { PageEntry } from '../../../shared/core/pages/entry.ts'
import { newShard, type ShardItem } from '../../../shared/core/shard.ts'
import type { Happening, History, HistoryEvent, Policy } from '../history.ts'
import { PLAIN_VERSION } from '../oracle-version.ts'
import { type View, viewOf } from './view.ts'

export const T = 1_800_000_000
export const JOB = 'jjjjjjjjjjj'
export const run = (second: number) => `${JOB}.${T + second}`

export type Step = Happening & { readonly at?: number; readonly proc?: string }

/** Steps with their times in seconds from the start; one that has none comes with the one before. */
function historyOf(steps: readonly Step[], shardCount = 1): History {
  let at = 0
  const events = steps.map(({ at: given = at, proc = 'p', ...happening }, seq) => {
    at = given
    return { ...happening, seq, ms: (T + at) * 1000, proc } as HistoryEvent
  })
  return { shardCount, events }
}

const POLICY: Policy = {
  block: { strategy: 'CONCURRENT', max: 50 },
  misfire: { policy: 'FIRE_ONCE_NOW' },
  timeoutSeconds: 5,
  retries: 0,
  cancelsQueued: false,
  isFree: true,
}

/** A job of every ten seconds, from the start on. */
export const version = (part: object = {}, policy: Partial<Policy> = {}, fence = T): Step => ({
  op: 'version',
  jobId: JOB,
  shard: 0,
  fence,
  policy: { ...POLICY, ...policy },
  is: { ...PLAIN_VERSION, activeFrom: T + 2, ...part },
})

export const claim = (attempt = 1, token = 'a'): PageEntry => ({
  status: 'RUNNING',
  attempt,
  token,
  deadlineSecond: T + 100,
})
export const ended = (status = 'SUCCEEDED', attempt = 1) =>
  ({ status, attempt, startOffsetMs: 0, durationMs: 0 }) as PageEntry
export const idle = (status: 'QUEUED' | 'WAITING', attempt = 1): PageEntry => ({ status, attempt })

export const entry = (second: number, from: PageEntry | null, to: PageEntry, part: Partial<Step> = {}): Step =>
  ({ op: 'entry', runId: run(second), place: 'page', key: `0.${T + second}.0.0`, from, to, ...part }) as Step

/** A run from its claim to its end. */
export const whole = (second: number, at = second, status = 'SUCCEEDED', proc = 'p'): Step[] => [
  { ...entry(second, null, claim()), at, proc },
  { op: 'start', runId: run(second), attempt: 1, trigger: 'SCHEDULE', proc },
  { op: 'end', runId: run(second), attempt: 1, how: 'returned', at: at + 1, proc },
  { ...entry(second, claim(), ended(status)), proc },
]

export const phase = (name: 'storm' | 'calm' | 'drain' | 'end', at: number): Step => ({ op: 'phase', phase: name, at })
export const missed = (from: number, to: number, count: number): Step => ({
  op: 'missed',
  jobId: JOB,
  of: 'starts',
  from: T + from,
  to: T + to,
  count,
  reason: 'the job does nothing about missed instants',
})
export const fault = (proc: string, at: number): Step => ({ op: 'fault', fault: 'crash', where: 'here', at, proc })

export const say = (check: (view: View) => { what: string }[], steps: readonly Step[]): string[] =>
  check(viewOf(historyOf(steps))).map(({ what }) => what.replaceAll(JOB, 'job').replaceAll(String(T), ''))

const shard = (part: Partial<ShardItem>): ShardItem => ({ ...newShard(T), ...part })
export const moved = (
  what: 'fence' | 'takeOver' | 'sleep' | 'audited',
  from: Partial<ShardItem>,
  to: Partial<ShardItem>,
  at: number,
): Step => ({
  op: 'shard',
  shard: 0,
  what,
  from: shard(from),
  to: shard({ ...from, ...to }),
  at,
})

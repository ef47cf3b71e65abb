// A history as the checkers ask it: who was due when by the oracle, what the ledger held in the end, who started and ended.

import type { PageEntry } from '../../../shared/core/pages/entry.ts'
import { type OracleDue, type OracleVersion, oracleDue } from '../../support/oracle/job.ts'
import type { Happening, History, HistoryEvent, Policy } from '../history.ts'

export type EventOf<Op extends Happening['op']> = Extract<HistoryEvent, { op: Op }>

export interface Versioned {
  readonly is: OracleVersion
  readonly policy: Policy
  /** In [activeFrom, unsureUntil) an entry under either definition is legal and none is required. */
  readonly unsureUntil: number
}

export interface JobView {
  readonly jobId: string
  readonly shard: number
  readonly versions: readonly Versioned[]
  /** Everything that is due, from its first version to the end of the history. */
  readonly due: readonly OracleDue[]
}

/** The record of a run in one place. */
export interface Recorded {
  readonly key: string
  readonly place: 'page' | 'item'
  readonly entry: PageEntry
}

export interface View {
  readonly history: History
  readonly jobs: ReadonlyMap<string, JobView>
  readonly records: ReadonlyMap<string, readonly Recorded[]>
  readonly missed: readonly EventOf<'missed'>[]
  readonly endMs: number
  phaseMs(phase: 'storm' | 'calm' | 'drain'): number
}

export const TERMINAL: ReadonlySet<string> = new Set([
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
  'DISCARDED',
  'SKIPPED',
  'EXPIRED',
  'MISSED',
  'LOST',
])

const sorted = new WeakMap<History, Partial<Record<string, HistoryEvent[]>>>()

/** Sorted by what they are once a history: every check asks. */
export function eventsOf<Op extends Happening['op']>(history: History, op: Op): EventOf<Op>[] {
  const byOp = sorted.get(history) ?? Object.groupBy(history.events, (event) => event.op)
  sorted.set(history, byOp)
  return (byOp[op] ?? []) as EventOf<Op>[]
}

export interface RunName {
  readonly jobId: string
  readonly second: number
  readonly suffix: string
  readonly isStop: boolean
}

export function nameOf(runId: string): RunName {
  const [id, second, suffix = ''] = runId.split('.')
  return { jobId: id.replace('~', ''), second: Number(second), suffix, isStop: id.endsWith('~') }
}

export const isScheduled = (runId: string): boolean => {
  const { suffix, isStop } = nameOf(runId)
  return suffix === '' && !isStop
}

export function viewOf(history: History): View {
  const endMs = history.events.at(-1)?.ms ?? 0
  return {
    history,
    jobs: jobsOf(history, Math.floor(endMs / 1000)),
    records: recordsOf(history),
    missed: missedOf(history),
    endMs,
    phaseMs: (phase) => eventsOf(history, 'phase').find((event) => event.phase === phase)?.ms ?? endMs,
  }
}

function jobsOf(history: History, end: number): Map<string, JobView> {
  const sure = new Map(
    eventsOf(history, 'sure').map(({ jobId, version, sureFrom }) => [`${jobId}.${version}`, sureFrom]),
  )
  const byJob = new Map<string, EventOf<'version'>[]>()
  for (const event of eventsOf(history, 'version')) byJob.set(event.jobId, [...(byJob.get(event.jobId) ?? []), event])
  return new Map(
    [...byJob].map(([jobId, events]) => {
      const versions = events.map(({ is, policy, fence }): Versioned => {
        // A client that heard no answer was not told from when on it is sure; the fence tells.
        const byFence = fence >= is.activeFrom ? fence + 2 : is.activeFrom
        return { is, policy, unsureUntil: Math.max(byFence, sure.get(`${jobId}.${is.version}`) ?? 0) }
      })
      const oracle = versions.map(({ is }) => is)
      const due = oracleDue(jobId, oracle, oracle[0].activeFrom, end + 1)
      return [jobId, { jobId, shard: events[0].shard, versions, due }]
    }),
  )
}

function recordsOf(history: History): Map<string, Recorded[]> {
  const records = new Map<string, Map<string, Recorded>>()
  for (const { runId, key, place, to } of eventsOf(history, 'entry')) {
    const places = records.get(runId) ?? new Map<string, Recorded>()
    places.set(key, { key, place, entry: to })
    records.set(runId, places)
  }
  return new Map([...records].map(([runId, places]) => [runId, [...places.values()]]))
}

/** A record of missed instants may be written again, and then counts once. */
function missedOf(history: History): EventOf<'missed'>[] {
  const events = eventsOf(history, 'missed')
  return [...new Map(events.map((event) => [`${event.jobId}.${event.of}.${event.from}`, event])).values()]
}

/** What a job is asked for at a second is in doubt: an edit was committed while that second was being opened. */
export const isUnsure = ({ versions }: JobView, second: number): boolean =>
  versions.some(({ is, unsureUntil }) => is.activeFrom <= second && second < unsureUntil)

export const runsOf = ({ due }: JobView): OracleDue[] => due.filter(({ kind }) => kind !== 'stop')

export const missedKindOf = ({ kind }: OracleDue): 'starts' | 'stops and restarts' =>
  kind === 'start' ? 'starts' : 'stops and restarts'

export const policyAt = ({ versions }: JobView, version: number): Policy | null =>
  versions.find(({ is }) => is.version === version)?.policy ?? null

export const runIdOf = (jobId: string, second: number): string => `${jobId}.${second}`

/** A stop has a record of its own beside that of the run of its second. */
export const recordIdOf = (jobId: string, { kind, second }: OracleDue): string =>
  runIdOf(kind === 'stop' ? `${jobId}~` : jobId, second)

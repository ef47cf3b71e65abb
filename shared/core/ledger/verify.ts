// Proves for any past range that there is no hole and no double: the plan is computed again and compared with every
// record there is, in both directions.

import type { PlannedRun } from '../planner/snapshot.ts'
import { entryIdOf } from '../run/message.ts'
import { type Found, standingOf } from './standing.ts'

export interface LedgerRecord {
  /** The job's id, or that with ~ for a stop, which has an entry of its own beside the run of its second. */
  readonly jobId: string
  readonly second: number
}

/** A record of instants that never ran, as it stands in the ledger. */
export interface MissedRecord {
  readonly jobId: string
  readonly of: 'starts' | 'stops and restarts'
  readonly from: number
  readonly to: number
  readonly count: number
}

export interface VerifyInput {
  /** Everything due in the range, by the versions in force. */
  readonly runs: readonly PlannedRun[]
  /** Every page entry and gap run of the range. */
  readonly records: readonly LedgerRecord[]
  readonly missed: readonly MissedRecord[]
  readonly find: (run: LedgerRecord) => Found
  readonly isLive: (second: number) => boolean
  /** Seconds in which an entry under either definition is legal and none is required. */
  readonly isUnsure: (record: LedgerRecord) => boolean
  readonly now: number
}

export interface Verification {
  readonly due: number
  readonly accounted: number
  /** Due, and no record of it. */
  readonly holes: readonly LedgerRecord[]
  readonly doubles: readonly LedgerRecord[]
  /** A record of what was not due. */
  readonly phantoms: readonly LedgerRecord[]
  /** Records of missed instants whose count is not what was due between their ends. */
  readonly miscounted: readonly MissedRecord[]
  /** Not ended yet. */
  readonly open: readonly LedgerRecord[]
}

const keyOf = ({ jobId, second }: LedgerRecord): string => `${jobId}.${second}`

export function verify({ runs, records, missed, find, isLive, isUnsure, now }: VerifyInput): Verification {
  const judged = runs.map(({ jobId, kind, second }) => {
    const record = { jobId: entryIdOf(jobId, kind), second }
    return { record, standing: standingOf(find(record), isLive(second), now) }
  })
  const planned = new Set(judged.map(({ record }) => keyOf(record)))
  const seen = new Set<string>()
  const writtenTwice = records.filter((record) => {
    const isAgain = seen.has(keyOf(record))
    seen.add(keyOf(record))
    return isAgain
  })
  const holes = judged.filter(({ standing, record }) => standing === 'missing' && !isUnsure(record))
  const doubled = judged.filter(({ standing }) => standing === 'doubled')
  const open = judged.filter(({ standing }) => standing === 'open' || standing === 'running' || standing === 'dead')
  const only = (list: typeof judged) => list.map(({ record }) => record)
  return {
    due: runs.length,
    accounted: judged.filter(({ standing }) => standing === 'fine').length,
    holes: only(holes),
    doubles: unique([...only(doubled), ...writtenTwice]),
    phantoms: records.filter((record) => !planned.has(keyOf(record)) && !isUnsure(record)),
    miscounted: missed.filter((record) => dueWithin(runs, record) !== record.count),
    open: only(open),
  }
}

function dueWithin(runs: readonly PlannedRun[], { jobId, of, from, to }: MissedRecord): number {
  const isOfKind = ({ kind }: PlannedRun) => (kind === 'start') === (of === 'starts')
  return runs.filter((run) => run.jobId === jobId && run.second >= from && run.second <= to && isOfKind(run)).length
}

function unique(records: readonly LedgerRecord[]): LedgerRecord[] {
  return [...new Map(records.map((record) => [keyOf(record), { jobId: record.jobId, second: record.second }])).values()]
}

// Proves for any past range that there is no hole and no double: the plan is computed again and compared with every
// record there is, in both directions.

import type { PlannedRun } from '../planner/snapshot.ts'
import { type Found, standingOf } from './standing.ts'

export interface LedgerRecord {
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

/** A stop has an entry of its own beside the run of its second. It is recorded where it was carried out, and not required. */
const entryIdOf = ({ jobId, kind }: PlannedRun): string => (kind === 'stop' ? `${jobId}~` : jobId)

const keyOf = ({ jobId, second }: LedgerRecord): string => `${jobId}.${second}`

export function verify({ runs, records, missed, find, isLive, isUnsure, now }: VerifyInput): Verification {
  const due = runs.filter(({ kind }) => kind !== 'stop')
  const judged = due.map((run) => ({
    record: { jobId: run.jobId, second: run.second },
    standing: standingOf(find(run), isLive(run.second), now),
  }))
  const planned = new Set(runs.map((run) => keyOf({ jobId: entryIdOf(run), second: run.second })))
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
    due: due.length,
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

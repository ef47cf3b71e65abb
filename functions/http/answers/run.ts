// A run as the API answers it. What an ordinary success does not keep is null.

import { deadFrom } from '../../../shared/core/claim.ts'
import { isTerminal } from '../../../shared/core/run/status.ts'
import { formatInstant } from '../../../shared/core/time/instant.ts'
import { type RunView, statusOfRun } from '../../../shared/flow/runs/view.ts'
import type { MissedItem } from '../../../shared/ports.ts'
import { instantText, momentText } from './times.ts'

interface Times {
  readonly startedMs: number | null
  readonly durationMs: number | null
  readonly latenessMs: number | null
}

/** The entry knows its start as an offset from the second of its id. A run that never started has neither. */
function timesOf({ entry, detail, id, instant }: RunView): Times {
  const hasRun = entry !== null && 'startOffsetMs' in entry && (entry.startOffsetMs > 0 || entry.durationMs > 0)
  const hasEnded = entry !== null && isTerminal(entry.status)
  const ofEntry = hasRun ? id.second * 1000 + entry.startOffsetMs : null
  const startedMs = hasEnded ? (detail.startedAtMs ?? ofEntry) : null
  const isTold = entry?.status === 'CANCELLED' || startedMs === null
  const first = detail.attempts?.find(({ attempt }) => attempt === 1)?.startedAtMs ?? startedMs
  return {
    startedMs: isTold ? null : startedMs,
    durationMs: isTold || entry === null || !('durationMs' in entry) ? null : entry.durationMs,
    latenessMs: isTold || instant === null || first === null ? null : Math.max(0, Math.round(first - instant * 1000)),
  }
}

export function lastRunAnswer(run: RunView): Record<string, unknown> {
  const { startedMs, durationMs, latenessMs } = timesOf(run)
  const { entry, detail } = run
  const finishedMs = startedMs !== null && durationMs !== null ? startedMs + durationMs : null
  const hasEnded = isTerminal(statusOfRun(run))
  return {
    id: run.runId,
    instant: instantText(run.instant),
    trigger: run.trigger,
    status: statusOfRun(run),
    attempt: entry?.attempt ?? 1,
    startedAt: momentText(startedMs),
    finishedAt: momentText(hasEnded ? (detail.finishedAtMs ?? finishedMs) : null),
    durationMs,
    latenessMs,
  }
}

const jobOf = ({ job: { id, definition }, version }: RunView) => ({
  id,
  namespace: definition.namespace,
  name: definition.name,
  version,
})

/** Only a run that did not succeed says why. */
const isToldWhy = (run: RunView): boolean => statusOfRun(run) !== 'SUCCEEDED'

export function runSummary(run: RunView): Record<string, unknown> {
  const { detail } = run
  const error = isToldWhy(run) ? (detail.error ?? null) : null
  return {
    ...lastRunAnswer(run),
    job: jobOf(run),
    nominal: instantText(run.nominal),
    root: detail.root ?? run.runId,
    error: error === null ? null : { name: error.name, message: error.message },
    reason: isToldWhy(run) ? (detail.reason ?? null) : null,
  }
}

export function runAnswer(run: RunView, payload: unknown): Record<string, unknown> {
  const { detail, entry } = run
  const { error = null, log = [], attempts = [] } = detail
  return {
    ...runSummary(run),
    cause: detail.cause ?? null,
    lane: detail.lane ?? null,
    part: null,
    queuedAt: momentText(detail.queuedAtMs),
    claimedAt: momentText(detail.claimedAtMs),
    deadline: entry?.status === 'RUNNING' ? momentText(deadFrom(entry) * 1000) : null,
    retryAt: null,
    heartbeatAt: null,
    progress: null,
    executor: detail.executor ?? null,
    payload: payload ?? null,
    output: detail.output ?? null,
    error: isToldWhy(run) ? error : null,
    log: log.map(({ atMs, line }) => ({ at: momentText(atMs), line })),
    logTruncated: detail.isLogCut ?? false,
    attempts: attempts.map(({ attempt, status, startedAtMs, durationMs, error: said }) => ({
      attempt,
      status,
      startedAt: momentText(startedAtMs),
      durationMs,
      error: said,
    })),
  }
}

export const missedAnswer = ({ from, to, count, reason }: MissedItem): Record<string, unknown> => ({
  from: formatInstant(from),
  to: formatInstant(to + 1),
  count,
  status: 'MISSED',
  reason,
})

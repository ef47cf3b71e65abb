// What happened to one run, told shortly: its own entries, starts and ends, its place in the lock, the versions of its job, and the
// faults of the process that had it in hand.

import type { Lock } from '../../shared/core/gate/state.ts'
import type { PageEntry } from '../../shared/core/pages/entry.ts'
import type { History, HistoryEvent } from './history.ts'

const LINES = 60

export function storyOf({ events }: History, runId: string): string[] {
  const jobId = runId.split('.')[0].replace('~', '')
  const procs = new Set(events.flatMap((event) => ('runId' in event && event.runId === runId ? [event.proc] : [])))
  const beganMs = events[0]?.ms ?? 0
  const lines = events.flatMap((event) => {
    const said = lineOf(event, runId, jobId, procs)
    return said === null
      ? []
      : [`${((event.ms - beganMs) / 1000).toFixed(3).padStart(9)} s  ${event.proc.padEnd(12)} ${said}`]
  })
  const skipped = lines.length - LINES
  return skipped <= 0 ? lines : [...lines.slice(0, LINES / 2), `… ${skipped} lines …`, ...lines.slice(-LINES / 2)]
}

function lineOf(event: HistoryEvent, runId: string, jobId: string, procs: ReadonlySet<string>): string | null {
  switch (event.op) {
    case 'phase':
      return `--- ${event.phase}`
    case 'entry':
      return event.runId === runId
        ? `${wordOf(event.from)} → ${wordOf(event.to)} (${event.place})${event.reason === undefined ? '' : `: ${event.reason}`}`
        : null
    case 'start':
      return event.runId === runId ? `starts attempt ${event.attempt}` : null
    case 'end':
      return event.runId === runId ? `attempt ${event.attempt} ${event.how}` : null
    case 'open':
      return event.runId === runId ? `open ${event.what} ${event.dueMs}` : null
    case 'lock':
      return event.jobId === jobId ? lockLine(event.from, event.to, runId) : null
    case 'version':
      return event.jobId === jobId
        ? `version ${event.is.version} ${event.is.status} from ${event.is.activeFrom}, fence ${event.fence}`
        : null
    case 'sure':
      return event.jobId === jobId ? `version ${event.version} is sure from ${event.sureFrom}` : null
    case 'missed':
      return event.jobId === jobId && covers(event, runId)
        ? `${event.count} ${event.of} missed ${event.from} to ${event.to}: ${event.reason}`
        : null
    case 'ask':
      return event.jobId === jobId && event.what !== 'trigger' ? `${event.what} ${event.kind}` : null
    case 'refused':
      return event.runs.includes(runId) ? `REFUSED by ${event.queue}, with ${event.runs.length - 1} others` : null
    case 'fault':
      return procs.has(event.proc) ? `FAULT ${event.fault} at ${event.where}` : null
    default:
      return null
  }
}

function covers({ from, to }: { from: number; to: number }, runId: string): boolean {
  const second = Number(runId.split('.')[1])
  return from <= second && second <= to
}

const wordOf = (entry: PageEntry | null): string =>
  entry === null
    ? 'nothing'
    : `${entry.status} ${entry.attempt}${entry.status === 'RUNNING' ? ` until ${entry.deadlineSecond}` : ''}`

function lockLine(from: Lock, to: Lock, runId: string): string | null {
  const placeIn = ({ holders, waiting }: Lock) => {
    const holder = holders.find((each) => each.runId === runId)
    if (holder !== undefined) return `holds${holder.sentAt === null ? '' : ', not started,'} until ${holder.deadline}`
    return waiting.some((each) => each.runId === runId) ? 'waits' : 'is not there'
  }
  const [before, after] = [placeIn(from), placeIn(to)]
  return before === after ? null : `lock: ${before} → ${after}; ${to.holders.length} hold, ${to.waiting.length} wait`
}

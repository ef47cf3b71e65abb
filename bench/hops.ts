// Where the time from an instant to its handler goes, hop by hop.

import { percentile } from './measure.ts'

/** One message on its way. */
export interface Hop {
  readonly body: string
  readonly sentMs: number
  readonly receivedMs: number
  readonly calledMs: number
}

interface Travelled {
  readonly startsMs: ReadonlyMap<string, readonly number[]>
  readonly hops: readonly Hop[]
}

interface PageMessage {
  readonly type: string
  readonly second: number
  readonly runs: readonly { readonly id: string }[]
}

const summary = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b)
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) }
}

/** Of the runs of some seconds that travelled on a page, by the first time that they did. */
export function hopsOf({ startsMs, hops }: Travelled, from: number, to: number): Record<string, object> {
  const parts: Record<string, number[]> = { planAndSend: [], queue: [], untilCalled: [], claimAndStart: [] }
  const seen = new Set<string>()
  for (const { body, sentMs, receivedMs, calledMs } of hops) {
    const { type, second, runs }: PageMessage = JSON.parse(body)
    if (type !== 'page' || second < from || second > to) continue
    for (const { id } of runs) {
      const runId = `${id}.${second}`
      const [startMs] = startsMs.get(runId) ?? []
      if (startMs === undefined || seen.has(runId)) continue
      seen.add(runId)
      parts.planAndSend.push(sentMs - second * 1000)
      parts.queue.push(receivedMs - sentMs)
      parts.untilCalled.push(calledMs - receivedMs)
      parts.claimAndStart.push(startMs - calledMs)
    }
  }
  return Object.fromEntries(Object.entries(parts).map(([name, values]) => [name, summary(values)]))
}

// A sweep over when runs began and ended: who overlapped whom, how many ran at once, and in which order they began.

export interface Span {
  readonly runId: string
  readonly second: number
  readonly startMs: number
  /** Null while it runs. */
  endMs: number | null
}

/** The most that ran at once. An end comes before a start of the same moment. */
export function mostAtOnce(spans: readonly Span[]): number {
  const events = spans.flatMap(({ startMs, endMs }) => [
    { ms: startMs, by: 1 },
    { ms: endMs ?? Number.POSITIVE_INFINITY, by: -1 },
  ])
  events.sort((a, b) => a.ms - b.ms || a.by - b.by)
  let running = 0
  let most = 0
  for (const { by } of events) {
    running += by
    most = Math.max(most, running)
  }
  return most
}

/** The seconds of the runs in the order in which they began. */
export const inOrderOfStart = (spans: readonly Span[]): number[] =>
  [...spans].sort((a, b) => a.startMs - b.startMs).map(({ second }) => second)

// What handlers tell a test, and what it makes of that: which runs began, for how long they ran, and when they were told to stop.

import { parseRunId } from '../../shared/core/run/run.ts'
import type { Span } from './sweep.ts'

export interface HandlerNote {
  readonly type: 'began' | 'ended' | 'told to stop'
  /** By the clock of the executor's machine. */
  readonly atMs: number
  readonly name: string
  readonly runId: string
  readonly attempt: number
  readonly payload?: unknown
}

export interface Started {
  readonly atMs: number
  readonly name: string
  readonly second: number
  readonly runId: string
  readonly attempt: number
}

export class HandlerNotes {
  readonly started: Started[] = []
  readonly spans: (Span & { readonly name: string })[] = []
  readonly aborted = new Map<string, number>()
  readonly payloads = new Map<string, unknown>()
  /** What the executors' clocks are ahead of the test's. */
  readonly aheadMs: number

  constructor(aheadMs = 0) {
    this.aheadMs = aheadMs
  }

  take(note: HandlerNote): void {
    const { runId, name, attempt, payload } = note
    const atMs = note.atMs - this.aheadMs
    const { second } = parseRunId(runId)
    switch (note.type) {
      case 'began':
        this.started.push({ atMs, name, second, runId, attempt })
        this.spans.push({ name, runId, second, startMs: atMs, endMs: null })
        if (payload !== undefined) this.payloads.set(name, payload)
        break
      case 'ended': {
        const span = this.spans.findLast((each) => each.runId === runId && each.endMs === null)
        if (span !== undefined) span.endMs = atMs
        break
      }
      case 'told to stop':
        this.aborted.set(runId, atMs)
        break
      default:
        note.type satisfies never
    }
  }

  of(job: { readonly id: string }): Span[] {
    return this.spans.filter(({ runId }) => runId.startsWith(job.id))
  }
}

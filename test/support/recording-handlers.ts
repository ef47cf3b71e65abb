// Handlers for a scheduler whose runs take time: each notes when it began and ended.

import type { HandlerRun, HandlerSet } from '../../shared/core/handlers.ts'
import { parseRunId } from '../../shared/core/run/run.ts'
import type { Span } from './sweep.ts'
import type { TestScheduler } from './test-scheduler.ts'

export class RecordingHandlers {
  readonly spans: Span[] = []
  /** Signals that were aborted, and when. */
  readonly aborted: { readonly runId: string; readonly atMs: number; readonly reason: string }[] = []

  /** `take` ends after `ms` of its payload, or when it is told to; `ignore` goes on whatever it is told; `hang` never ends. */
  handlers(scheduler: TestScheduler): HandlerSet {
    const begin = (run: HandlerRun): Span => {
      const span: Span = {
        runId: run.id,
        second: parseRunId(run.id).second,
        startMs: scheduler.time.nowMs(),
        endMs: null,
      }
      this.spans.push(span)
      run.signal.addEventListener('abort', () => {
        const reason = run.signal.reason instanceof Error ? run.signal.reason.message : String(run.signal.reason)
        this.aborted.push({ runId: run.id, atMs: scheduler.time.nowMs(), reason })
      })
      return span
    }
    const msOf = (run: HandlerRun) => Number(Object(run.payload).ms ?? 0)
    return {
      take: async (run) => {
        const span = begin(run)
        await scheduler.time.until(span.startMs + msOf(run), run.signal)
        span.endMs = scheduler.time.nowMs()
        if (run.signal.aborted) throw new Error('told to stop')
        return { took: msOf(run) }
      },
      ignore: async (run) => {
        const span = begin(run)
        await scheduler.time.until(span.startMs + msOf(run))
        span.endMs = scheduler.time.nowMs()
        return 'late'
      },
      hang: (run) => {
        begin(run)
        return new Promise(() => {})
      },
      flaky: (run) => {
        begin(run).endMs = scheduler.time.nowMs()
        if (run.attempt <= Number(Object(run.payload).times ?? 1)) throw new Error(`attempt ${run.attempt}`)
        return run.attempt
      },
    }
  }

  of(jobId: string): Span[] {
    return this.spans.filter(({ runId }) => runId.startsWith(jobId))
  }
}

// The door of the executors: a few messages of one lane, each a page of runs or a single run.

import type { Metric } from '../shared/aws/metric-names.ts'
import type { Handlers } from '../shared/core/handlers.ts'
import { type Executed, execute } from '../shared/flow/execute/execute.ts'
import { FreshChanges } from '../shared/flow/execute/fresh-changes.ts'
import type { Settled } from '../shared/flow/execute/settle.ts'
import type { ExecutorHost } from '../shared/flow/execute/world.ts'
import { withHandlers } from './deliver.ts'
import { type Output, putMetrics } from './output.ts'
import { type BatchResult, eachMessage, type QueueDelivery } from './queue-delivery.ts'
import type { Thawing } from './thaw.ts'

export type Execute = (event: QueueDelivery) => Promise<BatchResult>

export function makeExecute(host: ExecutorHost & Thawing, known: Handlers, output: Output): Execute {
  const world = withHandlers(host, known)
  const changes = new FreshChanges(world.jobs)
  return async ({ Records }) => {
    await host.thaw()
    const result = await eachMessage(output, Records, async ({ body }) => {
      report(output, await execute(world, changes, body))
    })
    const failedMessages = result.batchItemFailures.length
    putMetrics(output, { failedMessages })
    return result
  }
}

const METRIC_OF: Readonly<Partial<Record<string, Metric>>> = {
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timedOut',
  MISSED: 'missed',
  LOST: 'lost',
}

function report(output: Output, { batch, settled }: Executed): void {
  const fresh = settled.filter(({ life }) => !life.isRepeat && life.kind !== 'stop')
  const counts: Partial<Record<Metric, number>> = {}
  for (const { entry, retryInSeconds } of fresh) {
    const metric = retryInSeconds === null ? METRIC_OF[entry.status] : undefined
    if (metric !== undefined) counts[metric] = (counts[metric] ?? 0) + 1
  }
  putMetrics(output, { ...counts, startLateness: fresh.flatMap(latenessOf) }, batch.shard)
}

/** A first attempt is late by its instant; a run that has none, or comes again, is not late for anything. */
function latenessOf({ life }: Settled): number[] {
  const { end, run } = life
  if (end.startedMs === null || run.instant === null || life.entry?.attempt !== 1) return []
  return [Math.max(0, end.startedMs - run.instant * 1000)]
}

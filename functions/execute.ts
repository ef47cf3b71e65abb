// The door of the executors: a few messages of one lane, each a page of runs or a single run.

import type { Metric } from '../shared/aws/metric-names.ts'
import type { Handlers } from '../shared/core/handlers.ts'
import { type Executed, execute } from '../shared/flow/execute/execute.ts'
import { FreshChanges } from '../shared/flow/execute/fresh-changes.ts'
import type { Settled } from '../shared/flow/execute/settle.ts'
import type { ExecutorHost } from '../shared/flow/execute/world.ts'
import { withHandlers } from './deliver.ts'
import handlers from './handlers.ts'
import { consoleOutput, type MetricValues, type Output, putMetrics } from './output.ts'
import { type BatchResult, eachMessage, type QueueDelivery } from './queue-delivery.ts'
import { tellStrays } from './strays.ts'
import type { Thawing } from './thaw.ts'
import { worldFrom } from './world.ts'

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
    if (failedMessages > 0) putMetrics(output, 0, { failedMessages })
    return result
  }
}

/** CloudWatch takes so many values of one metric in one line. */
const VALUES_A_METRIC = 100

const METRIC_OF: Readonly<Partial<Record<string, Metric>>> = {
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timedOut',
  CANCELLED: 'cancelled',
  DISCARDED: 'discarded',
  SKIPPED: 'skipped',
  EXPIRED: 'expired',
  MISSED: 'missed',
  LOST: 'lost',
}

function report(output: Output, executed: Executed): void {
  const { batch, brought, claimMs, refusedClaims, refusedSettles, settled } = executed
  const fresh = settled.filter(({ life }) => !life.isRepeat && life.kind !== 'stop')
  const counts: Partial<Record<Metric, number>> = {}
  const count = (metric: Metric | undefined, by = 1) => {
    if (metric !== undefined) counts[metric] = (counts[metric] ?? 0) + by
  }
  for (const { entry, retryInSeconds } of fresh) count(retryInSeconds === null ? METRIC_OF[entry.status] : 'retried')
  const started = fresh.flatMap(startOf)
  const told = started.slice(0, VALUES_A_METRIC)
  const values: MetricValues = {
    ...counts,
    pageFill: brought,
    claimLatency: claimMs,
    ...(refusedClaims > 0 ? { refusedClaims } : {}),
    ...(refusedSettles > 0 ? { refusedSettles } : {}),
    ...(started.length === 0
      ? {}
      : {
          started: started.length,
          startLateness: told.map(({ latenessMs }) => latenessMs),
          runDuration: told.map(({ durationMs }) => durationMs),
          attempts: told.map(({ attempt }) => attempt),
        }),
  }
  putMetrics(output, batch.shard, values, batch.lane)
}

/** A first attempt is late by its instant; a run that has none, or comes again, is not late for anything. */
function startOf({ life }: Settled): { latenessMs: number; durationMs: number; attempt: number }[] {
  const { end, run } = life
  if (end.startedMs === null) return []
  const isFirst = run.instant !== null && life.entry?.attempt === 1
  const latenessMs = isFirst ? Math.max(0, end.startedMs - (run.instant ?? 0) * 1000) : 0
  return [{ latenessMs, durationMs: end.endedMs - end.startedMs, attempt: life.entry?.attempt ?? run.attempt }]
}

let environment: Execute | null = null

function open(): Execute {
  const output = consoleOutput(() => Date.now())
  tellStrays(output)
  return makeExecute(worldFrom(process.env, output), handlers, output)
}

export const handler: Execute = (event) => {
  environment ??= open()
  return environment(event)
}

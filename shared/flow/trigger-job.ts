// A run by hand. The same request again is the same run, in whatever second it comes: the first answer is kept.

import { hashText } from '../core/hash.ts'
import { hashOfId, idOfHash, shardOf } from '../core/job/id.ts'
import { statusOf } from '../core/job/stored.ts'
import { laneOf, NEW_LANE } from '../core/lanes.ts'
import { ticketJobOf, writeTicketJob } from '../core/run/message.ts'
import { formatRunId, parseRunId } from '../core/run/run.ts'
import type { Queue, Stores } from '../ports.ts'
import { type PutWorld, putAlone } from './put-alone.ts'
import { NotFound } from './refusals.ts'
import { nowOf } from './tick-world.ts'

export interface TriggerWorld extends PutWorld, Pick<Stores, 'jobs' | 'answers'> {
  readonly shardCount: number
  readonly queues: Readonly<Record<'fast' | 'slow', Pick<Queue, 'send'>>>
}

export interface Triggering {
  /** The Idempotency-Key of the request. */
  readonly key: string
  /** In the place of the job's own. */
  readonly payload?: unknown
  /** The instant that the run is told it is for. */
  readonly instant?: number
}

/** The id of the run. It never moves the schedule, and it runs also where the job is stopped. */
export async function triggerJob(world: TriggerWorld, jobId: string, asked: Triggering): Promise<string> {
  const [job] = await world.jobs.readMany([jobId])
  if (job === undefined || statusOf(job) === 'DELETED') throw new NotFound('job', jobId)
  const request = idOfHash(hashText(`${jobId}/${asked.key}`))
  const wanted = formatRunId({ jobId, second: nowOf(world), suffix: `m${request}` })
  const runId = await world.answers.keep(`trigger-${request}`, wanted)
  const ticket = ticketJobOf(job)
  const lane = laneOf(NEW_LANE, ticket.timeoutSeconds, nowOf(world))
  const message = await putAlone(world, {
    shard: shardOf(hashOfId(jobId), world.shardCount),
    id: parseRunId(runId),
    trigger: 'MANUAL',
    instant: asked.instant ?? null,
    nominal: null,
    lane,
    drainedMs: world.clock.nowMs(),
    ticket: writeTicketJob(ticket),
    ...(asked.payload === undefined ? {} : { payload: asked.payload }),
  })
  // What the queue does not take now is sent again from the list of open runs.
  if (message !== null) await world.queues[lane].send([message])
  return runId
}

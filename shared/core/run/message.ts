// What travels through the queues: a page of runs, or one run by itself. A ticket carries what an executor needs to know
// of its job, so that most runs start without reading anything else.

import { z } from 'zod'
import { jobSchema } from '../job/job.ts'
import type { StoredJob } from '../job/stored.ts'
import type { Lane } from '../lanes.ts'
import type { Kind } from '../schedule/schedule.ts'
import type { PageKey } from './record.ts'
import { TRIGGERS, type Trigger } from './run.ts'

const { target, payload, block, misfire, skipIfSuccessful, after, retry, then } = jobSchema.shape

const ticketJobSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  version: z.int(),
  target,
  payload,
  /** Where a large payload lies, or null. */
  bodyVersion: z.int().nullable(),
  block: block.unwrap(),
  misfire: misfire.unwrap(),
  skipIfSuccessful: skipIfSuccessful.unwrap(),
  after: after.unwrap(),
  maxLateness: z.int().nullable(),
  retry: retry.unwrap(),
  then: then.unwrap(),
  timeoutSeconds: z.int(),
  keepOutput: z.boolean(),
})

const lane = z.enum(['fast', 'slow'])

export const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('page'),
    shard: z.int(),
    second: z.int(),
    depth: z.int(),
    page: z.int(),
    lane,
    /** When the ticker last looked for changes. */
    drainedMs: z.number(),
    runs: z.array(
      z.object({
        /** A job's id, or that with ~ for a stop. */
        id: z.string(),
        kind: z.enum(['start', 'stop', 'restart']),
        nominal: z.int(),
        /** Started on time it cannot meet another run of its job, so it needs no lock. */
        isApart: z.boolean(),
        job: ticketJobSchema,
      }),
    ),
  }),
  z.object({
    type: z.literal('run'),
    shard: z.int(),
    runId: z.string(),
    trigger: z.enum(TRIGGERS),
    nominal: z.int().nullable(),
    drainedMs: z.number(),
    job: ticketJobSchema,
  }),
])

/** What an executor needs to know of a job, as text: it is made once a version and copied into every message. */
export function ticketJobOf({ definition, bodyVersion, version, versions }: StoredJob): string {
  const { namespace, name } = definition
  return JSON.stringify({
    namespace,
    name,
    version,
    target: definition.target,
    payload: definition.payload,
    bodyVersion,
    block: definition.block,
    misfire: definition.misfire,
    skipIfSuccessful: definition.skipIfSuccessful,
    after: definition.after,
    maxLateness: definition.maxLateness,
    retry: definition.retry,
    then: definition.then,
    timeoutSeconds: versions[versions.length - 1].timeoutSeconds,
    keepOutput: definition.history.keepOutput,
  })
}

/** The entry of a stop stands beside the run of its second. */
export const entryIdOf = (jobId: string, kind: Kind): string => (kind === 'stop' ? `${jobId}~` : jobId)

export interface Ticket {
  readonly jobId: string
  readonly kind: Kind
  readonly nominal: number
  readonly isApart: boolean
  /** As ticketJobOf made it. */
  readonly job: string
}

export function writePageMessage(
  page: PageKey & { readonly lane: Lane },
  drainedMs: number,
  tickets: readonly Ticket[],
): string {
  const { shard, second, depth, page: number, lane: onLane } = page
  const head = JSON.stringify({ type: 'page', shard, second, depth, page: number, lane: onLane, drainedMs })
  const runs = tickets.map(
    ({ jobId, kind, nominal, isApart, job }) =>
      `{"id":"${entryIdOf(jobId, kind)}","kind":"${kind}","nominal":${nominal},"isApart":${isApart},"job":${job}}`,
  )
  return `${head.slice(0, -1)},"runs":[${runs.join(',')}]}`
}

export interface SingleRun {
  readonly shard: number
  readonly runId: string
  readonly trigger: Trigger
  readonly nominal: number | null
  readonly drainedMs: number
}

export function writeRunMessage({ shard, runId, trigger, nominal, drainedMs }: SingleRun, job: string): string {
  const head = JSON.stringify({ type: 'run', shard, runId, trigger, nominal, drainedMs })
  return `${head.slice(0, -1)},"job":${job}}`
}

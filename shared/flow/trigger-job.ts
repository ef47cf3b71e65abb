// A run by hand. The same request again is the same run, in whatever second it comes: the first answer is kept.

import { hashText } from '../core/hash.ts'
import { idOfHash } from '../core/job/id.ts'
import { statusOf } from '../core/job/stored.ts'
import { formatRunId, parseRunId } from '../core/run/run.ts'
import type { Stores } from '../ports.ts'
import { type StartWorld, startAlone } from './put-alone.ts'
import { NotFound } from './refusals.ts'
import { nowOf } from './tick-world.ts'

export type TriggerWorld = StartWorld & Pick<Stores, 'jobs' | 'answers'>

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
  const { payload, instant = null } = asked
  await startAlone(world, job, { id: parseRunId(runId), trigger: 'MANUAL', instant, payload })
  return runId
}

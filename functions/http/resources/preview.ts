// Routes that show when something would fire: a saved job, or schedules that are not saved.

import { SHARED_NAMESPACE } from '../../../shared/core/access/role.ts'
import { InputError } from '../../../shared/core/errors.ts'
import { jobIdOf } from '../../../shared/core/job/id.ts'
import { faultOfError, faultsOf, InvalidInput } from '../../../shared/core/job/invalid.ts'
import { jobSchema } from '../../../shared/core/job/job.ts'
import { nextVersion } from '../../../shared/core/job/next-version.ts'
import { faultsBeside, readJob } from '../../../shared/core/job/read-job.ts'
import type { VersionedJob } from '../../../shared/core/job/version.ts'
import { type DueItem, dueBetween, nextDue } from '../../../shared/core/planner/due.ts'
import { explainSchedule } from '../../../shared/core/schedule/explain.ts'
import { describeFire } from '../../../shared/core/schedule/fire.ts'
import { formatInstant, parseInstant } from '../../../shared/core/time/instant.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import { resolve } from '../../../shared/flow/references.ts'
import { objectBody, secondNow, without } from '../call.ts'
import { Problem } from '../problem.ts'
import { rest } from '../rest.ts'
import { type Answer, type Call, type Route, route } from '../route.ts'
import { previewAnswer, previewBody, previewQuery } from '../schemas/job.ts'
import { asRunning, existingJob } from './jobs.ts'

const DEFAULT_COUNT = 10

/** The clocks of a zone are worked out for the years that are asked about, so what else waits comes in between two fires. */
async function firesOf(job: VersionedJob, from: number, count: number): Promise<DueItem[]> {
  const found: DueItem[] = []
  for (let t = nextDue(job, from - 1); t !== NEVER && found.length < count; t = nextDue(job, t)) {
    dueBetween(job, t, t + 1, found)
    await rest()
  }
  return found.slice(0, count)
}

async function previewOf(job: VersionedJob, from: number, count: number, warnings: readonly object[]): Promise<Answer> {
  const newest = job.versions[job.versions.length - 1]
  const items = (await firesOf(job, from, count)).map((fire) => ({
    instant: formatInstant(fire.second),
    nominal: formatInstant(fire.nominal),
    ...describeFire(job.id, fire.version, fire),
    kind: fire.kind,
  }))
  const explain = newest.timing.schedules.map((schedule) => explainSchedule(schedule, job.id))
  return { status: 200, body: { items, explain, warnings } }
}

async function previewJob(call: Call): Promise<Answer> {
  const { count = DEFAULT_COUNT, from } = call.query as { count?: number; from?: number }
  const job = await existingJob(call)
  return previewOf(asRunning(job) ?? job, from ?? secondNow(call) + 1, count, [])
}

function readPreview(body: unknown) {
  const { success, data, error } = previewBody.safeParse(body)
  if (!success) throw new InvalidInput([...faultsOf(error.issues, body), ...faultsBeside(body, '')])
  return data
}

async function preview(call: Call): Promise<Answer> {
  const { from, count, namespace: asked, name } = readPreview(call.body)
  const { sees } = call.caller
  if (asked !== undefined && !sees(asked)) throw new Problem('not-found', `there is no namespace ${asked} for this key`)
  const namespace = asked ?? (sees('default') ? 'default' : SHARED_NAMESPACE)
  const id = jobIdOf(namespace, name)
  const fields = without(objectBody(call.body), ['from', 'count'])
  const body = { ...fields, namespace, name, target: { type: 'handler', handler: 'preview' } }
  const { job: definition, faults: own, warnings } = readJob(body, id)
  const { resolved, faults } = await resolve(call.world, definition)
  if (own.length + faults.length > 0) throw new InvalidInput([...own, ...faults])
  const now = secondNow(call)
  const first = from === null ? now + 1 : parseInstant(from, 'from')
  try {
    const version = nextVersion({
      jobId: id,
      definition: jobSchema.parse(definition),
      resolved,
      status: 'RUNNING',
      until: null,
      before: null,
      version: 1,
      activeFrom: Math.min(first, now + 1),
    })
    return await previewOf({ id, versions: [version] }, first, count, warnings)
  } catch (error) {
    if (error instanceof InputError) throw new InvalidInput([faultOfError(error)])
    throw error
  }
}

export const PREVIEW_ROUTES: readonly Route[] = [
  route(
    {
      operationId: 'previewJob',
      method: 'GET',
      path: '/v1/jobs/{namespace}/{name}/preview',
      access: 'viewer',
      tag: 'jobs',
      summary: 'The coming fires of a job',
      description: 'Of a stopped job those that it would have if it ran.',
      query: previewQuery,
      answers: { 200: { description: 'Fires', schema: previewAnswer } },
    },
    previewJob,
  ),
  route(
    {
      operationId: 'preview',
      method: 'POST',
      path: '/v1/preview',
      access: 'viewer',
      tag: 'jobs',
      summary: 'The coming fires of schedules that are not saved',
      body: previewBody,
      answers: { 200: { description: 'Fires, with days on which clocks move marked', schema: previewAnswer } },
    },
    preview,
  ),
]

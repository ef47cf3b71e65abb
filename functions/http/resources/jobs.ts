// Routes of single jobs: save, read, change, delete, start, stop, reschedule, trigger, versions.

import { jobIdOf } from '../../../shared/core/job/id.ts'
import { type Fault, InvalidInput } from '../../../shared/core/job/invalid.ts'
import { changesOf } from '../../../shared/core/job/revise.ts'
import { type StoredJob, stopAt } from '../../../shared/core/job/stored.ts'
import type { VersionedJob } from '../../../shared/core/job/version.ts'
import { isTerminal } from '../../../shared/core/run/status.ts'
import { formatInstant, parseInstant } from '../../../shared/core/time/instant.ts'
import { compareFires } from '../../../shared/flow/compare-fires.ts'
import { findJob, type JobName } from '../../../shared/flow/find-job.ts'
import { wasDone } from '../../../shared/flow/idempotency.ts'
import {
  deleteJob,
  patchJob,
  rescheduleJob,
  type SaveAsking,
  saveJob,
  startJob,
  stopJob,
} from '../../../shared/flow/manage-jobs.ts'
import type { Mutation } from '../../../shared/flow/mutate-job.ts'
import { notFound } from '../../../shared/flow/refusals.ts'
import { findRun } from '../../../shared/flow/runs/find-run.ts'
import { runsOfJob } from '../../../shared/flow/runs/job-runs.ts'
import type { RunView } from '../../../shared/flow/runs/view.ts'
import { nowOf } from '../../../shared/flow/tick-world.ts'
import { refuseFarAhead, triggerJob } from '../../../shared/flow/trigger-job.ts'
import { firesAnswer, jobAnswer } from '../answers/job.ts'
import { instantText, momentText } from '../answers/times.ts'
import { askingOf, DEFAULT_LIMIT, etag, objectBody, REPLAYED, readBody, secondNow, without } from '../call.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { isTrue } from '../query.ts'
import { Quota, refuseTriggers } from '../quota.ts'
import { rest } from '../rest.ts'
import { type Answer, type Call, type Route, route } from '../route.ts'
import {
  dryRun,
  emptyBody,
  jobAnswer as jobAnswerSchema,
  jobBody,
  jobPatch,
  jobWritten,
  ownerQuery,
  READ_ONLY_FIELDS,
  rescheduleBody,
  stopBody,
  triggerBody,
  versionList,
  versionQuery,
} from '../schemas/job.ts'
import { runAnswer as runAnswerSchema } from '../schemas/run.ts'
import { runBody, waitedFor } from './runs.ts'

const PATH = '/v1/jobs/{namespace}/{name}'
const tag = 'jobs'

const nameOf = ({ params }: Call): JobName => ({ namespace: params.namespace, name: params.name })

/** The last run that an executor took, within the days that are kept. */
export async function lastRunOf({ world }: Call, job: StoredJob): Promise<RunView | null> {
  const now = nowOf(world)
  const from = now - world.settings.ledgerDays * 86_400
  const query = {
    from,
    to: now + 1,
    isWanted: ({ entry }: Pick<RunView, 'entry'>) => entry !== null,
    limit: 1,
    after: null,
    wantsMissed: false,
  }
  return (await runsOfJob(world, job, query)).items[0] ?? null
}

async function jobBodyOf(
  call: Call,
  { job, result }: Pick<Mutation, 'job' | 'result'>,
): Promise<Record<string, unknown>> {
  return jobAnswer(job, secondNow(call), result === 'CREATED' ? null : await lastRunOf(call, job))
}

/** The fires of a day as they were and as they would be. Those of a stopped job are what it would have if it ran. */
async function dryRunAnswer(call: Call, mutation: Mutation, warnings: readonly Fault[] = []): Promise<Answer> {
  const { job, before, result, activeFrom } = mutation
  const { namespace, name } = job.definition
  const isLifeCycle = call.path.endsWith('/stop') || call.path.endsWith('/start')
  const stop = stopAt(job, activeFrom)
  const pair = {
    jobId: job.id,
    fullName: `${namespace}/${name}`,
    before: isLifeCycle ? before : asRunning(before),
    after: isLifeCycle || result === 'DELETED' ? job : asRunning(job),
  }
  const said =
    stop !== null && !isLifeCycle
      ? [
          {
            code: 'job.stopped',
            path: '',
            message: `the job is stopped${stop.until === null ? '' : ` until ${formatInstant(stop.until)}`}; the fires are those it would have if it ran`,
          },
        ]
      : []
  return {
    status: 200,
    body: {
      dryRun: true,
      result,
      activeFrom: formatInstant(activeFrom),
      changes: changesOf(before, job),
      fires: firesAnswer(await compareFires([pair], activeFrom, rest)),
      warnings: [...warnings, ...said],
    },
  }
}

/** The job as if its newest version were not stopped. */
export function asRunning(job: StoredJob | null): VersionedJob | null {
  if (job === null) return null
  const newest = job.versions[job.versions.length - 1]
  if (newest.status !== 'STOPPED') return job
  const { until: _, ...rest } = newest
  return { id: job.id, versions: [...job.versions.slice(0, -1), { ...rest, status: 'RUNNING' }] }
}

async function saved(call: Call, mutation: Mutation, warnings: readonly Fault[]): Promise<Answer> {
  if (call.isDryRun) return dryRunAnswer(call, mutation, warnings)
  const { job, result } = mutation
  return {
    status: result === 'CREATED' ? 201 : 200,
    body: { ...(await jobBodyOf(call, mutation)), warnings },
    headers: { ...etag(job.version), ...(result === 'CREATED' ? { location: call.path } : {}) },
  }
}

/** One that broke off after it was done is not done again. */
async function changed(call: Call, change: () => Promise<Mutation>): Promise<Answer> {
  if (call.act !== null && (await wasDone(call.world, call.params.namespace, call.act))) {
    const job = await existingJob(call)
    const body = await jobBodyOf(call, { job, result: 'UPDATED' })
    return { status: 200, body, headers: { ...etag(job.version), ...REPLAYED } }
  }
  const mutation = await change()
  if (call.isDryRun) return dryRunAnswer(call, mutation)
  return { status: 200, body: await jobBodyOf(call, mutation), headers: etag(mutation.job.version) }
}

function savingOf(call: Call): SaveAsking {
  const { manager, force } = call.query as { manager?: string; force?: string }
  return {
    ...askingOf(call),
    ...(manager === undefined ? {} : { manager }),
    isForced: force !== undefined && isTrue('force', force),
  }
}

/** What the path says may be said again in the body, and must then be the same. */
function bodyFor(name: JobName, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const faults = (['namespace', 'name'] as const).flatMap((field): Fault[] => {
    if (body[field] === undefined || body[field] === name[field]) return []
    const message = `is not what the path says. Use "${name[field]}", or leave it out.`
    return [{ path: `/${field}`, code: 'field.conflict', message }]
  })
  if (faults.length > 0) throw new InvalidInput(faults)
  return without(body, READ_ONLY_FIELDS)
}

export async function existingJob(call: Call): Promise<StoredJob> {
  const name = nameOf(call)
  const job = await findJob(call.world, name)
  if (job === null) throw notFound('job', `${name.namespace}/${name.name}`)
  return job
}

const MUTATION = { isMutation: true, isConditional: true, tag } as const
const ACT = { isMutation: true, isIdempotent: true, access: 'operator', tag } as const
const DRY = { description: 'A dry run answers 200 with what would change', schema: dryRun }

export const JOB_ROUTES: readonly Route[] = [
  route(
    {
      ...MUTATION,
      operationId: 'putJob',
      method: 'PUT',
      path: PATH,
      access: 'editor',
      summary: 'Create a job, or replace its definition',
      description:
        'An equal definition makes no new version. A body without status leaves a stop in force. What GET answered can be sent back.',
      query: ownerQuery,
      body: jobBody,
      answers: {
        200: { description: 'The job as it is saved', schema: jobWritten },
        201: { description: 'The job, created', schema: jobWritten },
      },
    },
    async (call) => {
      const name = nameOf(call)
      const body = bodyFor(name, objectBody(call.body))
      await new Quota(call).take(name)
      const { warnings, ...mutation } = await saveJob(call.world, name, body, savingOf(call))
      return saved(call, mutation, warnings)
    },
  ),
  route(
    {
      operationId: 'getJob',
      method: 'GET',
      path: PATH,
      access: 'viewer',
      tag,
      summary: 'Read a job',
      answers: { 200: { description: 'The job', schema: jobAnswerSchema } },
    },
    async (call) => {
      const job = await existingJob(call)
      return { status: 200, body: await jobBodyOf(call, { job, result: 'UPDATED' }), headers: etag(job.version) }
    },
  ),
  route(
    {
      ...MUTATION,
      operationId: 'patchJob',
      method: 'PATCH',
      path: PATH,
      access: 'editor',
      summary: 'Replace some fields of a job',
      query: ownerQuery,
      body: jobPatch,
      answers: { 200: { description: 'The job as it is saved', schema: jobWritten } },
    },
    async (call) => {
      const name = nameOf(call)
      const patch = objectBody(call.body)
      const unknown = READ_ONLY_FIELDS.concat('namespace', 'name').filter((field) => Object.hasOwn(patch, field))
      if (unknown.length > 0) {
        throw new InvalidInput(
          unknown.map((field) => ({
            path: `/${field}`,
            code: 'field.read-only',
            message: 'cannot be changed by a patch. Leave it out.',
          })),
        )
      }
      const { warnings, ...mutation } = await patchJob(call.world, name, patch, savingOf(call))
      return saved(call, mutation, warnings)
    },
  ),
  route(
    {
      ...MUTATION,
      operationId: 'deleteJob',
      method: 'DELETE',
      path: PATH,
      access: 'editor',
      summary: 'Delete a job',
      description: 'The name is free at once. Runs, versions and audit stay readable as long as they are kept.',
      query: ownerQuery,
      answers: { 200: DRY, 204: { description: 'Deleted', schema: null } },
    },
    async (call) => {
      const mutation = await deleteJob(call.world, nameOf(call), savingOf(call))
      return call.isDryRun ? dryRunAnswer(call, mutation) : { status: 204 }
    },
  ),
  route(
    {
      ...ACT,
      operationId: 'startJob',
      method: 'POST',
      path: `${PATH}/start`,
      summary: 'End a stop',
      body: emptyBody,
      answers: { 200: { description: 'The job', schema: jobAnswerSchema } },
    },
    async (call) => {
      readBody(emptyBody, call.body)
      return changed(call, () => startJob(call.world, nameOf(call), askingOf(call)))
    },
  ),
  route(
    {
      ...ACT,
      operationId: 'stopJob',
      method: 'POST',
      path: `${PATH}/stop`,
      summary: 'Stop a job, for good or until a time',
      description:
        'Replaces a stop in force. With queued: cancel what was due before and has not started is cancelled.',
      body: stopBody,
      answers: { 200: { description: 'The job', schema: jobAnswerSchema } },
    },
    async (call) => {
      const { reason, until, queued } = readBody(stopBody, call.body)
      const end = until === null ? null : futureSecond(call, until)
      const wish = { code: 'BY_HAND', reason, until: end, queued } as const
      return changed(call, () => stopJob(call.world, nameOf(call), wish, askingOf(call)))
    },
  ),
  route(
    {
      ...ACT,
      operationId: 'rescheduleJob',
      method: 'POST',
      path: `${PATH}/reschedule`,
      summary: 'Move the next fire only, or skip it',
      body: rescheduleBody,
      answers: { 200: { description: 'The job, with what was moved', schema: jobAnswerSchema } },
    },
    async (call) => {
      const { at } = readBody(rescheduleBody, call.body)
      const to = at === null ? null : parseInstant(at, 'at')
      return changed(call, () => rescheduleJob(call.world, nameOf(call), to, askingOf(call)))
    },
  ),
  route(
    {
      ...ACT,
      operationId: 'triggerJob',
      method: 'POST',
      path: `${PATH}/trigger`,
      replay: 'own',
      summary: 'Run a job now',
      description:
        'Never moves the schedule, works while the job is stopped, does not ask after. With Prefer: wait=20 (25 at most) the answer waits for the end. triggersPerMinute of a namespace is counted in each environment of the function by itself.',
      body: triggerBody,
      answers: {
        200: { description: 'The run, ended while the request waited; or a dry run', schema: runAnswerSchema },
        202: { description: 'The run as it stands', schema: runAnswerSchema },
      },
    },
    trigger,
  ),
  route(
    {
      operationId: 'jobVersions',
      method: 'GET',
      path: `${PATH}/versions`,
      access: 'viewer',
      tag,
      summary: 'What a job was before, newest first',
      description: 'Without payloads; with ?version= that one, with its payload.',
      query: versionQuery,
      answers: { 200: { description: 'Versions', schema: versionList } },
    },
    versions,
  ),
]

/** When a stop is to end, which must be ahead. */
export function futureSecond(call: Call, until: string): number {
  const second = parseInstant(until, 'until')
  if (second > secondNow(call)) return second
  const message = `got "${until}", which is past. Use a later time, or leave it out to stop for good.`
  throw new InvalidInput([{ path: '/until', code: 'stop.past', message }])
}

async function trigger(call: Call): Promise<Answer> {
  const { instant, payload } = readBody(triggerBody, call.body)
  const job = await existingJob(call)
  const asked = {
    by: call.caller.actor,
    requestId: call.requestId,
    request: call.request,
    payload,
    instant: instant === null ? null : parseInstant(instant, 'instant'),
  }
  refuseFarAhead(call.world, asked)
  await refuseTriggers(call, job.definition.namespace)
  if (call.isDryRun) return nothingFires('CREATED')
  const { runId, isReplay } = await triggerJob(call.world, job, asked)
  return runStarted(call, runId, isReplay)
}

/** A dry run of an act that changes no fire. */
export const nothingFires = (result: string, changes: readonly object[] = []): Answer => ({
  status: 200,
  body: { dryRun: true, result, activeFrom: null, changes, fires: null, warnings: [] },
})

/** 202 with the run as it stands, or 200 with its end where the caller waited for it. */
export async function runStarted(call: Call, runId: string, isReplay: boolean): Promise<Answer> {
  const waited = await waitedFor(call, runId)
  const run = waited.run ?? (await findRun(call.world, runId))
  if (run === null) throw notFound('run', runId)
  const isOver = waited.seconds !== null && isTerminal(run.entry?.status ?? 'QUEUED')
  return {
    status: isOver ? 200 : 202,
    body: await runBody(call, run),
    headers: {
      location: `/v1/runs/${runId}`,
      ...(isOver ? { 'preference-applied': `wait=${waited.seconds}` } : {}),
      ...(isReplay ? REPLAYED : {}),
    },
  }
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)

async function versions(call: Call): Promise<Answer> {
  const { version, limit = DEFAULT_LIMIT } = call.query as { version?: number; limit?: number }
  const name = nameOf(call)
  const id = (await readAnyway(call)).id
  const below = version === undefined ? readCursor(call, isNumber) : version + 1
  const most = version === undefined ? limit + 1 : 1
  const found = await call.world.jobs.definitions(id, below, most)
  const wanted = version === undefined ? found.slice(0, limit) : found.filter((each) => each.version === version)
  if (wanted.length === 0 && version !== undefined)
    throw notFound('version', `${version} of ${name.namespace}/${name.name}`)
  const items = await Promise.all(
    wanted.map(async ({ definition, bodyVersion, ...saved }) => {
      const { payload, status: _, ...rest } = definition
      const [body] = version === undefined || bodyVersion === null ? [payload] : await bodyOf(call, id, bodyVersion)
      return {
        version: saved.version,
        at: momentText(saved.atMs),
        activeFrom: instantText(saved.activeFrom),
        by: saved.by,
        status: saved.status,
        changes: saved.changes,
        definition: version === undefined ? rest : { ...rest, payload: body },
      }
    }),
  )
  const isCut = version === undefined && found.length > limit
  return { status: 200, body: { items, next: isCut ? writeCursor(call, items[items.length - 1].version) : null } }
}

const bodyOf = ({ world }: Call, jobId: string, version: number) => world.jobs.bodies([{ jobId, version }])

/** The job, also where it was deleted: its past stays readable. */
export async function readAnyway(call: Call): Promise<StoredJob> {
  const { namespace, name } = nameOf(call)
  const [job] = await call.world.jobs.readMany([jobIdOf(namespace, name)])
  if (job === undefined || job.definition.namespace !== namespace || job.definition.name !== name) {
    throw notFound('job', `${namespace}/${name}`)
  }
  return job
}

// Routes of runs: those of a job, those of all jobs, one of them, cancel and retry.

import type { StoredJob } from '../../../shared/core/job/stored.ts'
import type { Trigger } from '../../../shared/core/run/run.ts'
import { isTerminal, type RunStatus } from '../../../shared/core/run/status.ts'
import { formatInstant } from '../../../shared/core/time/instant.ts'
import { findJob, splitName } from '../../../shared/flow/find-job.ts'
import { notFound } from '../../../shared/flow/refusals.ts'
import { type AllRunsQuery, runsOfAll, runsOfChain } from '../../../shared/flow/runs/all-runs.ts'
import { cancelRun, refuseIfEnded } from '../../../shared/flow/runs/cancel-run.ts'
import { type FoundRun, findRun } from '../../../shared/flow/runs/find-run.ts'
import { type RunPosition, type RunsPage, type RunsQuery, runsOfJob } from '../../../shared/flow/runs/job-runs.ts'
import { payloadOf, refuseIfOpen, retryRun } from '../../../shared/flow/runs/retry-run.ts'
import { type RunView, statusOfRun } from '../../../shared/flow/runs/view.ts'
import type { MissedItem } from '../../../shared/ports.ts'
import { missedAnswer, runAnswer, runSummary } from '../answers/run.ts'
import { DEFAULT_LIMIT, REPLAYED, readBody, secondNow } from '../call.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { Problem } from '../problem.ts'
import { refuseTriggers } from '../quota.ts'
import { type Answer, type Call, type Route, route } from '../route.ts'
import { emptyBody } from '../schemas/job.ts'
import { jobRunsQuery, runAnswer as runAnswerSchema, runList, runsQuery } from '../schemas/run.ts'
import { tagsOf } from '../tags.ts'
import { nothingFires, readAnyway, runStarted } from './jobs.ts'

const tag = 'runs'

/** A run that the caller may see: any other is not there. */
async function existingRun(call: Call): Promise<FoundRun> {
  const run = await findRun(call.world, call.params.id)
  if (run === null || !call.caller.sees(run.job.definition.namespace)) throw notFound('run', call.params.id)
  return run
}

export async function runBody(call: Call, run: RunView): Promise<Record<string, unknown>> {
  return runAnswer(run, await payloadOf(call.world.jobs, run))
}

const MOST_WAIT_SECONDS = 25
const LOOKS_EVERY_MS = 250

/** Waits as long as Prefer asks for the end of a run. */
export async function waitedFor(
  call: Call,
  runId: string,
): Promise<{ readonly run: FoundRun | null; readonly seconds: number | null }> {
  const [, asked] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/i.exec(call.headers.prefer ?? '') ?? []
  if (asked === undefined) return { run: null, seconds: null }
  const seconds = Math.min(MOST_WAIT_SECONDS, Number(asked))
  const { world } = call
  const untilMs = world.clock.nowMs() + seconds * 1000
  for (;;) {
    const run = await findRun(world, runId)
    const isOver = run !== null && isTerminal(statusOfRun(run))
    if (isOver || world.clock.nowMs() >= untilMs) return { run, seconds }
    await world.until(Math.min(untilMs, world.clock.nowMs() + LOOKS_EVERY_MS))
  }
}

interface RunFilters {
  readonly from?: number
  readonly to?: number
  readonly status?: readonly RunStatus[]
  readonly trigger?: readonly Trigger[]
  readonly limit?: number
}

const isPosition = (value: unknown): value is RunPosition =>
  typeof value === 'object' &&
  value !== null &&
  Number.isSafeInteger(Reflect.get(value, 'second')) &&
  typeof Reflect.get(value, 'runId') === 'string'

function queryOf(call: Call): RunsQuery {
  const { from = 0, to, status, trigger, limit = DEFAULT_LIMIT } = call.query as RunFilters
  const now = secondNow(call)
  const keptFrom = now - call.world.settings.ledgerDays * 86_400
  return {
    from: Math.max(from, keptFrom),
    to: to ?? now + 1,
    isWanted: (run) =>
      (status === undefined || status.includes(statusOfRun(run))) &&
      (trigger === undefined || trigger.includes(run.trigger)),
    limit,
    after: readCursor(call, isPosition),
  }
}

function listAnswer<Missed extends MissedItem>(
  call: Call,
  { items, missed, next, searchedTo }: RunsPage<Missed>,
  jobOf: (missed: Missed) => object,
): Answer {
  const { status, trigger } = call.query as RunFilters
  const wantsMissed =
    (status === undefined || status.includes('MISSED')) && (trigger === undefined || trigger.includes('SCHEDULE'))
  return {
    status: 200,
    body: {
      items: items.map(runSummary),
      missed: wantsMissed
        ? missed.filter(({ of }) => of === 'starts').map((each) => ({ ...jobOf(each), ...missedAnswer(each) }))
        : [],
      next: next === null ? null : writeCursor(call, next),
      searchedTo: formatInstant(searchedTo),
    },
  }
}

async function listJobRuns(call: Call): Promise<Answer> {
  const job = await readAnyway(call)
  return listAnswer(call, await runsOfJob(call.world, job, queryOf(call)), () => ({}))
}

const jobOfMissed = ({ id, definition: { namespace, name } }: StoredJob) => ({ job: { id, namespace, name } })

async function listRuns(call: Call): Promise<Answer> {
  const {
    namespace,
    job,
    tag: tags,
    root,
    status,
    trigger,
  } = call.query as RunFilters & {
    namespace?: string
    job?: string
    tag?: string
    root?: string
  }
  const query = queryOf(call)
  if (job !== undefined) {
    const found = call.caller.sees(splitName(job).namespace) ? await findJob(call.world, splitName(job)) : null
    const isWanted = found !== null && (namespace === undefined || found.definition.namespace === namespace)
    if (!isWanted) return listAnswer(call, nothing(query), () => ({}))
    return listAnswer(call, await runsOfJob(call.world, found, query), () => jobOfMissed(found))
  }
  const wishes = tagsOf(tags)
  await call.world.directory.all()
  const isVisible = ({ definition }: StoredJob) =>
    call.caller.sees(definition.namespace) &&
    (namespace === undefined || definition.namespace === namespace) &&
    wishes.every(
      ({ key, value }) => Object.hasOwn(definition.tags, key) && (value === null || definition.tags[key] === value),
    )
  const all: AllRunsQuery = {
    ...query,
    statuses: status ?? null,
    triggers: trigger ?? null,
    jobOf: (jobId) => {
      const known = call.world.directory.known(jobId)
      return known !== null && isVisible(known) ? known : null
    },
  }
  const page = root === undefined ? await runsOfAll(call.world, all) : await chainOf(call, root, all)
  return listAnswer(call, page, (missed) => jobOfMissed(missed.job))
}

const nothing = ({ from }: RunsQuery): RunsPage => ({ items: [], missed: [], next: null, searchedTo: from })

/** A root of another tenant is as good as none. */
async function chainOf(call: Call, root: string, query: AllRunsQuery) {
  const first = await findRun(call.world, root)
  const isVisible = first !== null && call.caller.sees(first.job.definition.namespace)
  return isVisible ? runsOfChain(call.world, root, query) : { ...nothing(query), missed: [] }
}

const ACT = { isMutation: true, isIdempotent: true, access: 'operator', tag, body: emptyBody } as const

export const RUN_ROUTES: readonly Route[] = [
  route(
    {
      operationId: 'listJobRuns',
      method: 'GET',
      path: '/v1/jobs/{namespace}/{name}/runs',
      access: 'viewer',
      tag,
      summary: 'Runs of a job, newest first',
      description:
        'Lists of runs may be 2 s behind. A page may be short or empty and still have next: a request looks at a bounded number of instants.',
      query: jobRunsQuery,
      answers: { 200: { description: 'Runs', schema: runList } },
    },
    listJobRuns,
  ),
  route(
    {
      operationId: 'listRuns',
      method: 'GET',
      path: '/v1/runs',
      access: 'viewer',
      tag,
      summary: 'Runs of all jobs, newest first',
      description: 'By the second in the id. Filters that name something foreign find nothing.',
      query: runsQuery,
      answers: { 200: { description: 'Runs', schema: runList } },
    },
    listRuns,
  ),
  route(
    {
      operationId: 'getRun',
      method: 'GET',
      path: '/v1/runs/{id}',
      access: 'viewer',
      tag,
      summary: 'One run, with attempts, cause, error, output and log',
      description:
        'An ordinary success keeps only status, attempt, start and duration, unless its job has keepDetail or it was run by hand: the other fields are null. An instant of a gap answers as a MISSED run.',
      answers: { 200: { description: 'The run', schema: runAnswerSchema } },
    },
    async (call) => ({ status: 200, body: await runBody(call, await existingRun(call)) }),
  ),
  route(
    {
      ...ACT,
      operationId: 'cancelRun',
      method: 'POST',
      path: '/v1/runs/{id}/cancel',
      summary: 'Cancel a run that has not ended',
      description: 'It is CANCELLED at once; its handler hears of it within 2 s.',
      answers: { 200: { description: 'The run', schema: runAnswerSchema } },
    },
    async (call) => {
      readBody(emptyBody, call.body)
      const run = await existingRun(call)
      if (call.isDryRun) {
        refuseIfEnded(run)
        return nothingFires('UPDATED', [{ path: '/status', from: statusOfRun(run), to: 'CANCELLED' }])
      }
      // Cancelled by the same request, which broke off.
      const isDone = call.act !== null && call.act.sinceMs !== null && statusOfRun(run) === 'CANCELLED'
      if (isDone) return { status: 200, body: await runBody(call, run), headers: REPLAYED }
      const cancelled = await cancelRun(call.world, run, { by: call.caller.actor, requestId: call.requestId })
      return { status: 200, body: await runBody(call, cancelled) }
    },
  ),
  route(
    {
      ...ACT,
      operationId: 'retryRun',
      method: 'POST',
      path: '/v1/runs/{id}/retry',
      replay: 'own',
      summary: 'Run again what has ended',
      description:
        'A new run: MANUAL, same instant, root and payload, by the definition in force now. Prefer: wait works.',
      answers: {
        200: { description: 'The new run, ended while the request waited; or a dry run', schema: runAnswerSchema },
        202: { description: 'The new run', schema: runAnswerSchema },
      },
    },
    async (call) => {
      readBody(emptyBody, call.body)
      const run = await existingRun(call)
      const job = await findJob(call.world, run.job.definition)
      if (job === null) throw new Problem('conflict', 'its job was deleted. Put the job again, or trigger another')
      refuseIfOpen(run)
      await refuseTriggers(call, job.definition.namespace)
      if (call.isDryRun) return nothingFires('CREATED')
      const { actor: by } = call.caller
      const started = await retryRun(call.world, run, job, { by, requestId: call.requestId, request: call.request })
      return runStarted(call, started.runId, started.isReplay)
    },
  ),
]

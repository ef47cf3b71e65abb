// Routes over many jobs: search and batch.

import type { Facet } from '../../../shared/core/job/facets.ts'
import type { Position } from '../../../shared/core/job/first-few.ts'
import type { JobQuery, Sort } from '../../../shared/core/job/search.ts'
import type { SearchedJob } from '../../../shared/core/job/searched-job.ts'
import { mapLimited } from '../../../shared/flow/map-limited.ts'
import { jobSummary } from '../answers/job.ts'
import { lastRunAnswer } from '../answers/run.ts'
import { DEFAULT_LIMIT, secondNow } from '../call.ts'
import { isPair, readCursor, writeCursor } from '../cursor.ts'
import { badRequest } from '../problem.ts'
import { type Answer, type Call, type Route, route } from '../route.ts'
import { batchAnswer, batchBody, jobList, jobQuery } from '../schemas/job.ts'
import { tagsOf } from '../tags.ts'
import { batch } from './batch.ts'
import { lastRunOf } from './jobs.ts'

interface Filters {
  readonly namespace?: string
  readonly status?: readonly string[]
  readonly tag?: string
  readonly q?: string
  readonly target?: string
  readonly managedBy?: string
  readonly once?: 'true' | 'false'
  readonly failedSince?: { readonly second: number } | { readonly window: number }
  readonly job?: string
  readonly id?: string
  readonly sort?: string
  readonly facets?: readonly Facet[]
  readonly include?: readonly 'last'[]
  readonly limit?: number
}

const MOST_WITH_LAST = 30

function jobQueryOf(call: Call): JobQuery {
  const filters = call.query as Filters
  const { sort = 'name', failedSince, target, managedBy, once, limit } = filters
  const hasLast = filters.include !== undefined
  if (hasLast && limit !== undefined && limit > MOST_WITH_LAST) {
    const message = `Use at most ${MOST_WITH_LAST} together with include=last.`
    throw badRequest([{ in: 'query', path: '/limit', code: 'query.value', message }])
  }
  const [type, ...rest] = target?.split(':') ?? []
  return {
    sees: call.caller.sees,
    namespace: filters.namespace,
    statuses: filters.status,
    tags: tagsOf(filters.tag),
    q: filters.q,
    target: target === undefined ? undefined : { type, name: rest.length === 0 ? null : rest.join(':') },
    managedBy: managedBy === 'none' ? null : managedBy,
    isOnce: once === undefined ? undefined : once === 'true',
    failedSinceMs: failedSince === undefined ? undefined : sinceMs(call, failedSince),
    fullName: filters.job,
    id: filters.id,
    sort: sort.replace(/^-/, '') as Sort,
    isReversed: sort.startsWith('-'),
    limit: limit ?? (hasLast ? MOST_WITH_LAST : DEFAULT_LIMIT),
    after: readCursor<Position>(call, isPair),
    facets: filters.facets ?? [],
  }
}

const sinceMs = (call: Call, since: NonNullable<Filters['failedSince']>): number =>
  'second' in since ? since.second * 1000 : call.world.clock.nowMs() - since.window * 1000

async function listJobs(call: Call): Promise<Answer> {
  const query = jobQueryOf(call)
  const { items, next, total, facets } = await call.world.directory.search(query)
  const now = secondNow(call)
  const hasLast = (call.query as Filters).include !== undefined
  const summaries = hasLast
    ? await mapLimited(items, async (found) => ({ ...jobSummary(found, now), last: await lastOf(call, found) }))
    : items.map((found) => jobSummary(found, now))
  return {
    status: 200,
    body: {
      items: summaries,
      next: next === null ? null : writeCursor(call, next),
      total,
      ...(facets === null
        ? {}
        : {
            facets: {
              ...facets.counts,
              ...(facets.tag === null ? {} : { tag: facets.tag }),
              truncated: facets.truncated,
            },
          }),
    },
  }
}

async function lastOf(call: Call, { job }: SearchedJob): Promise<object | null> {
  const last = await lastRunOf(call, job)
  if (last === null) return null
  const { id, instant, status } = lastRunAnswer(last)
  return { id, instant, status }
}

export const SEARCH_ROUTES: readonly Route[] = [
  route(
    {
      operationId: 'listJobs',
      method: 'GET',
      path: '/v1/jobs',
      access: 'viewer',
      tag: 'jobs',
      summary: 'Find jobs',
      description:
        'Shows every write that was acknowledged before the request. Jobs without what is sorted by come last.',
      query: jobQuery,
      answers: { 200: { description: 'Summaries of jobs', schema: jobList } },
    },
    listJobs,
  ),
  route(
    {
      operationId: 'batchJobs',
      method: 'POST',
      path: '/v1/jobs/batch',
      access: 'operator',
      tag: 'jobs',
      summary: 'Put, delete, start and stop many jobs',
      description:
        'Each item is all or nothing, the batch is not. The role is asked for each: put and delete need editor. Sending the same batch again is safe.',
      isMutation: true,
      mostBytes: 4 * 1024 * 1024,
      body: batchBody,
      answers: { 200: { description: 'What became of each item, in the order of the request', schema: batchAnswer } },
    },
    batch,
  ),
]

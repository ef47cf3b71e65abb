// A job as it is sent and answered, and all that is said about jobs.

import * as z from 'zod'
import { fullName, name, time as writtenTime } from '../../../shared/core/fields.ts'
import { FACETS } from '../../../shared/core/job/facets.ts'
import { jobSchema, payload } from '../../../shared/core/job/job.ts'
import { LIMITS } from '../../../shared/core/job/limits.ts'
import { SORTS } from '../../../shared/core/job/search.ts'
import { STOP_CODES } from '../../../shared/core/job/stored.ts'
import { CLOCK_MARKS } from '../../../shared/core/schedule/fire.ts'
import {
  actor,
  count,
  cursor,
  fieldChange,
  instant,
  limit,
  list,
  listOf,
  moment,
  problem,
  since,
  time,
  warning,
} from './common.ts'
import { lastRun } from './run.ts'

/** The body of a PUT: what the path says may be left out. */
export const jobBody = jobSchema.extend({ name: name.optional() })

/** The body of a PATCH: any of the fields; null restores a default. */
export const jobPatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries(jobSchema.shape)
        .filter(([field]) => field !== 'namespace' && field !== 'name')
        .map(([field, schema]) => [field, (schema as z.ZodType).nullable().optional()]),
    ),
  )
  .describe('Fields to replace, each whole; null restores its default')

const stopped = z.strictObject({
  code: z.enum(STOP_CODES),
  reason: z.string(),
  at: moment,
  until: instant.nullable(),
  queued: z.enum(['run', 'cancel']),
  operation: z.string().nullable(),
  by: actor,
})

const readOnly = {
  id: z.string(),
  version: z.int(),
  activeFrom: instant,
  createdAt: moment,
  updatedAt: moment,
  managedBy: z.string().nullable(),
  effective: z.strictObject({ timeout: z.int() }),
  explain: z.array(z.string()),
  stopped: stopped.nullable(),
  next: z.array(instant),
  last: lastRun.nullable(),
  moved: z
    .array(z.strictObject({ from: instant, to: instant.nullable() }))
    .describe('Fires moved by hand that are still ahead; to is null where one is skipped'),
}

export const READ_ONLY_FIELDS: readonly string[] = [...Object.keys(readOnly), 'warnings']

export const jobAnswer = jobSchema.extend(readOnly)
export const jobWritten = jobAnswer.extend({ warnings: z.array(warning) })

export const jobSummary = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  id: z.string(),
  version: z.int(),
  description: z.string(),
  tags: z.record(z.string(), z.string()),
  status: z.enum(['RUNNING', 'STOPPED']),
  stopped: z.strictObject({ code: z.enum(STOP_CODES), reason: z.string(), until: instant.nullable() }).nullable(),
  managedBy: z.string().nullable(),
  target: z.strictObject({ type: z.string() }),
  explain: z.array(z.string()),
  updatedAt: moment,
  next: z.array(instant),
  last: z
    .strictObject({ id: z.string(), instant: instant.nullable(), status: z.string() })
    .nullable()
    .optional()
    .describe('Only with include=last'),
})

const counts = z.record(z.string(), z.int())

export const jobList = listOf(jobSummary).extend({
  total: z.int(),
  facets: z
    .strictObject({
      namespace: counts.optional(),
      status: counts.optional(),
      tag: z.record(z.string(), counts).optional(),
      target: counts.optional(),
      managedBy: counts.optional(),
      truncated: z.array(z.string()),
    })
    .optional()
    .describe('Only with facets='),
})

const directions = SORTS.flatMap((sort) => [sort, `-${sort}`]) as [string, ...string[]]

export const jobQuery = z.strictObject({
  namespace: name.optional(),
  status: list(['RUNNING', 'STOPPED']).optional(),
  tag: z.string().max(2000).optional().describe('team:billing,env: all must match'),
  q: z.string().max(200).optional().describe('Part of a name or description'),
  target: z.string().max(600).optional().describe('A type, or type:name'),
  managedBy: z.string().max(200).optional().describe('An owner, or none'),
  once: z.enum(['true', 'false']).optional(),
  failedSince: since.optional().describe('A time, or a span such as 1h; failures of 7 days are known'),
  job: fullName.optional(),
  id: z.string().max(20).optional(),
  sort: z.enum(directions).optional(),
  facets: list(FACETS).optional(),
  include: list(['last']).optional().describe('With last, limit is 30 at most'),
  limit: limit(),
  cursor,
})

/** Who writes a definition, and whether it may be another's. */
export const ownerQuery = z.strictObject({
  manager: z
    .string()
    .regex(/^apply:[a-z0-9][a-z0-9._-]{0,125}$/, 'Use apply:<owner>')
    .optional(),
  force: z.enum(['', 'true', 'false']).optional(),
})

const fire = z.strictObject({
  instant,
  local: z.string(),
  zone: z.string(),
  kind: z.enum(['start', 'stop', 'restart']),
  job: z.string(),
})

const fires = z.strictObject({ count: z.int(), items: z.array(fire) })

const comparedFires = z.strictObject({
  from: instant,
  to: instant,
  same: z.int(),
  appear: fires,
  vanish: fires,
})

export const dryRun = z.strictObject({
  dryRun: z.literal(true),
  result: z.string(),
  activeFrom: instant.nullable(),
  changes: z.array(fieldChange),
  fires: comparedFires.nullable(),
  warnings: z.array(warning),
})

export const stopBody = z.strictObject({
  reason: z.string().max(LIMITS.reasonCharacters).default(''),
  until: writtenTime('until').nullable().default(null),
  queued: z.enum(['run', 'cancel']).default('run'),
})

export const triggerBody = z.strictObject({
  payload: payload.optional(),
  instant: writtenTime('instant').nullable().default(null),
})

export const rescheduleBody = z.strictObject({
  at: writtenTime('at').nullable().describe('null skips the next fire'),
})

export const emptyBody = z.strictObject({})

export const previewQuery = z.strictObject({ count: count(1, 100).optional(), from: time.optional() })

const { schedules, template, startAt, endAt, maxRuns, dst, spread, calendars } = jobSchema.shape

export const previewBody = z.strictObject({
  namespace: name.optional(),
  name: name.default('preview'),
  schedules,
  template,
  startAt,
  endAt,
  maxRuns,
  dst,
  spread,
  calendars,
  from: writtenTime('from').nullable().default(null),
  count: z.int().min(1).max(100).default(10),
})

export const previewAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      instant,
      nominal: instant,
      local: z.string(),
      zone: z.string(),
      schedule: z.int().nullable(),
      kind: z.enum(['start', 'stop', 'restart']),
      dst: z.enum(CLOCK_MARKS).nullable(),
    }),
  ),
  explain: z.array(z.string()),
  warnings: z.array(warning),
})

export const versionQuery = z.strictObject({ version: count(1, 999_999).optional(), limit: limit(), cursor })

export const versionList = listOf(
  z.strictObject({
    version: z.int(),
    at: moment,
    activeFrom: instant,
    by: actor,
    status: z.enum(['RUNNING', 'STOPPED', 'DELETED']),
    changes: z.array(fieldChange),
    definition: jobSchema.omit({ payload: true, status: true }).extend({ payload: payload.optional() }),
  }),
)

const named = z.strictObject({ namespace: name.optional(), name })
const ifVersion = z.int().min(0).max(999_999_999).optional()

/** Fields of a job, which are read with the item: what JSON.parse made is JSON, and megabytes of it take long to be looked at twice. */
const fields = z.record(z.string(), z.unknown())

export const BATCH_ITEMS = {
  BatchPut: z.strictObject({ put: fields, ifVersion }),
  BatchDelete: z.strictObject({ delete: named, ifVersion }),
  BatchStart: z.strictObject({ start: named, ifVersion }),
  BatchStop: z.strictObject({ stop: named.extend(stopBody.shape), ifVersion }),
}

export const MOST_BATCH_ITEMS = 500

export const batchBody = z.strictObject({
  defaults: fields.default({}).describe('Fill absent top-level fields of a put'),
  items: z
    .array(
      z.union([BATCH_ITEMS.BatchPut, BATCH_ITEMS.BatchDelete, BATCH_ITEMS.BatchStart, BATCH_ITEMS.BatchStop], {
        error: 'Use one of put, delete, start and stop, and ifVersion beside it',
      }),
    )
    .min(1)
    .max(MOST_BATCH_ITEMS),
})

const batchResult = z.strictObject({
  index: z.int(),
  status: z.int(),
  result: z.enum(['CREATED', 'UPDATED', 'UNCHANGED', 'DELETED', 'FAILED']),
  job: z
    .strictObject({
      id: z.string(),
      namespace: z.string(),
      name: z.string(),
      version: z.int(),
      activeFrom: instant,
    })
    .optional(),
  warnings: z.array(warning).optional(),
  problem: problem.optional(),
})

export const batchAnswer = z.strictObject({
  dryRun: z.literal(true).optional(),
  results: z.array(batchResult),
  counts: z.record(z.string(), z.int()),
  fires: comparedFires.optional(),
})

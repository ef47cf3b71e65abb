// A run as it is answered.

import * as z from 'zod'
import { fullName, name } from '../../../shared/core/fields.ts'
import { TRIGGERS } from '../../../shared/core/run/run.ts'
import { STATUSES } from '../../../shared/core/run/status.ts'
import { actor, cursor, instant, json, limit, list, listOf, moment, time } from './common.ts'

const jobOfRun = z.strictObject({ id: z.string(), namespace: z.string(), name: z.string(), version: z.int() })

export const lastRun = z.strictObject({
  id: z.string(),
  instant: instant.nullable(),
  trigger: z.enum(TRIGGERS),
  status: z.enum(STATUSES),
  attempt: z.int(),
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
  durationMs: z.number().nullable(),
  latenessMs: z.number().nullable(),
})

const error = z.strictObject({ name: z.string(), message: z.string() })

export const runSummary = lastRun.extend({
  job: jobOfRun,
  nominal: instant.nullable(),
  root: z.string(),
  error: error.nullable(),
  reason: z.string().nullable(),
})

export const runAnswer = runSummary.extend({
  cause: z
    .strictObject({
      retryOf: z.string().nullable(),
      run: z.string().nullable(),
      operation: z.string().nullable(),
      by: actor.nullable(),
    })
    .nullable(),
  lane: z.enum(['fast', 'slow']).nullable(),
  part: z.strictObject({ index: z.int(), total: z.int() }).nullable(),
  queuedAt: moment.nullable(),
  claimedAt: moment.nullable(),
  deadline: moment.nullable(),
  retryAt: moment.nullable(),
  heartbeatAt: moment.nullable(),
  progress: json.nullable(),
  executor: z.string().nullable(),
  payload: json.nullable(),
  output: json.nullable(),
  error: error.extend({ stack: z.string() }).nullable(),
  log: z.array(z.strictObject({ at: moment, line: z.string() })),
  logTruncated: z.boolean(),
  attempts: z.array(
    z.strictObject({
      attempt: z.int(),
      status: z.enum(STATUSES),
      startedAt: moment.nullable(),
      durationMs: z.number().nullable(),
      error: z.string().nullable(),
    }),
  ),
})

const missed = z.strictObject({
  job: z.strictObject({ id: z.string(), namespace: z.string(), name: z.string() }).optional(),
  from: instant,
  to: instant.describe('The second after the last instant'),
  count: z.int(),
  status: z.literal('MISSED'),
  reason: z.string(),
})

export const runList = listOf(runSummary).extend({
  missed: z.array(missed).describe('Instants that never ran, counted'),
  searchedTo: instant.describe('Everything from here on was looked at'),
})

const range = {
  from: time.optional(),
  to: time.optional(),
  status: list(STATUSES).optional(),
  trigger: list(TRIGGERS).optional(),
  limit: limit(),
  cursor,
}

export const jobRunsQuery = z.strictObject(range)

export const runsQuery = z.strictObject({
  namespace: name.optional(),
  job: fullName.optional(),
  tag: z.string().max(2000).optional(),
  root: z.string().max(100).optional(),
  ...range,
})

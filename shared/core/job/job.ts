// The definition of a job as one schema: its type, the HTTP body, the check after reading. It knows shapes and limits;
// whether a schedule makes sense is for shared/core/schedule.

import * as z from 'zod'
import { duration, fullName, name, time } from '../fields.ts'
import { STATUSES } from '../run/status.ts'
import { scheduleSchema } from '../schedule/schedule.ts'
import { LIMITS } from './limits.ts'

export const dst = z.strictObject({
  gap: z.enum(['shift', 'skip']).default('shift'),
  overlap: z.enum(['first', 'last', 'both']).default('first'),
})

export const MISFIRES = {
  DoNothing: z.strictObject({ policy: z.literal('DO_NOTHING') }),
  FireOnceNow: z.strictObject({ policy: z.literal('FIRE_ONCE_NOW') }),
  CatchUp: z.strictObject({
    policy: z.literal('CATCH_UP'),
    window: duration(1, LIMITS.catchUpWindowSeconds),
    overlap: z.enum(['skip', 'all', 'latest']).default('all'),
    max: z.int().min(1).max(LIMITS.catchUpRuns).default(LIMITS.catchUpRuns),
  }),
}

const misfire = z.discriminatedUnion('policy', [MISFIRES.DoNothing, MISFIRES.FireOnceNow, MISFIRES.CatchUp])

export const BLOCKS = {
  Serial: z.strictObject({ strategy: z.literal('SERIAL') }),
  Discard: z.strictObject({ strategy: z.literal('DISCARD') }),
  Cover: z.strictObject({ strategy: z.literal('COVER') }),
  Concurrent: z.strictObject({ strategy: z.literal('CONCURRENT'), max: z.int().min(1).max(LIMITS.concurrent) }),
}

const block = z.discriminatedUnion('strategy', [BLOCKS.Serial, BLOCKS.Discard, BLOCKS.Cover, BLOCKS.Concurrent])

const routes = [
  'FIRST',
  'LAST',
  'ROUND',
  'RANDOM',
  'LFU',
  'LRU',
  'CONSISTENT_HASH',
  'FAILOVER',
  'BUSYOVER',
  'SHARDING_BROADCAST',
] as const

const handler = name

export const TARGETS = {
  HandlerTarget: z.strictObject({ type: z.literal('handler'), handler }),
  HttpTarget: z.strictObject({
    type: z.literal('http'),
    url: z.url({ protocol: /^https?$/ }).max(2000),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    body: z.enum(['envelope', 'payload']).default('envelope'),
    headers: z
      .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), z.string().regex(/^[\t\x20-\x7e]{0,1000}$/))
      .default({}),
    secret: name.nullable().default(null),
  }),
  LambdaTarget: z.strictObject({
    type: z.literal('lambda'),
    function: z.string().min(1).max(170),
    mode: z.enum(['sync', 'async']).default('sync'),
  }),
  SqsTarget: z.strictObject({ type: z.literal('sqs'), queue: z.string().min(1).max(500) }),
  EventTarget: z.strictObject({
    type: z.literal('event'),
    bus: z.string().min(1).max(256),
    source: z.string().min(1).max(256),
    detailType: z.string().min(1).max(128),
  }),
  GroupTarget: z.strictObject({
    type: z.literal('group'),
    group: name,
    handler,
    route: z.enum(routes).default('ROUND'),
  }),
}

const target = z.discriminatedUnion('type', [
  TARGETS.HandlerTarget,
  TARGETS.HttpTarget,
  TARGETS.LambdaTarget,
  TARGETS.SqsTarget,
  TARGETS.EventTarget,
  TARGETS.GroupTarget,
])

/** Any JSON. It has a name in the API's document, so it stands here without the limits that some fields put on it. */
export const json = z.json()

export const payload = json.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value)).length <= LIMITS.payloadBytes,
  { error: `Use at most ${LIMITS.payloadBytes} bytes of JSON; keep more in a store and send its key` },
)

const retry = z
  .strictObject({
    attempts: z.int().min(0).max(LIMITS.retryAttempts).default(0),
    delay: duration(1, LIMITS.retryDelaySeconds).default(5),
    maxDelay: duration(1, LIMITS.retryDelaySeconds).default(300),
  })
  .refine(({ delay, maxDelay }) => delay <= maxDelay, { path: ['maxDelay'], error: 'Use a maxDelay of at least delay' })

/** What a job takes that says nothing of its timeout. */
const DEFAULT_TIMEOUT_SECONDS = 60

/** Ends that can be told to others. */
const NOTIFIED = STATUSES.filter((status) => !['QUEUED', 'WAITING', 'RUNNING'].includes(status))
const USUALLY_NOTIFIED = ['FAILED', 'TIMED_OUT', 'LOST', 'MISSED'] as const

const tagText = z
  .string()
  .max(LIMITS.tagCharacters)
  .regex(/^[^,\p{Cc}]*$/u, 'Use text without commas and control characters')

export const jobSchema = z.strictObject({
  namespace: name.default('default'),
  name,
  description: z.string().max(LIMITS.descriptionCharacters).default(''),
  tags: z
    .record(name, tagText)
    .refine((tags) => Object.keys(tags).length <= LIMITS.tags, { error: `Use at most ${LIMITS.tags} tags` })
    .default({}),
  status: z.enum(['RUNNING', 'STOPPED']).default('RUNNING'),
  schedules: z.array(scheduleSchema).max(LIMITS.schedules).default([]),
  template: fullName.nullable().default(null),
  startAt: time('startAt').nullable().default(null),
  endAt: time('endAt').nullable().default(null),
  maxRuns: z.int().min(1).max(LIMITS.maxRuns).nullable().default(null),
  /** So long after its last instant the job is deleted. */
  deleteAfter: duration(LIMITS.deleteAfterSeconds.least, LIMITS.deleteAfterSeconds.most).nullable().default(null),
  dst: dst.default({ gap: 'shift', overlap: 'first' }),
  spread: duration(0, LIMITS.spreadSeconds).default(0),
  calendars: z.array(fullName).max(LIMITS.calendars).default([]),
  misfire: misfire.default({ policy: 'FIRE_ONCE_NOW' }),
  block: block.default({ strategy: 'SERIAL' }),
  skipIfSuccessful: z.boolean().default(false),
  after: z
    .array(z.strictObject({ job: fullName, within: duration(1, LIMITS.catchUpWindowSeconds) }))
    .max(LIMITS.dependencies)
    .default([]),
  timeout: duration(1, LIMITS.timeoutSeconds)
    .nullable()
    .transform((seconds) => seconds ?? DEFAULT_TIMEOUT_SECONDS)
    .pipe(z.int())
    .default(DEFAULT_TIMEOUT_SECONDS),
  heartbeat: duration(LIMITS.heartbeatSeconds.least, LIMITS.heartbeatSeconds.most).nullable().default(null),
  maxLateness: duration(1, LIMITS.maxLatenessSeconds).nullable().default(null),
  retry: retry.default({ attempts: 0, delay: 5, maxDelay: 300 }),
  priority: z.int().min(-LIMITS.priority).max(LIMITS.priority).default(0),
  target,
  payload: payload.default({}),
  then: z
    .array(z.strictObject({ on: z.enum(['success', 'failure']), job: fullName }))
    .max(LIMITS.dependencies)
    .default([]),
  notify: z
    .array(z.enum(NOTIFIED))
    .max(NOTIFIED.length)
    .default([...USUALLY_NOTIFIED]),
  stopAfterFailures: z.int().min(1).max(LIMITS.failuresInARow).nullable().default(null),
  history: z.strictObject({ keepDetail: z.boolean().default(false) }).default({ keepDetail: false }),
})

export type Job = z.infer<typeof jobSchema>
export type Misfire = Job['misfire']
export type Block = Job['block']
export type Retry = Job['retry']

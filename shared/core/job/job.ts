// The definition of a job as one schema: its type, the HTTP body, the check after reading. It knows shapes and limits;
// whether a schedule makes sense is for shared/core/schedule.

import { z } from 'zod'
import { scheduleSchema } from '../schedule/schedule.ts'
import { LIMITS } from './limits.ts'

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/
const JOB_NAME = /^[a-z0-9][a-z0-9._-]{0,62}\/[a-z0-9][a-z0-9._-]{0,62}$/

const name = z.string().regex(NAME, 'Use 1 to 63 of a-z, 0-9, dot, underscore and hyphen, the first a letter or digit')
/** Another job, template or calendar, with its namespace. */
const fullName = z.string().regex(JOB_NAME, 'Use namespace/name, as in default/send-report')
const seconds = (min: number, max: number) => z.int().min(min).max(max)
const time = z.string()

const dst = z.strictObject({
  gap: z.enum(['shift', 'skip']).default('shift'),
  overlap: z.enum(['first', 'last', 'both']).default('first'),
})

const misfire = z.discriminatedUnion('policy', [
  z.strictObject({ policy: z.literal('DO_NOTHING') }),
  z.strictObject({ policy: z.literal('FIRE_ONCE_NOW') }),
  z.strictObject({
    policy: z.literal('CATCH_UP'),
    window: seconds(1, LIMITS.catchUpWindowSeconds),
    overlap: z.enum(['skip', 'all', 'latest']).default('all'),
    max: z.int().min(1).max(LIMITS.catchUpRuns).default(LIMITS.catchUpRuns),
  }),
])

const block = z.discriminatedUnion('strategy', [
  z.strictObject({ strategy: z.literal('SERIAL') }),
  z.strictObject({ strategy: z.literal('DISCARD') }),
  z.strictObject({ strategy: z.literal('COVER') }),
  z.strictObject({ strategy: z.literal('CONCURRENT'), max: z.int().min(1).max(LIMITS.concurrent) }),
])

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

const handler = z.string().regex(NAME, 'Use the name under which defineHandlers has it')

const target = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('handler'), handler }),
  z.strictObject({
    type: z.literal('http'),
    url: z.url({ protocol: /^https?$/ }),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    headers: z
      .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), z.string().regex(/^[\t\x20-\x7e]{0,1000}$/))
      .default({}),
    secret: z.string().min(24).max(100).optional(),
  }),
  z.strictObject({
    type: z.literal('lambda'),
    function: z.string().min(1).max(170),
    mode: z.enum(['sync', 'async']).default('sync'),
  }),
  z.strictObject({ type: z.literal('sqs'), queue: z.string().min(1).max(500) }),
  z.strictObject({
    type: z.literal('event'),
    bus: z.string().min(1).max(256),
    source: z.string().min(1).max(256),
    detailType: z.string().min(1).max(128),
  }),
  z.strictObject({ type: z.literal('group'), group: name, handler, route: z.enum(routes).default('ROUND') }),
])

const payload = z
  .json()
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= LIMITS.payloadBytes, {
    error: `Use at most ${LIMITS.payloadBytes} bytes of JSON; keep more in a store and send its key`,
  })

const retry = z
  .strictObject({
    attempts: z.int().min(0).max(LIMITS.retryAttempts).default(0),
    delay: seconds(1, LIMITS.retryDelaySeconds).default(5),
    maxDelay: seconds(1, LIMITS.retryDelaySeconds).default(300),
  })
  .refine(({ delay, maxDelay }) => delay <= maxDelay, { path: ['maxDelay'], error: 'Use a maxDelay of at least delay' })

export const jobSchema = z
  .strictObject({
    namespace: name.default('default'),
    name,
    description: z.string().max(LIMITS.descriptionCharacters).default(''),
    tags: z
      .record(name, z.string().max(LIMITS.tagCharacters))
      .refine((tags) => Object.keys(tags).length <= LIMITS.tags, { error: `Use at most ${LIMITS.tags} tags` })
      .default({}),
    status: z.enum(['RUNNING', 'STOPPED']).default('RUNNING'),
    schedules: z.array(scheduleSchema).max(LIMITS.schedules).default([]),
    template: fullName.nullable().default(null),
    startAt: time.nullable().default(null),
    endAt: time.nullable().default(null),
    maxRuns: z.int().min(1).max(LIMITS.maxRuns).nullable().default(null),
    dst: dst.default({ gap: 'shift', overlap: 'first' }),
    spread: seconds(0, LIMITS.spreadSeconds).default(0),
    calendars: z.array(fullName).max(LIMITS.calendars).default([]),
    misfire: misfire.default({ policy: 'FIRE_ONCE_NOW' }),
    block: block.default({ strategy: 'SERIAL' }),
    skipIfSuccessful: z.boolean().default(false),
    after: z
      .array(z.strictObject({ job: fullName, withinSeconds: seconds(1, LIMITS.catchUpWindowSeconds) }))
      .max(LIMITS.dependencies)
      .default([]),
    /** null: as long as the gap between two runs allows, at most a minute. */
    timeout: seconds(1, LIMITS.timeoutSeconds).nullable().default(null),
    maxLateness: seconds(1, LIMITS.maxLatenessSeconds).nullable().default(null),
    retry: retry.default({ attempts: 0, delay: 5, maxDelay: 300 }),
    priority: z.int().min(-LIMITS.priority).max(LIMITS.priority).default(0),
    target,
    payload: payload.default({}),
    then: z
      .array(z.strictObject({ on: z.enum(['success', 'failure']), job: fullName }))
      .max(LIMITS.dependencies)
      .default([]),
    history: z
      .strictObject({
        keepDays: z.int().min(1).max(LIMITS.keepDays).default(30),
        keepOutput: z.boolean().default(false),
      })
      .default({ keepDays: 30, keepOutput: false }),
  })
  .refine(({ schedules, template }) => schedules.length > 0 || template !== null, {
    path: ['schedules'],
    error: 'Give at least one schedule, or a template',
  })

export type Job = z.infer<typeof jobSchema>
export type Misfire = Job['misfire']
export type Block = Job['block']
export type Retry = Job['retry']

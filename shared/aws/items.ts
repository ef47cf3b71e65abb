// What each item of the table holds, read back only through its schema. Keys are the business of keys.ts.

import * as z from 'zod'
import { actorSchema } from '../core/actor.ts'
import type { JobState } from '../core/gate/state.ts'
import { dst, type Job, jobSchema } from '../core/job/job.ts'
import { type Change, type SavedDefinition, STOP_CODES, type StoredJob } from '../core/job/stored.ts'
import type { JobVersion } from '../core/job/version.ts'
import { decodeEntry, encodeEntry, type PageEntry } from '../core/pages/entry.ts'
import { droppedAttempt, type ListedRun, type RecentRun, type RunDetail, type RunRecord } from '../core/run/record.ts'
import { parseRunId, TRIGGERS } from '../core/run/run.ts'
import { STATUSES } from '../core/run/status.ts'
import { scheduleSchema } from '../core/schedule/schedule.ts'
import type { Meta, MinuteItem, ShardItem } from '../core/shard.ts'
import type { FeedLine, MissedItem } from '../ports.ts'
import { checked, type FieldKind, type Fields, readFields, writeField, writeFields } from './codec.ts'
import { readDepths, writeDepths } from './depth-text.ts'
import type { Attributes } from './expression.ts'
import { type ItemKey, itemOf, keyOfItem } from './keys.ts'
import { KnownTexts } from './known-texts.ts'

const second = z.int()
const lane = z.enum(['fast', 'slow'])

function keyed<Type extends ItemKey['type']>(item: Attributes, type: Type): Extract<ItemKey, { type: Type }> {
  const key = itemOf(keyOfItem(item))
  if (key.type !== type) throw new Error(`the item ${item.pk?.S} is of type ${key.type}, not ${type}`)
  return key as Extract<ItemKey, { type: Type }>
}

// Jobs

/** In a job's versions its calendars stand as the hashes of their dates, which are stored apart: twenty versions of them would not fit. */
export interface CalendarReference {
  readonly name: string
  readonly hash: string
}

const calendarReference = z.object({ name: z.string(), hash: z.string() })

const versionSchema = z.object({
  version: z.int(),
  activeFrom: second,
  sureFrom: second.exactOptional(),
  status: z.enum(['RUNNING', 'STOPPED', 'DELETED']),
  until: second.exactOptional(),
  timing: z.object({
    schedules: z.array(scheduleSchema),
    startAt: z.string().nullable().exactOptional(),
    endAt: z.string().nullable().exactOptional(),
    lastInstant: z.string().nullable().exactOptional(),
    dst: dst.exactOptional(),
    spread: z.int().exactOptional(),
    calendars: z.array(calendarReference).exactOptional(),
  }),
  moves: z.array(z.object({ from: second, to: second })).exactOptional(),
  misfire: jobSchema.shape.misfire.unwrap(),
  timeoutSeconds: z.int(),
  maxLatenessSeconds: z.int().nullable(),
  priority: z.int(),
})

/** A version as it is kept. */
export type KeptVersion = Omit<JobVersion, 'timing'> & {
  readonly timing: Omit<JobVersion['timing'], 'calendars'> & { readonly calendars?: readonly CalendarReference[] }
}

export type KeptJob = Omit<StoredJob, 'versions'> & { readonly versions: readonly KeptVersion[] }

const keptVersionSchema = versionSchema as unknown as z.ZodType<KeptVersion>

type JobRest = Pick<
  KeptJob,
  'version' | 'createdAtMs' | 'updatedAtMs' | 'managedBy' | 'stopped' | 'bodyVersion' | 'versions'
>

const JOB_REST: Fields<JobRest> = {
  version: 'number',
  createdAtMs: 'number',
  updatedAtMs: 'number',
  managedBy: 'text',
  stopped: 'json',
  bodyVersion: 'number',
  versions: 'json',
}

const jobRestSchema: z.ZodType<JobRest> = z.object({
  version: z.int(),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
  managedBy: z.string().nullable().default(null),
  stopped: z
    .object({
      code: z.enum(STOP_CODES),
      reason: z.string(),
      by: actorSchema,
      atMs: z.number(),
      until: second.nullable(),
      queued: z.enum(['run', 'cancel']),
      operation: z.string().nullable(),
      from: second,
    })
    .nullable()
    .default(null),
  bodyVersion: z.int().nullable().default(null),
  versions: z.array(keptVersionSchema).min(1),
})

const JOB_FIELDS = Object.keys(jobSchema.shape)
const DEFINITION = Object.fromEntries(JOB_FIELDS.map((name): [string, FieldKind] => [name, 'json']))

const DEFAULT_JOB = jobSchema.parse({ name: 'any', schedules: [], target: { type: 'handler', handler: 'any' } })

/** A field that has its default has no attribute: most jobs have few others. */
const DEFAULT_TEXTS = Object.fromEntries(
  Object.entries(DEFAULT_JOB)
    .filter(([name]) => !['name', 'schedules', 'target'].includes(name))
    .map(([name, value]) => [name, JSON.stringify(value)]),
) as Readonly<Record<string, string | undefined>>

export function writeJob(job: KeptJob): Attributes {
  const attributes = writeFields(JOB_REST, job)
  for (const name of JOB_FIELDS) {
    const isApart = name === 'payload' && job.bodyVersion !== null
    const attribute = writeField('json', Reflect.get(job.definition, name))
    if (!isApart && attribute.S !== DEFAULT_TEXTS[name]) attributes[name] = attribute
  }
  return attributes
}

export function readJob(item: Attributes): KeptJob {
  const key = itemOf(keyOfItem(item))
  if (key.type !== 'job' && key.type !== 'once') throw new Error(`the item ${item.pk?.S} is no job`)
  const rest = readRest(item)
  return { ...rest, id: key.jobId, isOnce: key.type === 'once', definition: readDefinition(item, rest.bodyVersion) }
}

const DEFINITION_TEXTS: ReadonlyMap<string, KnownTexts<unknown>> = new Map(
  Object.entries(jobSchema.shape).map(([name, schema]) => [name, new KnownTexts<unknown>(schema)]),
)

/** Field by field, because most fields are the same in many jobs. Where one is not right the whole schema tells what is wrong. */
function readDefinition(item: Attributes, bodyVersion: number | null): Job {
  const definition: Record<string, unknown> = { ...DEFAULT_JOB }
  for (const name in item) {
    const texts = DEFINITION_TEXTS.get(name)
    if (texts === undefined || name === 'payload') continue
    const found = texts.read(item[name].S ?? 'null')
    if (found === null) return checked(jobSchema, readFields(DEFINITION, item), item)
    definition[name] = found.value
  }
  if (item.name === undefined || item.target === undefined)
    return checked(jobSchema, readFields(DEFINITION, item), item)
  // Any JSON is a payload, and it was measured when it was saved.
  if (item.payload !== undefined) definition.payload = JSON.parse(item.payload.S ?? '')
  if (bodyVersion !== null) definition.payload = null
  return definition as Job
}

function readRest(item: Attributes): JobRest {
  const fields = readFields(JOB_REST, item)
  const { version, createdAtMs, updatedAtMs, versions, stopped = null } = fields
  const { managedBy = null, bodyVersion = null } = fields as Partial<JobRest>
  const isPlain =
    stopped === null &&
    [version, createdAtMs, updatedAtMs, bodyVersion ?? 0].every(Number.isSafeInteger) &&
    Array.isArray(versions) &&
    versions.length > 0 &&
    versions.every(isPlainVersion)
  if (!isPlain) return checked(jobRestSchema, fields, item)
  return { version, createdAtMs, updatedAtMs, managedBy, stopped, bodyVersion, versions } as JobRest
}

const TIMINGS = new KnownTexts<unknown>(versionSchema.shape.timing)
const MISFIRES = new KnownTexts<unknown>(versionSchema.shape.misfire)
const VERSION_STATUSES: ReadonlySet<unknown> = new Set(versionSchema.shape.status.options)

/** What the schema asks of each scalar of a version. What it says of its times and its misfires is looked up, and put in its place. */
const PLAIN_VERSION: Readonly<Record<string, (value: unknown) => boolean>> = {
  version: Number.isSafeInteger,
  activeFrom: Number.isSafeInteger,
  sureFrom: Number.isSafeInteger,
  until: Number.isSafeInteger,
  status: (value) => VERSION_STATUSES.has(value),
  timeoutSeconds: Number.isSafeInteger,
  maxLatenessSeconds: (value) => value === null || Number.isSafeInteger(value),
  priority: Number.isSafeInteger,
  timing: () => true,
  misfire: () => true,
}
const NEEDED = [
  'version',
  'activeFrom',
  'status',
  'timing',
  'misfire',
  'timeoutSeconds',
  'maxLatenessSeconds',
  'priority',
]

/** False where it is another thing, or one for the schema to look at. */
function isPlainVersion(version: Record<string, unknown>): boolean {
  for (const name in version) if (PLAIN_VERSION[name]?.(version[name]) !== true) return false
  if (!NEEDED.every((name) => name in version)) return false
  const timing = TIMINGS.read(JSON.stringify(version.timing))
  const misfire = MISFIRES.read(JSON.stringify(version.misfire))
  if (timing === null || misfire === null) return false
  version.timing = timing.value
  version.misfire = misfire.value
  return true
}

export const writeVersion = (version: KeptVersion): Attributes => ({ version: writeField('json', version) })

export const readVersion = (item: Attributes): KeptVersion =>
  checked(keptVersionSchema, readFields({ version: 'json' }, item).version, item)

const SAVED: Fields<Omit<SavedDefinition, 'version'>> = {
  activeFrom: 'number',
  atMs: 'number',
  by: 'json',
  status: 'text',
  changes: 'json',
  definition: 'json',
  bodyVersion: 'number',
}

const savedSchema = z.object({
  activeFrom: second,
  atMs: z.number(),
  by: actorSchema,
  status: z.enum(['RUNNING', 'STOPPED', 'DELETED']),
  changes: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })),
  definition: jobSchema,
  bodyVersion: z.int().nullable().default(null),
})

export function writeSaved(saved: Omit<SavedDefinition, 'version'>): Attributes {
  const { definition, bodyVersion } = saved
  return writeFields(SAVED, bodyVersion === null ? saved : { ...saved, definition: { ...definition, payload: null } })
}

export function readSaved(item: Attributes): SavedDefinition {
  return { version: keyed(item, 'definition').version, ...checked(savedSchema, readFields(SAVED, item), item) }
}

/** A payload that is stored apart, the dates of a calendar, or an answer: one value. */
export const writeValue = (value: unknown): Attributes => ({ value: writeField('json', value) })

export const readValue = (item: Attributes): unknown => readFields({ value: 'json' }, item).value

export const readDates = (item: Attributes): readonly string[] => checked(z.array(z.string()), readValue(item), item)

type ChangeFields = Pick<Change, 'once' | 'slowThroughMinute'>

const CHANGE: Fields<ChangeFields> = { once: 'json', slowThroughMinute: 'number' }
const changeSchema = z.object({
  once: z.object({ firstInstant: second.nullable() }).nullable().default(null),
  slowThroughMinute: z.int().exactOptional(),
})

export const writeChange = (change: Change): Attributes => writeFields(CHANGE, change)

export function readChange(item: Attributes): Change {
  const { shard, ms, jobId, version } = keyed(item, 'change')
  // The log is read all the time, and most entries hold nothing but their key.
  if (item.once === undefined && item.slowThroughMinute === undefined) return { shard, ms, jobId, version, once: null }
  return { shard, ms, jobId, version, ...checked(changeSchema, readFields(CHANGE, item), item) }
}

// Shards

const META: Fields<{ shardCount: number; initialised: boolean }> = { shardCount: 'number', initialised: 'json' }
const metaSchema: z.ZodType<Meta> = z.object({ shardCount: z.int().min(1), initialised: z.boolean() })

export const writeMeta = (meta: Meta): Attributes => writeFields(META, meta)
export const readMeta = (item: Attributes): Meta => checked(metaSchema, readFields(META, item), item)

type ShardFields = Omit<ShardItem, 'depths'> & { readonly depths: string }

const SHARD: Fields<ShardFields> = {
  epoch: 'number',
  link: 'text',
  leaseUntil: 'number',
  sentThrough: 'number',
  fence: 'number',
  depths: 'text',
  backlog: 'json',
  auditedThrough: 'number',
  sleepUntil: 'number',
}

const backlogEntry = z.object({ from: second, to: second, openedAt: second, afterJob: z.string().nullable() })

const shardSchema: z.ZodType<ShardFields> = z.object({
  epoch: z.int(),
  link: z.string(),
  leaseUntil: second,
  sentThrough: second,
  fence: second,
  depths: z.string(),
  backlog: z.array(backlogEntry),
  auditedThrough: second,
  sleepUntil: second.nullable().default(null),
})

export function writeShard(shard: Partial<ShardItem>): Attributes {
  const { depths, ...rest } = shard
  return writeFields(SHARD, { ...rest, ...(depths === undefined ? {} : { depths: writeDepths(depths) }) })
}

export function readShard(item: Attributes): ShardItem {
  const { depths, ...rest } = checked(shardSchema, readFields(SHARD, item), item)
  return { ...rest, depths: readDepths(depths) }
}

type MinuteFields = Pick<MinuteItem, 'fires' | 'lateness'> & { readonly depths: string }

const MINUTE: Fields<MinuteFields> = { depths: 'text', fires: 'number', lateness: 'json' }
const minuteSchema: z.ZodType<MinuteFields> = z.object({
  depths: z.string(),
  fires: z.int(),
  lateness: z.object({ maxMs: z.number(), sumMs: z.number() }),
})

export const writeMinute = (minute: MinuteItem): Attributes =>
  writeFields(MINUTE, { ...minute, depths: writeDepths(minute.depths) })

export function readMinute(item: Attributes): MinuteItem {
  const { shard, minute } = keyed(item, 'minute')
  const { depths, ...rest } = checked(minuteSchema, readFields(MINUTE, item), item)
  return { shard, minute, ...rest, depths: readDepths(depths) }
}

// Runs

/** Each attempt has an attribute of its own, so that it is written without reading the others. */
const DETAIL: Fields<Omit<RunDetail, 'attempts'>> = {
  version: 'number',
  cause: 'json',
  root: 'text',
  trigger: 'text',
  instant: 'number',
  nominal: 'number',
  lane: 'text',
  queuedAtMs: 'number',
  claimedAtMs: 'number',
  startedAtMs: 'number',
  finishedAtMs: 'number',
  executor: 'text',
  payload: 'json',
  output: 'json',
  error: 'json',
  reason: 'text',
  log: 'json',
  isLogCut: 'json',
}

const attemptLine = z.object({
  attempt: z.int(),
  status: z.enum(STATUSES),
  startedAtMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  error: z.string().nullable(),
})

const cause = z.object({
  retryOf: z.string().nullable(),
  run: z.string().nullable(),
  operation: z.string().nullable(),
  by: actorSchema.nullable(),
})

const detailSchema = z.object({
  version: z.int().exactOptional(),
  cause: cause.exactOptional(),
  root: z.string().exactOptional(),
  attempts: z.array(attemptLine).exactOptional(),
  trigger: z.enum(TRIGGERS).exactOptional(),
  instant: second.exactOptional(),
  nominal: second.exactOptional(),
  lane: lane.exactOptional(),
  queuedAtMs: z.number().exactOptional(),
  claimedAtMs: z.number().exactOptional(),
  startedAtMs: z.number().exactOptional(),
  finishedAtMs: z.number().exactOptional(),
  executor: z.string().exactOptional(),
  payload: z.unknown().optional(),
  output: z.unknown().optional(),
  error: z.object({ name: z.string(), message: z.string(), stack: z.string() }).exactOptional(),
  reason: z.string().exactOptional(),
  log: z.array(z.object({ atMs: z.number(), line: z.string() })).exactOptional(),
  isLogCut: z.boolean().exactOptional(),
}) as unknown as z.ZodType<RunDetail>

const attemptName = (attempt: number): string => `a${attempt}`
const ATTEMPT_NAME = /^a\d+$/

export function writeDetail({ attempts = [], ...detail }: RunDetail): Attributes {
  const lines = attempts.map((line) => [attemptName(line.attempt), writeField('json', line)])
  return { ...writeFields(DETAIL, detail), ...Object.fromEntries(lines) }
}

/** What must go when these attempts are written: of many the first and the newest stay. */
export const removedByDetail = ({ attempts = [] }: RunDetail): string[] =>
  attempts.flatMap(({ attempt }) => {
    const dropped = droppedAttempt(attempt)
    return dropped === null ? [] : [attemptName(dropped)]
  })

export function readDetail(item: Attributes): RunDetail {
  const attempts = Object.entries(item)
    .filter(([name]) => ATTEMPT_NAME.test(name))
    .map(([, value]): { attempt: number } => JSON.parse(value.S ?? ''))
    .sort((a, b) => a.attempt - b.attempt)
  const fields = readFields(DETAIL, item)
  return checked(detailSchema, attempts.length === 0 ? fields : { ...fields, attempts }, item)
}

export const writeRun = (detail: RunDetail, entry: PageEntry, second: number): Attributes => ({
  ...writeDetail(detail),
  entry: writeField('text', encodeEntry(entry, second)),
})

export function readRun(item: Attributes): RunRecord {
  const { jobId, second, suffix } = keyed(item, 'run')
  return { id: { jobId, second, suffix }, entry: decodeEntry(item.entry?.S ?? '', second), detail: readDetail(item) }
}

const MISSED: Fields<MissedItem> = {
  jobId: 'text',
  of: 'text',
  from: 'number',
  to: 'number',
  count: 'number',
  reason: 'text',
}

const missedSchema: z.ZodType<MissedItem> = z.object({
  jobId: z.string(),
  of: z.enum(['starts', 'stops and restarts']),
  from: second,
  to: second,
  count: z.int(),
  reason: z.string(),
})

export const writeMissed = (missed: MissedItem): Attributes => writeFields(MISSED, missed)

export const readMissed = (item: Attributes): MissedItem => checked(missedSchema, readFields(MISSED, item), item)

/** A line of the feed names a run, or is a gap. */
export function readFeed(item: Attributes): FeedLine {
  const { second, runId } = keyed(item, 'feed')
  return item.of === undefined ? { type: 'run', second, runId } : { type: 'missed', second, missed: readMissed(item) }
}

type OpenFields = Omit<ListedRun, 'shard' | 'dueMs' | 'runId' | 'attempt'>

const OPEN: Fields<OpenFields> = { times: 'number', lane: 'text', listedMs: 'number' }
const openSchema: z.ZodType<OpenFields> = z.object({
  times: z.int(),
  lane,
  listedMs: z.int(),
})

export const writeOpen = (run: ListedRun): Attributes => writeFields(OPEN, run)

export function readOpen(item: Attributes): ListedRun {
  const { shard, ms, runId, attempt } = keyed(item, 'open')
  return { shard, dueMs: ms, runId, attempt, ...checked(openSchema, readFields(OPEN, item), item) }
}

type RecentFields = Pick<RecentRun, 'trigger' | 'reason'> & { readonly entry: string }

const RECENT: Fields<RecentFields> = { trigger: 'text', reason: 'text', entry: 'text' }
const recentSchema: z.ZodType<RecentFields> = z.object({
  trigger: z.enum(TRIGGERS),
  reason: z.string().nullable().default(null),
  entry: z.string(),
})

export function writeRecent(run: RecentRun): Attributes {
  return writeFields(RECENT, { ...run, entry: encodeEntry(run.entry, parseRunId(run.runId).second) })
}

export function readRecent(item: Attributes): RecentRun {
  const { shard, ms, runId } = keyed(item, 'recent')
  const { entry, ...rest } = checked(recentSchema, readFields(RECENT, item), item)
  return { shard, ms, runId, ...rest, entry: decodeEntry(entry, parseRunId(runId).second) }
}

// States

export const STATE: Fields<JobState> = {
  lastSuccess: 'number',
  catchUp: 'json',
  caughtUpThrough: 'number',
  lane: 'json',
}

const cursor = z.object({ from: second, to: second, next: second, left: z.int() })

const stateSchema: z.ZodType<JobState> = z.object({
  lastSuccess: second.nullable().default(null),
  catchUp: z.array(cursor).default([]),
  caughtUpThrough: second.nullable().default(null),
  lane: z
    .object({ minute: z.int(), longRuns: z.int(), slowThroughMinute: z.int() })
    .default({ minute: 0, longRuns: 0, slowThroughMinute: -1 }),
})

export const readState = (item: Attributes): JobState => checked(stateSchema, readFields(STATE, item), item)

// What travels through the queues: a page of runs, or one run that has an item of its own. A ticket carries what an executor
// needs to know of its job, so that most runs start without reading anything else.

import * as z from 'zod'
import { asciiJson } from '../ascii-json.ts'
import { LOCK_HINTS, type LockHint } from '../gate/overlap.ts'
import { jobSchema } from '../job/job.ts'
import type { StoredJob } from '../job/stored.ts'
import { isSameJson } from '../json-equal.ts'
import type { Lane } from '../lanes.ts'
import type { Kind } from '../schedule/schedule.ts'
import type { PageKey } from './record.ts'
import { TRIGGERS, type Trigger } from './run.ts'

const { namespace, name, target, payload, block, misfire, skipIfSuccessful, after, retry, then } = jobSchema.shape

const ticketJobSchema = z.object({
  namespace,
  name,
  version: z.int(),
  target,
  payload,
  /** The version under which a large payload is stored, or null. */
  bodyVersion: z.int().nullable().default(null),
  block,
  misfire,
  skipIfSuccessful,
  after,
  maxLateness: z.int().nullable().default(null),
  retry,
  then,
  timeoutSeconds: z.int(),
  keepDetail: z.boolean().default(false),
  /** A stop that cancelled what was queued: runs due before its second are not to start any more. */
  cancelled: z.object({ before: z.int(), reason: z.string() }).nullable().default(null),
})

/** What an executor needs to know of a job. */
export type TicketJob = z.infer<typeof ticketJobSchema>

const lane = z.enum(['fast', 'slow'])

const ticketSchema = z.object({
  /** A job's id, or that with ~ for a stop. */
  id: z.string(),
  kind: z.enum(['start', 'stop', 'restart']).default('start'),
  /** Absent where it is the second of the page. */
  nominal: z.int().optional(),
  lockHint: z.enum(LOCK_HINTS),
  attempt: z.int().min(1).default(1),
  /** The second before which it must not start, where it waits or is tried again. */
  notBefore: z.int().nullable().default(null),
  job: ticketJobSchema,
})

const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('page'),
    shard: z.int(),
    second: z.int(),
    depth: z.int(),
    page: z.int(),
    lane,
    /** When the ticker last looked for changes. */
    changesReadAtMs: z.number(),
    openMs: z.number().nullable().default(null),
    runs: z.array(z.unknown()),
  }),
  z.object({
    type: z.literal('run'),
    shard: z.int(),
    runId: z.string(),
    lane,
    trigger: z.enum(TRIGGERS),
    nominal: z.int().nullable(),
    changesReadAtMs: z.number(),
    openMs: z.number().nullable().default(null),
    attempt: z.int().min(1).default(1),
    notBefore: z.int().nullable().default(null),
    job: ticketJobSchema,
  }),
])

/** A run on its page, as an executor reads it. */
export interface ReadTicket {
  readonly id: string
  readonly kind: Kind
  readonly nominal: number
  readonly lockHint: LockHint
  readonly attempt: number
  readonly notBefore: number | null
  readonly job: TicketJob
}

export interface PageMessage {
  readonly type: 'page'
  readonly key: PageKey
  readonly lane: Lane
  readonly changesReadAtMs: number
  /** The time of the run's item among the open runs, where it has one. */
  readonly openMs: number | null
  readonly tickets: readonly ReadTicket[]
  /** Tickets that cannot be read, with what is wrong; the id is null where not even that can be. */
  readonly unreadable: readonly { readonly id: string | null; readonly problem: string }[]
}

export type RunMessage = Extract<z.infer<typeof messageSchema>, { type: 'run' }>

/** Throws where nothing of it can be read. One ticket that cannot be harms no other. */
export function readMessage(body: string): PageMessage | RunMessage {
  const message = messageSchema.parse(JSON.parse(body))
  if (message.type === 'run') return message
  const { type, shard, second, depth, page, lane: onLane, changesReadAtMs, openMs, runs } = message
  const tickets: ReadTicket[] = []
  const unreadable: { id: string | null; problem: string }[] = []
  for (const run of runs) {
    const { success, data, error } = ticketSchema.safeParse(run)
    if (success) tickets.push({ ...data, nominal: data.nominal ?? second })
    else unreadable.push({ id: idOf(run), problem: z.prettifyError(error) })
  }
  return { type, key: { shard, second, depth, page }, lane: onLane, changesReadAtMs, openMs, tickets, unreadable }
}

function idOf(run: unknown): string | null {
  const id: unknown = typeof run === 'object' && run !== null ? Reflect.get(run, 'id') : null
  return typeof id === 'string' ? id : null
}

/** Of a reason that a client gave, a message brings no more than a reader wants to see. */
const REASON_CHARACTERS = 1000

/** Cut between characters, never inside one. */
const shortened = (text: string): string =>
  [...text.slice(0, 2 * REASON_CHARACTERS)].slice(0, REASON_CHARACTERS).join('')

export function ticketJobOf({ definition, bodyVersion, version, versions, stopped }: StoredJob): TicketJob {
  return {
    namespace: definition.namespace,
    name: definition.name,
    version,
    target: definition.target,
    payload: definition.payload,
    bodyVersion,
    block: definition.block,
    misfire: definition.misfire,
    skipIfSuccessful: definition.skipIfSuccessful,
    after: definition.after,
    maxLateness: definition.maxLateness,
    retry: definition.retry,
    then: definition.then,
    timeoutSeconds: versions[versions.length - 1].timeoutSeconds,
    keepDetail: definition.history.keepDetail,
    cancelled:
      stopped?.queued === 'cancel'
        ? // What is due from the end of the stop on is no matter of the stop, also where it ended before it came into force.
          {
            before: Math.min(stopped.from, stopped.until ?? stopped.from),
            reason: `its job was stopped: ${shortened(stopped.reason)}`,
          }
        : null,
  }
}

const USUAL = new Map<string, unknown>(
  Object.entries(
    ticketJobSchema.parse({ name: 'any', version: 0, target: { type: 'handler', handler: 'any' }, timeoutSeconds: 0 }),
  ).filter(([field]) => !['name', 'version', 'target', 'timeoutSeconds'].includes(field)),
)

/**
 * As text without what is usual: it is made once a version and copied into every message. Nothing else in a message comes from users, so
 * with this in ASCII all of it is.
 */
export function writeTicketJob(job: TicketJob): string {
  const isUnusual = ([field, value]: [string, unknown]) => !USUAL.has(field) || !isSameJson(value, USUAL.get(field))
  return asciiJson(Object.fromEntries(Object.entries(job).filter(isUnusual)))
}

/** The entry of a stop stands beside the run of its second. */
export const entryIdOf = (jobId: string, kind: Kind): string => (kind === 'stop' ? `${jobId}~` : jobId)

/** The job of an entry, which may be that of a stop. */
export const jobIdOfEntry = (id: string): string => (id.endsWith('~') ? id.slice(0, -1) : id)

export interface Ticket extends Omit<ReadTicket, 'job'> {
  /** As writeTicketJob made it. */
  readonly job: string
}

export function writePageMessage(
  page: PageKey & { readonly lane: Lane },
  changesReadAtMs: number,
  tickets: readonly Ticket[],
): string {
  const { shard, second, depth, page: number, lane: onLane } = page
  const head = JSON.stringify({ type: 'page', shard, second, depth, page: number, lane: onLane, changesReadAtMs })
  return `${head.slice(0, -1)},"runs":[${tickets.map((ticket) => writeTicket(ticket, second)).join(',')}]}`
}

function writeTicket({ id, kind, nominal, lockHint, attempt, notBefore, job }: Ticket, second: number): string {
  const unusual = [
    ...(kind === 'start' ? [] : [`"kind":"${kind}",`]),
    ...(nominal === second ? [] : [`"nominal":${nominal},`]),
    ...(attempt === 1 ? [] : [`"attempt":${attempt},`]),
    ...(notBefore === null ? [] : [`"notBefore":${notBefore},`]),
  ]
  return `{"id":"${id}","lockHint":"${lockHint}",${unusual.join('')}"job":${job}}`
}

export interface SingleRun {
  readonly shard: number
  readonly runId: string
  readonly lane: Lane
  readonly trigger: Trigger
  readonly nominal: number | null
  readonly changesReadAtMs: number
  readonly attempt?: number
  readonly notBefore?: number | null
}

export function writeRunMessage(run: SingleRun, job: string): string {
  const { shard, runId, lane: onLane, trigger, nominal, changesReadAtMs, attempt = 1, notBefore = null } = run
  const head = { type: 'run', shard, runId, lane: onLane, trigger, nominal, changesReadAtMs, attempt, notBefore }
  return `${JSON.stringify(head).slice(0, -1)},"job":${job}}`
}

/**
 * One message for each run that a message brings, as it stands there: where a queue refuses the whole, the others go on without the
 * one that it refuses. Itself where it brings one run.
 */
export function splitMessage(body: string): string[] {
  const message = JSON.parse(body) as { readonly runs?: readonly unknown[] }
  const { runs = [] } = message
  return runs.length <= 1 ? [body] : runs.map((run) => asciiJson({ ...message, runs: [run] }))
}

/** The entries of a page that a message is about. */
export const entryIdsIn = (body: string): string[] =>
  (JSON.parse(body) as { readonly runs: readonly { readonly id: string }[] }).runs.map(({ id }) => id)

/** A message that says where its run is in the list of open runs, so that the executor that ends the run can take it out. */
export const withOpen = (message: string, openMs: number): string => `{"openMs":${openMs},${message.slice(1)}`

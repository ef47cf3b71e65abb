// Puts a run that has an item of its own, together with its item in the list of open runs. Both can be repeated, and the run is there
// once.

import type { AuditEntry } from '../core/audit-entry.ts'
import { hashOfId, shardOf } from '../core/job/id.ts'
import type { StoredJob } from '../core/job/stored.ts'
import { type Lane, laneOf, NEW_LANE } from '../core/lanes.ts'
import { openDelaySeconds } from '../core/ledger/audit.ts'
import { ticketJobOf, withOpen, writeRunMessage, writeTicketJob } from '../core/run/message.ts'
import type { Cause } from '../core/run/record.ts'
import { formatRunId, type RunId, type Trigger } from '../core/run/run.ts'
import { secondOf } from '../core/time/units.ts'
import type { Clock, Message, Queue, Stores } from '../ports.ts'
import { nowOf } from './tick-world.ts'

export interface PutWorld extends Pick<Stores, 'ledger'> {
  readonly clock: Clock
  newId(): string
}

export interface AloneRun {
  readonly shard: number
  readonly id: RunId
  readonly trigger: Trigger
  readonly instant: number | null
  readonly nominal: number | null
  readonly lane: Lane
  readonly changesReadAtMs: number
  /** What an executor needs to know of the job, as text. */
  readonly ticket: string
  /** A run by hand may bring its own. */
  readonly payload?: unknown | undefined
  readonly cause?: Cause
  readonly root?: string
  readonly audit?: AuditEntry
  readonly version?: number
}

/**
 * Its message. It is to be sent also where the run was put before and is still QUEUED. Null where an executor has claimed the run
 * since, or it has ended.
 */
export async function putStandalone(world: PutWorld, run: AloneRun): Promise<Message | null> {
  const { shard, id, trigger, instant, nominal, lane, changesReadAtMs, ticket, payload, cause, root, audit, version } =
    run
  const runId = formatRunId(id)
  const message = writeRunMessage({ shard, runId, lane, trigger, nominal, changesReadAtMs }, ticket)
  const existing = await world.ledger.readRun(id)
  if (existing !== null) return existing.entry?.status === 'QUEUED' ? { body: message } : null
  const nowMs = world.clock.nowMs()
  const dueMs = (secondOf(nowMs) + openDelaySeconds(1)) * 1000
  const times = { ...(instant === null ? {} : { instant }), ...(nominal === null ? {} : { nominal }) }
  const detail = {
    trigger,
    ...times,
    lane,
    queuedAtMs: nowMs,
    ...(payload === undefined ? {} : { payload }),
    ...(cause === undefined ? {} : { cause }),
    ...(root === undefined ? {} : { root }),
    ...(version === undefined ? {} : { version }),
  }
  // One write for both. A client may stall for any time between two: an open item without its run looks as if the client had given up,
  // and a run without its open item never starts once its message is lost.
  const newRun = {
    id,
    entry: { status: 'QUEUED', attempt: 1 },
    detail,
    open: { shard, dueMs, runId, times: 0, lane, attempt: 1, message },
    ...(audit === undefined ? {} : { audit }),
  } as const
  await world.ledger.putRun(newRun, world.newId())
  return { body: withOpen(message, dueMs) }
}

export interface StandaloneWorld extends PutWorld {
  readonly shardCount: number
  readonly queues: Readonly<Record<Lane, Pick<Queue, 'send'>>>
}

/**
 * Puts and sends a run that no schedule brings. What the queue does not take now is sent again from the list of open runs, and what it
 * refuses for good is ended there.
 */
export async function startAlone(
  world: StandaloneWorld,
  job: StoredJob,
  run: Pick<AloneRun, 'id' | 'trigger' | 'instant' | 'payload' | 'cause' | 'root' | 'audit'>,
): Promise<void> {
  const ticket = ticketJobOf(job)
  const lane = laneOf(NEW_LANE, ticket.timeoutSeconds, nowOf(world))
  const message = await putStandalone(world, {
    ...run,
    version: job.version,
    shard: shardOf(hashOfId(job.id), world.shardCount),
    nominal: null,
    lane,
    changesReadAtMs: world.clock.nowMs(),
    ticket: writeTicketJob(ticket),
  })
  if (message !== null) await world.queues[lane].send([message])
}

// A run by hand. The same request again is the same run, in whatever second it comes: what it is to be is written down first.

import type { Actor } from '../core/actor.ts'
import type { AuditEntry } from '../core/audit-entry.ts'
import { idOfText } from '../core/job/id.ts'
import { InvalidInput } from '../core/job/invalid.ts'
import { fullNameOf, type StoredJob } from '../core/job/stored.ts'
import type { Cause } from '../core/run/record.ts'
import { formatRunId, parseRunId } from '../core/run/run.ts'
import type { Stores } from '../ports.ts'
import { planned, type Request } from './idempotency.ts'
import { type StandaloneWorld, startAlone } from './put-standalone.ts'
import { nowOf } from './tick-world.ts'

export type TriggerWorld = StandaloneWorld & Pick<Stores, 'jobs' | 'idempotency'>

export interface Triggering {
  readonly by: Actor
  readonly requestId?: string | null
  /** The Idempotency-Key of the request; null where it has none. */
  readonly request: Request | null
  /** In the place of the job's own. */
  readonly payload?: unknown
  /** The instant that the run is told it is for. */
  readonly instant?: number | null
}

export interface Triggered {
  readonly runId: string
  /** The same request came before. */
  readonly isReplay: boolean
}

/** A run for an instant that has not come must not start before it; a minute is for clocks that differ. */
const MOST_AHEAD_SECONDS = 60

export function refuseFarAhead(world: Pick<TriggerWorld, 'clock'>, { instant }: Pick<Triggering, 'instant'>): void {
  if (instant != null && instant > nowOf(world) + MOST_AHEAD_SECONDS) throw new InvalidInput([TOO_FAR_AHEAD])
}

/** It never moves the schedule, and it runs also where the job is stopped. */
export async function triggerJob(world: TriggerWorld, job: StoredJob, asked: Triggering): Promise<Triggered> {
  const cause = { retryOf: null, run: null, operation: null, by: asked.by }
  return startByHand(world, job, asked, { letter: 'm', action: 'job.trigger', cause, root: undefined })
}

export interface ByHand {
  /** The first letter of the run's suffix. */
  readonly letter: 'm' | 'r'
  readonly action: AuditEntry['action']
  readonly cause: Cause
  readonly root: string | undefined
}

export async function startByHand(
  world: TriggerWorld,
  job: StoredJob,
  asked: Triggering,
  { letter, action, cause, root }: ByHand,
): Promise<Triggered> {
  const { payload, instant = null, by, requestId = null } = asked
  const now = nowOf(world)
  if (letter === 'm') refuseFarAhead(world, asked)
  const suffix = `${letter}${idOfText(asked.request?.hash ?? world.newId())}`
  const wanted = formatRunId({ jobId: job.id, second: now, suffix })
  const { plan: runId, isReplay } = await planned(world, asked.request, wanted)
  const audit: AuditEntry = {
    id: world.newId(),
    atMs: world.clock.nowMs(),
    by,
    action,
    namespace: job.definition.namespace,
    target: action === 'run.retry' ? (cause.retryOf ?? runId) : fullNameOf(job),
    reason: null,
    operation: null,
    versionBefore: null,
    versionAfter: null,
    changes: [],
    requestId,
  }
  const id = parseRunId(runId)
  await startAlone(world, job, {
    id,
    trigger: 'MANUAL',
    instant,
    payload,
    cause,
    audit,
    ...(root === undefined ? {} : { root }),
  })
  if (asked.request !== null && !isReplay) await world.idempotency.answer(asked.request.hash, runId)
  return { runId, isReplay }
}

const TOO_FAR_AHEAD = {
  path: '/instant',
  code: 'run.instant-ahead',
  message: `lies more than ${MOST_AHEAD_SECONDS} s ahead. Use a time that has come, or a schedule with "at".`,
}

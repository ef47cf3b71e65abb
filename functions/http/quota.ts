// Limits of namespaces: how many jobs they may have, and how many triggers a minute. Both are looked at, not locked: two requests at
// once may pass a limit by one.

import { type NamespaceSettings, NO_SETTINGS } from '../../shared/core/access/namespace.ts'
import { NO_NAMESPACE } from '../../shared/core/audit-entry.ts'
import { findJob, type JobName } from '../../shared/flow/find-job.ts'
import { Refusal } from '../../shared/flow/refusals.ts'
import type { Call } from './route.ts'

const KNOWN_MS = 5000
const MOST_KNOWN = 10_000

/** What a namespace is set to, as it was at most a few seconds ago: hardly any namespace has limits, and every save asks. */
export class NamespaceLimits {
  readonly #known = new Map<string, { readonly settings: NamespaceSettings; readonly readMs: number }>()

  async of({ world }: Call, namespace: string): Promise<NamespaceSettings> {
    const nowMs = world.clock.nowMs()
    const known = this.#known.get(namespace)
    if (known !== undefined && nowMs - known.readMs < KNOWN_MS) return known.settings
    const settings = (await world.namespaces.read(NO_NAMESPACE, namespace))?.value ?? NO_SETTINGS
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(namespace, { settings, readMs: nowMs })
    return settings
  }

  /** What this process changed itself it knows at once. */
  forget(namespace: string): void {
    this.#known.delete(namespace)
  }
}

interface Room {
  readonly most: number
  readonly there: number
  left: number
}

/** How many jobs a request may still create in each namespace. To edit one that is there is always allowed. */
export class Quota {
  readonly #call: Call
  readonly #rooms = new Map<string, Promise<Room | null>>()

  constructor(call: Call) {
    this.#call = call
  }

  /** Takes room for a job that is not there; what is returned gives it back. */
  async take(name: JobName): Promise<() => void> {
    const { namespace } = name
    const known = this.#rooms.get(namespace) ?? this.#roomIn(namespace)
    this.#rooms.set(namespace, known)
    const room = await known
    if (room === null || (await findJob(this.#call.world, name)) !== null) return () => {}
    if (room.left <= 0) {
      throw new Refusal(
        'quota',
        `the namespace ${namespace} may have ${room.most} jobs and has ${room.there}. Delete some, or raise the limit`,
      )
    }
    room.left -= 1
    return () => {
      room.left += 1
    }
  }

  /** Null where there is no limit. */
  async #roomIn(namespace: string): Promise<Room | null> {
    const { jobs: most } = (await this.#call.world.limits.of(this.#call, namespace)).limits
    if (most === null) return null
    const there = (await this.#call.world.directory.matching({ sees: () => true, namespace })).length
    return { most, there, left: most - there }
  }
}

export async function refuseTriggers(call: Call, namespace: string): Promise<void> {
  const { triggersPerMinute: most } = (await call.world.limits.of(call, namespace)).limits
  if (most === null) return
  // A dry run asks whether there is one left and takes none.
  const wanted = call.isDryRun ? 0 : 1
  const { remaining, resetSeconds } = call.world.triggers.take(namespace, most, call.world.clock.nowMs(), wanted)
  if (remaining + wanted >= 1) return
  throw new Refusal(
    'rate-limited',
    `the namespace ${namespace} may be triggered ${most} times a minute. Wait, or raise the limit`,
    {
      retryAfterSeconds: resetSeconds,
    },
  )
}

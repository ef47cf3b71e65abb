// Finds out who delivers a run and what it carries. Large payloads are read here, for all runs of the message at once.

import { type Batch, endedAs, isGoing, type Life } from './life.ts'
import type { Deliver, ExecuteWorld } from './world.ts'

export interface Routed {
  readonly life: Life
  /** Null for a run that has ended already. */
  readonly go: { readonly deliver: Deliver; readonly payload: unknown } | null
}

export async function route(world: ExecuteWorld, { lives }: Batch): Promise<Routed[]> {
  const apart = lives.filter((life) => isGoing(life) && life.job.bodyVersion !== null && !hasOwnPayload(life))
  const bodies =
    apart.length === 0
      ? []
      : await world.jobs.bodies(apart.map(({ jobId, job }) => ({ jobId, version: job.bodyVersion ?? job.version })))
  const bodyOf = new Map(apart.map(({ id }, place) => [id, bodies[place]]))
  return lives.map((life): Routed => {
    if (!isGoing(life)) return { life, go: null }
    const deliver = world.deliver[life.job.target.type]
    if (deliver === undefined) {
      const reason = `nothing here delivers to targets of type ${life.job.target.type}`
      return { life: endedAs(life, 'FAILED', world.clock.nowMs(), reason), go: null }
    }
    const payload = hasOwnPayload(life) ? life.ownPayload : (bodyOf.get(life.id) ?? life.job.payload)
    return { life, go: { deliver, payload } }
  })
}

const hasOwnPayload = ({ ownPayload }: Life): boolean => ownPayload !== undefined

// Saves jobs by the names that stand in their bodies, one or many.

import type { JobName } from '../../shared/flow/find-job.ts'
import { type SaveAsking, type Saved, saveJob } from '../../shared/flow/manage-jobs.ts'
import type { JobsWorld } from '../../shared/flow/mutate-job.ts'

/** A body without a proper name is refused when it is read. */
function nameOfBody(body: object): JobName {
  const { namespace = 'default', name } = body as { readonly namespace?: unknown; readonly name?: unknown }
  return { namespace: String(namespace), name: String(name) }
}

export const saveBody = (world: JobsWorld, body: object, asking: SaveAsking): Promise<Saved> =>
  saveJob(world, nameOfBody(body), body, asking)

export type Outcome = { readonly saved: Saved } | { readonly error: Error }

const SAVED_AT_ONCE = 16

/** Each for itself: one that is refused keeps no other from being saved. */
export async function saveAll(world: JobsWorld, bodies: readonly object[], asking: SaveAsking): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const places = bodies.keys()
  const worker = async () => {
    for (const place of places) {
      outcomes[place] = await saveBody(world, bodies[place], asking).then(
        (saved) => ({ saved }),
        (error: unknown) => ({ error: error instanceof Error ? error : new Error(String(error)) }),
      )
    }
  }
  await Promise.all(Array.from({ length: SAVED_AT_ONCE }, worker))
  return outcomes
}

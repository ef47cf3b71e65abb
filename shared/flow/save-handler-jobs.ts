// Saves the jobs whose schedules stand beside the code, at a deployment and at a start, and deletes those that the code no longer
// has: a schedule that was taken out of the code stops firing.

import { CODE } from '../core/actor.ts'
import type { Handlers } from '../core/handlers.ts'
import type { JobDirectory } from './job-directory.ts'
import { deleteJob, saveJob } from './manage-jobs.ts'
import { mapLimited } from './map-limited.ts'
import type { JobsWorld } from './mutate-job.ts'

const OWNER = 'code'

export interface HandlerJobs {
  readonly saved: number
  readonly deleted: number
  /** What was refused, with the reason. */
  readonly refused: readonly { readonly job: string; readonly reason: string }[]
}

export async function saveHandlerJobs(
  world: JobsWorld,
  directory: JobDirectory,
  { jobs }: Handlers,
): Promise<HandlerJobs> {
  const refused: { job: string; reason: string }[] = []
  const attempt = async (job: string, work: () => Promise<unknown>): Promise<number> => {
    try {
      await work()
      return 1
    } catch (error) {
      refused.push({ job, reason: error instanceof Error ? error.message : String(error) })
      return 0
    }
  }
  const wanted = jobs.map((body) => ({ body, name: nameOf(body) }))
  const saved = await mapLimited(wanted, ({ body, name }) =>
    attempt(`${name.namespace}/${name.name}`, () => saveJob(world, name, body, { by: CODE, manager: OWNER })),
  )
  const names = new Set(wanted.map(({ name }) => `${name.namespace}/${name.name}`))
  const owned = (await directory.all()).filter(({ managedBy }) => managedBy === OWNER)
  const gone = owned.filter(({ definition }) => !names.has(`${definition.namespace}/${definition.name}`))
  const deleted = await mapLimited(gone, ({ definition: { namespace, name }, version }) =>
    attempt(`${namespace}/${name}`, () =>
      deleteJob(world, { namespace, name }, { by: CODE, manager: OWNER, ifVersion: version }),
    ),
  )
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
  return { saved: sum(saved), deleted: sum(deleted), refused }
}

function nameOf(body: object): { namespace: string; name: string } {
  const { namespace = 'default', name } = body as { namespace?: string; name: string }
  return { namespace, name }
}

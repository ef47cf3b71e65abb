// A job by its name. Its id is a digest of the name, and the name that is stored decides: should two names ever share an id, the
// second finds nothing rather than the first.

import { jobIdOf } from '../core/job/id.ts'
import { present, type StoredJob } from '../core/job/stored.ts'
import type { Jobs } from '../ports.ts'

export interface JobName {
  readonly namespace: string
  readonly name: string
}

export const splitName = (fullName: string): JobName => {
  const [namespace, name] = fullName.split('/')
  return { namespace, name }
}

const hasName = ({ definition }: StoredJob, { namespace, name }: JobName): boolean =>
  definition.namespace === namespace && definition.name === name

/** Null where there is none, or it was deleted. With its payload. */
export async function findJob(world: { readonly jobs: Jobs }, name: JobName): Promise<StoredJob | null> {
  const job = present(await world.jobs.read(jobIdOf(name.namespace, name.name)))
  return job !== null && hasName(job, name) ? job : null
}

/** Those that are there, by full name; large payloads stay where they are. */
export async function findJobs(
  world: { readonly jobs: Jobs },
  fullNames: readonly string[],
): Promise<Map<string, StoredJob>> {
  const names = [...new Set(fullNames)].map(splitName)
  const found = new Map(
    (await world.jobs.readMany(names.map(({ namespace, name }) => jobIdOf(namespace, name)))).map((job) => [
      job.id,
      job,
    ]),
  )
  return new Map(
    names.flatMap((name): [string, StoredJob][] => {
      const job = present(found.get(jobIdOf(name.namespace, name.name)))
      return job !== null && hasName(job, name) ? [[`${name.namespace}/${name.name}`, job]] : []
    }),
  )
}

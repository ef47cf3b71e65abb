// Jobs as the store keeps them, made without a store.

import { jobIdOf } from '../../shared/core/job/id.ts'
import { type Job, jobSchema } from '../../shared/core/job/job.ts'
import { type Revision, revise } from '../../shared/core/job/revise.ts'
import type { Stopped, StoredJob } from '../../shared/core/job/stored.ts'
import { ANNA, body } from './job-body.ts'

const idOf = ({ namespace, name }: Pick<Job, 'namespace' | 'name'>): string => jobIdOf(namespace, name)

const definitionOf = (name: string, part: object = {}): Job => jobSchema.parse(body(name, part))

/** A job that comes into force at second 1002, unless told otherwise. */
export function storedJob(name: string, part: object = {}, revision: Partial<Revision> = {}): StoredJob {
  const definition = definitionOf(name, part)
  return revise({
    id: idOf(definition),
    old: null,
    definition,
    resolved: { template: null, calendars: [] },
    status: 'RUNNING',
    stopped: null,
    managedBy: null,
    nowMs: 1_000_000,
    activeFrom: 1002,
    auditedThrough: 0,
    ...revision,
  })
}

export const stopOf = (part: Partial<Stopped> = {}): Stopped => ({
  code: 'BY_HAND',
  reason: 'enough',
  by: ANNA,
  atMs: 1_000_000,
  until: null,
  queued: 'run',
  operation: null,
  from: 1002,
  ...part,
})

// A calendar that is edited makes new versions of the jobs that use it: some in the request itself, the rest by the minute rule.

import { type Actor, SYSTEM } from '../core/actor.ts'
import { InputError } from '../core/errors.ts'
import { faultOfError, InvalidInput, pointer } from '../core/job/invalid.ts'
import { isUnchanged, resolvedOf, revise } from '../core/job/revise.ts'
import { isDeleted, type StoredJob, stopAt } from '../core/job/stored.ts'
import { type Calendar, excludedDates } from '../core/schedule/calendar.ts'
import type { PendingEdits } from '../ports.ts'
import type { JobDirectory } from './job-directory.ts'
import { mapLimited } from './map-limited.ts'
import { type JobsWorld, mutateJob } from './mutate-job.ts'
import type { DocumentAsking } from './write-document.ts'

export interface CalendarsWorld extends JobsWorld {
  readonly pendingEdits: PendingEdits
}

/** Throws InvalidInput with the place of every date that is none. */
export function checkCalendar(name: string, { dates }: Calendar): void {
  const faults = dates.flatMap((date, index) => {
    try {
      excludedDates([{ name, dates: [date] }])
      return []
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return [{ ...faultOfError(error), path: pointer(['dates', index]) }]
    }
  })
  if (faults.length > 0) throw new InvalidInput(faults)
}

const JOBS_A_REQUEST = 200

/** Jobs that use a calendar, in order of id. */
export async function jobsUsing(directory: JobDirectory, fullName: string): Promise<StoredJob[]> {
  const jobs = (await directory.all()).filter(({ definition }) => definition.calendars.includes(fullName))
  return jobs.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Gives jobs their new version, as many as one request may; true where none is left. */
export async function applyCalendar(
  world: CalendarsWorld,
  directory: JobDirectory,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  by: Pick<DocumentAsking, 'by' | 'requestId'>,
  afterJob: string | null = null,
): Promise<boolean> {
  const fullName = `${namespace}/${name}`
  const using = (await jobsUsing(directory, fullName)).filter(({ id }) => afterJob === null || id > afterJob)
  const some = using.slice(0, JOBS_A_REQUEST)
  await mapLimited(some, ({ id }) => renewCalendar(world, id, fullName, by))
  if (some.length === using.length) {
    await world.pendingEdits.remove({ namespace, name })
    return true
  }
  await world.pendingEdits.put({ namespace, name, afterJob: some[some.length - 1].id })
  return false
}

async function renewCalendar(
  world: CalendarsWorld,
  jobId: string,
  fullName: string,
  { by, requestId }: Pick<DocumentAsking, 'by' | 'requestId'>,
): Promise<void> {
  const act = { action: 'job.update', reason: `the calendar ${fullName} was edited` } as const
  const [namespace, name] = fullName.split('/')
  await mutateJob(world, jobId, { by, requestId }, act, async (old) => {
    const calendar = (await world.calendars.read(namespace, name))?.value ?? null
    return (moment) => {
      if (old === null || isDeleted(old) || calendar === null) return null
      const resolved = resolvedOf(old)
      const calendars = resolved.calendars.map((each) =>
        each.name === fullName ? { name: fullName, dates: calendar.dates } : each,
      )
      const stopped = stopAt(old, moment.activeFrom)
      const { definition, managedBy, id } = old
      const status = stopped === null ? 'RUNNING' : 'STOPPED'
      const next = revise({
        id,
        old,
        definition,
        managedBy,
        status,
        stopped,
        ...moment,
        resolved: { ...resolved, calendars },
      })
      return isUnchanged(old, next) ? null : next
    }
  })
}

/** What edits have not reached yet, a bunch a minute. */
export async function applyPendingEdits(world: CalendarsWorld, directory: () => JobDirectory): Promise<number> {
  const pending = await world.pendingEdits.list()
  const by = { by: SYSTEM as Actor, requestId: null }
  for (const { afterJob, ...calendar } of pending) await applyCalendar(world, directory(), calendar, by, afterJob)
  return pending.length
}

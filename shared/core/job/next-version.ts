// What a save makes of a definition: the version that the plan goes by, with template and calendars put in, single times
// that have just passed moved to now, and maxRuns turned into a last instant.

import { isSameJson } from '../json-equal.ts'
import type { CalendarSpec } from '../schedule/calendar.ts'
import type { ScheduleSpec } from '../schedule/schedule.ts'
import { schedulesOf, type TemplateSpec } from '../schedule/template.ts'
import { assertFires, compileTiming, lastInstantOf, type TimingSpec } from '../schedule/timing.ts'
import { formatInstant, parseInstant } from '../time/instant.ts'
import { onceInstant } from './edit.ts'
import { pointer } from './invalid.ts'
import type { Job } from './job.ts'
import type { JobVersion, VersionStatus } from './version.ts'

export interface Resolved {
  readonly template: TemplateSpec | null
  readonly calendars: readonly CalendarSpec[]
}

export interface NextVersion {
  readonly jobId: string
  readonly definition: Job
  readonly resolved: Resolved
  readonly status: VersionStatus
  readonly until: number | null
  /** The definition and the version before, or null for a new job. */
  readonly before: { readonly definition: Job; readonly version: JobVersion } | null
  readonly version: number
  readonly activeFrom: number
}

/** Throws InputError where the job would never fire. */
export function nextVersion(input: NextVersion): JobVersion {
  const { definition, before, version, activeFrom, status, until } = input
  const timing = timingOf(input)
  const isSameTiming = before !== null && isSameJson(before.version.timing, timing)
  if (!isSameTiming && status !== 'DELETED') {
    assertFires(compileTiming({ ...timing, jobId: input.jobId }), activeFrom - 1, timing.schedules)
  }
  return {
    version,
    activeFrom,
    status,
    ...(until === null ? {} : { until }),
    timing,
    ...(isSameTiming && before.version.moves !== undefined ? { moves: before.version.moves } : {}),
    misfire: definition.misfire,
    timeoutSeconds: definition.timeout,
    maxLatenessSeconds: definition.maxLateness,
    priority: definition.priority,
  }
}

function timingOf(input: NextVersion): JobVersion['timing'] {
  const { definition, resolved, before, activeFrom, jobId } = input
  const timing: Omit<TimingSpec, 'jobId'> = {
    schedules: schedulesOf(schedulesFrom(input), resolved.template),
    ...(definition.startAt === null ? {} : { startAt: definition.startAt }),
    ...(definition.endAt === null ? {} : { endAt: definition.endAt }),
    dst: definition.dst,
    ...(definition.spread === 0 ? {} : { spread: definition.spread }),
    ...(resolved.calendars.length === 0 ? {} : { calendars: resolved.calendars }),
  }
  if (definition.maxRuns === null) return timing
  const { lastInstant, ...timingBefore } = before?.version.timing ?? { lastInstant: null }
  const isSameCount = before?.definition.maxRuns === definition.maxRuns
  // An edit that leaves the times alone does not begin to count anew.
  if (isSameCount && lastInstant != null && isSameJson(timingBefore, timing)) {
    return { ...timing, lastInstant }
  }
  const last = lastInstantOf(compileTiming({ ...timing, jobId }), activeFrom - 1, definition.maxRuns)
  return last === null ? timing : { ...timing, lastInstant: formatInstant(last) }
}

/** A single time that an earlier save accepted stays what it was; a new one must not be past. */
function schedulesFrom({ definition, before, activeFrom }: NextVersion): ScheduleSpec[] {
  return definition.schedules.map((schedule, place) => {
    if (!('at' in schedule)) return schedule
    const known = before === null ? null : savedAs(schedule, before)
    if (known !== null) return known
    const at = parseInstant(schedule.at, 'at')
    const moved = onceInstant(at, activeFrom, pointer(['schedules', place, 'at']))
    return moved === at ? schedule : { ...schedule, at: formatInstant(moved) }
  })
}

/** What a schedule of the user became at the last save, or null where it is new. The template's schedules come first. */
function savedAs(
  schedule: ScheduleSpec,
  { definition, version }: NonNullable<NextVersion['before']>,
): ScheduleSpec | null {
  const saved = version.timing.schedules
  const place = definition.schedules.findIndex((each) => isSameJson(each, schedule))
  return place < 0 ? null : saved[saved.length - definition.schedules.length + place]
}

/** A job that fires at single times only, so that no ticker needs to hold it until one is near. */
export const isOnceOnly = ({ timing: { schedules } }: JobVersion): boolean =>
  schedules.length > 0 && schedules.every((schedule) => 'at' in schedule)

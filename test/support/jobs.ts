// Jobs for tests of the rules: a definition with everything set, of which a test changes what it is about.

import { jobIdOf } from '../../shared/core/job/id.ts'
import type { JobVersion, VersionedJob } from '../../shared/core/job/version.ts'
import type { ScheduleSpec } from '../../shared/core/schedule/schedule.ts'

export type VersionPart = Partial<JobVersion> & { schedules?: ScheduleSpec[] }

/** Every ten seconds, from 1970 on. */
export function versionOf({ schedules, ...part }: VersionPart = {}): JobVersion {
  return {
    version: 1,
    activeFrom: 0,
    status: 'RUNNING',
    timing: { schedules: schedules ?? [{ every: 10 }] },
    misfire: { policy: 'FIRE_ONCE_NOW' },
    timeoutSeconds: 60,
    maxLatenessSeconds: null,
    priority: 0,
    ...part,
  }
}

/** The versions are numbered from 1; each but the first needs its activeFrom. */
export function jobOf(name: string, ...parts: VersionPart[]): VersionedJob {
  const list = parts.length === 0 ? [{}] : parts
  return {
    id: jobIdOf('default', name),
    versions: list.map((part, index) => versionOf({ version: index + 1, ...part })),
  }
}

// What the oracle is told of a version: what the user wrote, when it is in force, and what was taken from a template and
// calendars when it was saved. What the scheduler itself works out, such as the last instant, is left behind.

import type { Job } from '../../shared/core/job/job.ts'
import type { JobVersion } from '../../shared/core/job/version.ts'
import { NEVER } from '../../shared/core/time/instants.ts'
import type { OracleVersion } from '../support/oracle/job.ts'

/** Every ten seconds from 1970 on, as tests that are written by hand begin with it. */
export const PLAIN_VERSION: OracleVersion = {
  version: 1,
  activeFrom: 0,
  status: 'RUNNING',
  schedules: [{ every: 10 }],
  startAt: null,
  endAt: null,
  maxRuns: null,
  dst: { gap: 'shift', overlap: 'first' },
  spread: 0,
  calendars: [],
}

/** `definition` is the one that this very version was saved with: a stored job has only that of its newest. */
export function oracleVersionOf(definition: Job, jobVersion: JobVersion): OracleVersion {
  const { version, activeFrom, sureFrom, status, until, moves, timing } = jobVersion
  const { schedules: own, startAt, endAt, maxRuns, dst, spread } = definition
  const templateSchedules = timing.schedules.length - own.length
  return {
    version,
    activeFrom,
    ...(sureFrom === undefined ? {} : { sureFrom }),
    status,
    ...(until === undefined ? {} : { until }),
    ...(moves === undefined ? {} : { moves: moves.map(({ from, to }) => ({ from, to: to === NEVER ? null : to })) }),
    schedules: [...timing.schedules.slice(0, templateSchedules), ...own],
    templateSchedules,
    startAt,
    endAt,
    maxRuns,
    dst,
    spread,
    calendars: timing.calendars ?? [],
  }
}

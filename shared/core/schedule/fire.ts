// One fire of a job as a person reads it: which schedule brings it, what clocks show there, and whether they were moved that day.

import { compileCron, DEFAULT_DST } from '../cron/cron.ts'
import type { JobVersion } from '../job/version.ts'
import { FIRST_SECOND } from '../time/civil.ts'
import { formatLocal, parseInstant } from '../time/instant.ts'
import type { Instants } from '../time/instants.ts'
import type { Zone } from '../time/zone.ts'
import { zoneOf } from '../time/zones.ts'
import { compileSchedule, type Kind, type ScheduleSpec } from './schedule.ts'

/** GAP_SHIFTED: clocks skip the time that the schedule says. FIRST_PASS, LAST_PASS: clocks show it twice that day. */
export const CLOCK_MARKS = ['GAP_SHIFTED', 'FIRST_PASS', 'LAST_PASS'] as const
export type ClockMark = (typeof CLOCK_MARKS)[number]

export interface FireText {
  /** The place of the schedule among those of the version; null for a fire that was moved by hand. */
  readonly schedule: number | null
  readonly zone: string
  readonly local: string
  readonly dst: ClockMark | null
}

const compiled = new WeakMap<JobVersion, readonly Instants[]>()

function instantsOf(jobId: string, version: JobVersion): readonly Instants[] {
  const known = compiled.get(version)
  if (known !== undefined) return known
  const { schedules, dst = DEFAULT_DST, startAt } = version.timing
  const anchor = startAt == null ? FIRST_SECOND : parseInstant(startAt, 'startAt')
  const all = schedules.map((schedule) => compileSchedule(schedule, { jobId, dst, anchor }).instants)
  compiled.set(version, all)
  return all
}

const isOfKind = (schedule: ScheduleSpec, kind: Kind): boolean => (schedule.kind ?? 'start') === kind

export function describeFire(
  jobId: string,
  version: JobVersion,
  fire: { readonly second: number; readonly nominal: number; readonly kind: Kind },
): FireText {
  const { schedules } = version.timing
  const instants = instantsOf(jobId, version)
  const place = schedules.findIndex(
    (schedule, index) => isOfKind(schedule, fire.kind) && instants[index].next(fire.nominal - 1) === fire.nominal,
  )
  const spec = schedules.at(Math.max(place, 0))
  const zone = spec?.zone ?? 'UTC'
  const table = zoneOf(zone)
  return {
    schedule: place < 0 ? null : place,
    zone,
    local: formatLocal(fire.second, table.offsetAt(fire.second)),
    dst: spec !== undefined && place >= 0 && 'cron' in spec ? markOf(spec.cron, jobId, table, fire.nominal) : null,
  }
}

const HALF_A_DAY_SECONDS = 43_200

function markOf(cron: string, jobId: string, zone: Zone, second: number): ClockMark | null {
  const offset = zone.offsetAt(second)
  const wall = second + offset
  const plain = compileCron(cron, { zone: 'UTC', dst: DEFAULT_DST, hashSeed: jobId })
  if (plain.next(wall - 1) !== wall) return 'GAP_SHIFTED'
  const others = [zone.offsetAt(second - HALF_A_DAY_SECONDS), zone.offsetAt(second + HALF_A_DAY_SECONDS)]
  const twin = others.map((other) => wall - other).find((t) => t !== second && t + zone.offsetAt(t) === wall)
  if (twin === undefined) return null
  return twin > second ? 'FIRST_PASS' : 'LAST_PASS'
}

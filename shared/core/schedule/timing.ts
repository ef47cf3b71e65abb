// All that decides when a job is due: its schedules of each kind with bounds, calendars, spread and the DST rule.
// A nominal instant is what the schedule says; the effective one, by which a run is keyed and fired, is that plus the spread.

import { type Cron, DEFAULT_DST, type Dst } from '../cron/cron.ts'
import { InputError } from '../errors.ts'
import { hashText } from '../hash.ts'
import { FIRST_SECOND, LAST_SECOND } from '../time/civil.ts'
import { parseInstant } from '../time/instant.ts'
import { type Instants, NEVER } from '../time/instants.ts'
import { zoneOf } from '../time/zones.ts'
import { type CalendarSpec, excludedDates, withoutDates } from './calendar.ts'
import { boundedBy, delayedBy, unionOf } from './combine.ts'
import type { Every } from './every.ts'
import { type CompiledSchedule, compileSchedule, type Kind, type ScheduleSpec } from './schedule.ts'

export interface TimingSpec {
  /** H and the spread come from it, so that they are the same every time and differ from job to job. */
  readonly jobId: string
  readonly schedules: readonly ScheduleSpec[]
  readonly startAt?: string | null
  readonly endAt?: string | null
  /** The last nominal start, as lastInstantOf found it from maxRuns. */
  readonly lastInstant?: string | null
  readonly dst?: Dst
  readonly spread?: number
  readonly calendars?: readonly CalendarSpec[]
}

/** A schedule that needs nothing of its job but its number, so that jobs can share it in a run index. */
export type Shape = Cron | Every

export interface Timing {
  /** Effective instants of each kind; a kind that the job does not have is never due. */
  readonly start: Instants
  readonly stop: Instants
  readonly restart: Instants
  /** Effective = nominal + this, for start and restart. A stop comes at its very second. */
  readonly spreadSeconds: number
  /** The shape of the job, where it has just one schedule, of kind start, and nothing else bears on it. */
  readonly shape: Shape | null
  readonly warnings: readonly string[]
}

const NOTHING: Instants = { next: () => NEVER, previous: () => NEVER }

export function compileTiming(spec: TimingSpec): Timing {
  const first = spec.startAt == null ? FIRST_SECOND : parseInstant(spec.startAt, 'startAt')
  const last = spec.endAt == null ? LAST_SECOND : parseInstant(spec.endAt, 'endAt')
  if (first > last) throw endsBeforeItStarts(spec)
  const lastStart = spec.lastInstant == null ? last : Math.min(last, parseInstant(spec.lastInstant, 'lastInstant'))
  const calendars = spec.calendars ?? []
  const excluded = excludedDates(calendars)
  const spreadSeconds = spreadOf(spec.jobId, spec.spread ?? 0)
  const context = { jobId: spec.jobId, dst: spec.dst ?? DEFAULT_DST, anchor: first }
  const compiled = spec.schedules.map((schedule) => ({ schedule, compiled: compileSchedule(schedule, context) }))
  const ofKind = (kind: Kind) => compiled.filter(({ schedule }) => (schedule.kind ?? 'start') === kind)
  const starting = (kind: Kind): Instants => {
    const all = ofKind(kind).map(({ schedule, compiled: { instants } }) =>
      calendars.length === 0 ? instants : withoutDates(instants, excluded, zoneOf(schedule.zone ?? 'UTC')),
    )
    return all.length === 0 ? NOTHING : delayedBy(boundedBy(unionOf(all), first, lastStart), spreadSeconds)
  }
  const stops = ofKind('stop').map(({ compiled: { instants } }) => instants)
  const isUnbounded = first === FIRST_SECOND && lastStart === LAST_SECOND
  const starts = ofKind('start')
  const sharesItsShape =
    isUnbounded && calendars.length === 0 && spreadSeconds === 0 && starts.length === 1 && compiled.length === 1
  return {
    start: starting('start'),
    stop: stops.length === 0 ? NOTHING : boundedBy(unionOf(stops), first, last),
    restart: starting('restart'),
    spreadSeconds,
    shape: sharesItsShape ? shapeOf(starts[0].compiled) : null,
    warnings: compiled.flatMap((each) => (each.compiled.type === 'cron' ? each.compiled.instants.warnings : [])),
  }
}

const shapeOf = (compiled: CompiledSchedule): Shape | null => (compiled.type === 'at' ? null : compiled.instants)

/** Seconds by which a job's own hash moves it: always the same, spread evenly over [0, seconds). */
export function spreadOf(jobId: string, seconds: number): number {
  if (!(Number.isInteger(seconds) && seconds >= 0)) {
    const problem = 'is not a whole number of seconds'
    throw new InputError({ code: 'schedule.spread', field: 'spread', value: seconds, problem, remedy: 'Use 0 or more' })
  }
  return seconds === 0 ? 0 : Number(hashText(`spread/${jobId}`) % BigInt(seconds))
}

function endsBeforeItStarts(spec: TimingSpec): InputError {
  const remedy = `Use an endAt at or after startAt ${spec.startAt}`
  return new InputError({
    code: 'schedule.bounds',
    field: 'endAt',
    value: spec.endAt,
    problem: 'is before startAt',
    remedy,
  })
}

/** Clocks of a zone are worked out for the years that are asked about: a yearly job would ask up to the year 9999. */
const FURTHEST_END_SECONDS = 100 * 366 * 86_400

/**
 * The nominal second of the nth start after a second, for maxRuns: from there on the plan needs no counting. Null where there are fewer,
 * or where it is more than a hundred years ahead: then nothing ends, and restarts go on.
 */
export function lastInstantOf(timing: Timing, after: number, maxRuns: number): number | null {
  let last = after + timing.spreadSeconds
  for (let run = 0; run < maxRuns; run++) {
    const next = timing.start.next(last)
    if (next === NEVER || next - after > FURTHEST_END_SECONDS) return null
    last = next
  }
  return last - timing.spreadSeconds
}

const startsSomething = ({ kind = 'start' }: ScheduleSpec): boolean => kind !== 'stop'

/**
 * Throws where schedules that are to start a job never do, so that the user hears of it when saving and not by silence. A job without
 * such schedules is started by triggers and other jobs only.
 */
export function assertFires(timing: Timing, after: number, schedules: readonly ScheduleSpec[]): void {
  const effective = after + timing.spreadSeconds
  if (timing.start.next(effective) !== NEVER || timing.restart.next(effective) !== NEVER) return
  if (schedules.some(startsSomething)) throw neverFires(schedules)
}

export const neverFires = (schedules: readonly ScheduleSpec[]): InputError =>
  new InputError({
    code: 'schedule.never-fires',
    field: 'schedules',
    value: schedules,
    problem: 'never fires: bounds, calendars, skipped clock changes or the past leave no instant',
    remedy: 'Check startAt, endAt, calendars and dst, or use a later time',
  })

// Jobs with random lives: saved, edited, stopped, moved and deleted as the flows that manage jobs do it, and what the oracle is told of
// each edit. All their times lie where clocks and dates change.

import { InputError } from '../../shared/core/errors.ts'
import { moveOf, withMove } from '../../shared/core/job/edit.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import { InvalidInput } from '../../shared/core/job/invalid.ts'
import type { Job } from '../../shared/core/job/job.ts'
import type { Resolved } from '../../shared/core/job/next-version.ts'
import { readJob } from '../../shared/core/job/read-job.ts'
import { type Moment, restate, revise } from '../../shared/core/job/revise.ts'
import { present, type Stopped, type StoredJob } from '../../shared/core/job/stored.ts'
import type { VersionStatus } from '../../shared/core/job/version.ts'
import { type DueItem, dueBetween } from '../../shared/core/planner/due.ts'
import type { ScheduleSpec } from '../../shared/core/schedule/schedule.ts'
import { ANNA, body } from '../support/job-body.ts'
import { type OracleDue, type OracleVersion, oracleDue } from '../support/oracle/job.ts'
import { offsetAt, transitionsBetween } from '../support/oracle/zone.ts'
import { randomExpression } from '../support/random-cron/expression.ts'
import type { Random } from '../support/random-cron/random.ts'
import { at, iso } from '../support/time.ts'
import { oracleVersionOf } from './oracle-version.ts'

export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
]
const YEAR = [at('2026-11-16T00:00:00Z'), at('2027-11-16T00:00:00Z')] as const

/** Mostly near a change of clocks, where the zone has one, or near midnight, where dates change. */
export function randomSecond(random: Random, zone: string): number {
  const changes = transitionsBetween(zone, ...YEAR)
  const second = random.between(...YEAR)
  if (random.chance(0.4)) {
    const wall = second + offsetAt(zone, second)
    return second - (wall % 86_400) + random.between(-1800, 600)
  }
  return changes.length === 0 ? second : random.pick(changes).atSecond + random.between(-7200, 3600)
}

export function randomDst(random: Random): Job['dst'] {
  return { gap: random.pick(['shift', 'skip']), overlap: random.pick(['first', 'last', 'both']) }
}

const ID = jobIdOf('default', 'job')
const NOTHING: Resolved = { template: null, calendars: [] }

/** A job that is edited as the flows that manage jobs do it, and what the oracle is told of each edit. */
export class JobHistory {
  job: StoredJob | null = null
  resolved = NOTHING
  readonly versions: OracleVersion[] = []

  get current(): StoredJob | null {
    return present(this.job)
  }

  save(activeFrom: number, definition: Job, resolved = NOTHING, stopped = this.current?.stopped ?? null): this {
    const status = stopped === null ? 'RUNNING' : 'STOPPED'
    const moment = momentOf(activeFrom)
    const state = { status, stopped, managedBy: null } as const
    const next = revise({ id: ID, old: this.job, definition, resolved, ...state, ...moment })
    this.resolved = resolved
    return this.keep(definition, next)
  }

  restate(activeFrom: number, status: VersionStatus, until: number | null = null): this {
    const { job } = this
    if (job === null) throw new Error('there is no job')
    const stopped = status === 'STOPPED' ? stopFrom(activeFrom, until) : null
    return this.keep(job.definition, restate(job, { status, stopped }, momentOf(activeFrom)))
  }

  /** Null takes the next start away. */
  reschedule(activeFrom: number, to: number | null): this {
    const { job } = this
    if (job === null) throw new Error('there is no job')
    const move = moveOf(job, activeFrom, to)
    const next = restate(job, stateOf(job), momentOf(activeFrom))
    const newest = next.versions[next.versions.length - 1]
    const moved = { ...newest, moves: withMove(newest.moves ?? [], move) }
    return this.keep(job.definition, { ...next, versions: [...next.versions.slice(0, -1), moved] })
  }

  byCore(from: number, to: number): OracleDue[] {
    const items: DueItem[] = []
    if (this.job !== null) dueBetween(this.job, from, to, items)
    return items.map(({ second, nominal, kind, version }) => ({ second, nominal, kind, version: version.version }))
  }

  byOracle(from: number, to: number): OracleDue[] {
    return oracleDue(ID, this.versions, from, to)
  }

  private keep(definition: Job, job: StoredJob): this {
    this.job = job
    this.versions.push(oracleVersionOf(definition, job.versions[job.versions.length - 1]))
    return this
  }
}

const momentOf = (activeFrom: number): Moment => ({ nowMs: activeFrom * 1000, activeFrom, auditedThrough: 0 })

const stopFrom = (from: number, until: number | null): Stopped => ({
  code: 'BY_HAND',
  reason: 'test',
  by: ANNA,
  atMs: from * 1000,
  until,
  queued: 'run',
  operation: null,
  from,
})

/** A stop stays in force, also one that has come to its end. */
const stateOf = ({ versions, stopped }: StoredJob) => ({ status: versions[versions.length - 1].status, stopped })

export const definitionOf = (part: object): Job => readJob(body('job', part), ID).job

/** Where a random job lives: all its times are near this second. */
interface Place {
  readonly random: Random
  readonly zone: string
  readonly now: number
}

function randomCron({ random, zone, now }: Place): string {
  const wall = new Date((now + random.between(-600, 1800) + offsetAt(zone, now)) * 1000)
  const [hour, minute, second] = [wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds()]
  return random.pick([
    '* * * * * *',
    `*/${random.pick([2, 7, 15])} * * * * *`,
    `${second} * * * * *`,
    `${minute} ${hour} * * *`,
    `${second} ${minute} ${hour} * * *`,
    `*/20 ${minute} ${hour},${(hour + 1) % 24} * * *`,
    `0 */5 ${hour} * * *`,
    `*/10 * ${hour} ${wall.getUTCDate()} * *`,
    randomExpression(random).text,
  ])
}

function randomSchedule(place: Place): ScheduleSpec {
  const { random, zone, now } = place
  const kind = random.chance(0.5) ? {} : { kind: random.pick(['start', 'start', 'stop', 'restart'] as const) }
  const inZone = random.chance(0.3) ? {} : { zone }
  const near = () => iso(now + random.between(-60, 900))
  const anchor = random.chance(0.3) ? { anchor: near() } : {}
  if (random.chance(0.3)) return { ...kind, ...inZone, at: near() }
  if (random.chance(0.45)) return { ...kind, ...inZone, ...anchor, every: random.pick([1, 3, 10, 30, 60, 77, 3600]) }
  return { ...kind, ...inZone, cron: randomCron(place) }
}

function randomResolved(place: Place, hasTemplate: boolean): Resolved {
  const { random, zone, now } = place
  const day = (days: number) => new Date((now + offsetAt(zone, now) + days * 86_400) * 1000).toISOString().slice(0, 10)
  const dates = [day(0), day(1), day(0).slice(5), day(-1), '02-29', `${day(-3)}/${day(-1)}`, `${day(1)}/${day(4)}`]
  const schedules = [{ cron: '*/20 * * * * *' }, randomSchedule(place)].slice(random.below(2))
  return {
    template: hasTemplate ? { name: 'default/often', schedules } : null,
    calendars: random.chance(0.7) ? [] : [{ name: 'default/days', dates: [random.pick(dates), random.pick(dates)] }],
  }
}

/** A new definition, or the old one with some of it changed. */
function randomSave(history: JobHistory, place: Place): void {
  const { random, now } = place
  const old = random.chance(0.5) ? (history.job?.definition ?? null) : null
  const own = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => randomSchedule(place))
  const sometimes = (key: string, chance: number, value: unknown) => (random.chance(chance) ? { [key]: value } : {})
  const definition = definitionOf({
    ...old,
    ...sometimes('schedules', old === null ? 1 : 0.4, own),
    ...sometimes('startAt', 0.1, iso(now + random.between(-600, 900))),
    ...sometimes('endAt', 0.1, iso(now + random.between(0, 2400))),
    ...sometimes('maxRuns', 0.3, random.pick([1, 2, 5, 40, 300])),
    ...sometimes('dst', 0.3, randomDst(random)),
    ...sometimes('spread', 0.3, random.pick([0, 5, 60, 300, 1000])),
    ...sometimes('priority', 0.5, random.below(5)),
    ...sometimes('template', 0.2, random.pick([null, 'default/often'])),
  })
  const hasTemplate = definition.template !== null
  const isResolved = old !== null && hasTemplate === (old.template !== null) && random.chance(0.7)
  const resolved = isResolved ? history.resolved : randomResolved(place, hasTemplate)
  history.save(now, definition, resolved, random.chance(0.3) ? null : undefined)
}

function randomReschedule(history: JobHistory, { random, now }: Place): void {
  const near = history.byCore(now, now + 900).find(({ kind }) => kind === 'start')
  if (near === undefined) return
  history.reschedule(now, random.chance(0.25) ? null : now + random.below(random.pick([30, 300])))
}

function randomEdit(history: JobHistory, place: Place): void {
  const { random, now } = place
  if (history.current === null) {
    randomSave(history, place)
    return
  }
  const until = random.chance(0.6) ? now + random.between(-5, 400) : null
  random.pick([
    () => randomSave(history, place),
    () => randomSave(history, place),
    () => randomSave(history, place),
    () => history.restate(now, 'STOPPED', until),
    () => history.restate(now, 'RUNNING'),
    () => history.restate(now, 'DELETED'),
    () => randomReschedule(history, place),
    () => randomReschedule(history, place),
  ])()
}

const MOST_EDITS = 14

export function randomHistory(random: Random): JobHistory {
  const zone = random.pick(ZONES)
  const history = new JobHistory()
  let now = randomSecond(random, zone)
  for (let edit = random.between(2, MOST_EDITS); edit > 0; edit--) {
    try {
      randomEdit(history, { random, zone, now })
      now += random.pick([0, 1, 2, 30, 200, 600]) + random.below(60)
    } catch (error) {
      // What the product refuses changes nothing.
      if (!(error instanceof InputError || error instanceof InvalidInput)) throw error
    }
  }
  return history
}

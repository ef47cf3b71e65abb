import { describe, expect, test } from 'vitest'
import { InputError } from '../../shared/core/errors.ts'
import { moveOf, withMove } from '../../shared/core/job/edit.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import { InvalidInput } from '../../shared/core/job/invalid.ts'
import type { Job } from '../../shared/core/job/job.ts'
import type { Resolved } from '../../shared/core/job/next-version.ts'
import { readJob } from '../../shared/core/job/read-job.ts'
import { type Moment, restate, revise } from '../../shared/core/job/revise.ts'
import { type StoredJob, statusOf } from '../../shared/core/job/stored.ts'
import type { VersionStatus } from '../../shared/core/job/version.ts'
import { type DueItem, dueBetween } from '../../shared/core/planner/due.ts'
import type { ScheduleSpec } from '../../shared/core/schedule/schedule.ts'
import { body } from '../support/job-body.ts'
import { type OracleDue, type OracleVersion, oracleDue } from '../support/oracle/job.ts'
import { oracleInstants, oracleInstantsInWindow } from '../support/oracle/oracle.ts'
import { offsetAt, transitionsBetween } from '../support/oracle/zone.ts'
import { randomExpression } from '../support/random-cron/expression.ts'
import { createRandom, type Random } from '../support/random-cron/random.ts'
import { at, iso } from '../support/time.ts'
import { oracleVersionOf } from './oracle-version.ts'

const plain: Omit<OracleVersion, 'version'> = {
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

/** Every ten seconds from 1970 on, unless the versions say otherwise. */
const versionsOf = (...parts: Partial<OracleVersion>[]): OracleVersion[] =>
  parts.map((part, place) => ({ version: place + 1, ...plain, ...part }))

const due = (versions: OracleVersion[], from: number, to: number): OracleDue[] =>
  oracleDue('spread-me', versions, from, to)

const seconds = (versions: OracleVersion[], from: number, to: number): number[] =>
  due(versions, from, to).map(({ second }) => second)

const kinds = (versions: OracleVersion[], from: number, to: number) =>
  due(versions, from, to).map(({ second, kind }) => [second, kind])

const times = (versions: OracleVersion[], from: string, to: string): string[] =>
  seconds(versions, at(from), at(to)).map(iso)

describe('the oracle knows that', () => {
  test('a job is due from its activeFrom on, that second included', () => {
    expect(seconds(versionsOf({ activeFrom: 20 }), 0, 50)).toEqual([20, 30, 40])
    expect(seconds(versionsOf({ activeFrom: 21 }), 0, 50)).toEqual([30, 40])
  })

  test('an edit decides about the seconds from its activeFrom on, and about no other', () => {
    const edited = versionsOf({}, { activeFrom: 30, schedules: [{ every: 15 }] })
    expect(due(edited, 10, 46).map(({ second, version }) => [second, version])).toEqual([
      [10, 1],
      [20, 1],
      [30, 2],
      [45, 2],
    ])
  })

  test('a stop keeps its first second, and a start of the job has its own', () => {
    const stopped = versionsOf({}, { activeFrom: 20, status: 'STOPPED' }, { activeFrom: 50 })
    expect(seconds(stopped, 0, 71)).toEqual([0, 10, 50, 60, 70])
  })

  test('a stop until a second is over at that second', () => {
    expect(seconds(versionsOf({}, { activeFrom: 20, status: 'STOPPED', until: 40 }), 0, 51)).toEqual([0, 10, 40, 50])
    expect(seconds(versionsOf({}, { activeFrom: 20, status: 'STOPPED', until: 41 }), 0, 51)).toEqual([0, 10, 50])
  })

  test('a deleted job is not due, and one put again is', () => {
    const gone = versionsOf({}, { activeFrom: 20, status: 'DELETED', until: 30 })
    expect(seconds(gone, 0, 100)).toEqual([0, 10])
    expect(seconds([...gone, ...versionsOf({ activeFrom: 90 })], 0, 100)).toEqual([0, 10, 90])
  })

  // The job's own hash moves it by 46 of 50 seconds.
  const spread: Partial<OracleVersion> = { schedules: [{ every: 100 }], spread: 50 }

  test('an edit between the nominal and the effective second comes too late for the start', () => {
    const nominals = (activeFrom: number) =>
      due(versionsOf(spread, { activeFrom, schedules: [{ every: 1000 }] }), 100, 1001).map((each) => [
        each.second,
        each.nominal,
      ])
    expect(nominals(100)).toEqual([[1000, 1000]])
    expect(nominals(101)).toEqual([
      [146, 100],
      [1000, 1000],
    ])
  })

  test('a stop between the nominal and the effective second comes in time', () => {
    const stopped = (activeFrom: number) => versionsOf(spread, { ...spread, activeFrom, status: 'STOPPED' })
    expect(seconds(stopped(146), 0, 400)).toEqual([46])
    expect(seconds(stopped(147), 0, 400)).toEqual([46, 146])
  })

  test('a start that the schedule says while the job is stopped is not due when the job runs again', () => {
    const until = (until: number) => versionsOf(spread, { ...spread, activeFrom: 90, status: 'STOPPED', until })
    expect(seconds(until(100), 60, 300)).toEqual([146, 246])
    expect(seconds(until(101), 60, 300)).toEqual([246])
  })

  test('a stop by schedule comes at its very second, whatever the spread', () => {
    const both = versionsOf({ schedules: [{ every: 100 }, { kind: 'stop', every: 100 }], spread: 50 })
    expect(kinds(both, 100, 200)).toEqual([
      [100, 'stop'],
      [146, 'start'],
    ])
  })

  test('a move takes one start from its second and puts it on another', () => {
    const moved = versionsOf({}, { activeFrom: 15, moves: [{ from: 20, to: 27 }] })
    expect(seconds(moved, 0, 41)).toEqual([0, 10, 27, 30, 40])
    expect(due(moved, 27, 28)).toEqual([{ second: 27, nominal: 20, kind: 'start', version: 2 }])
  })

  test('a move onto another start makes one of both', () => {
    expect(seconds(versionsOf({ moves: [{ from: 20, to: 40 }] }), 11, 50)).toEqual([30, 40])
  })

  test('an edit that has no moves forgets those that are not carried out', () => {
    expect(seconds(versionsOf({ moves: [{ from: 40, to: 33 }] }, { activeFrom: 32 }), 25, 51)).toEqual([30, 40, 50])
    expect(seconds(versionsOf({ moves: [{ from: 20, to: 33 }] }, { activeFrom: 32 }), 11, 41)).toEqual([30, 40])
  })

  test('maxRuns counts the starts from the activeFrom on, also those of a stop in between', () => {
    const counted = { maxRuns: 5 }
    const stopped = { ...counted, activeFrom: 25, status: 'STOPPED' } as const
    expect(seconds(versionsOf({ ...counted, activeFrom: 5 }), 0, 100)).toEqual([10, 20, 30, 40, 50])
    expect(seconds(versionsOf(counted, stopped, { ...counted, activeFrom: 35 }), 0, 100)).toEqual([0, 10, 20, 40])
  })

  test('maxRuns begins anew with other times, another number, or after a delete', () => {
    const first = { maxRuns: 2 }
    const later = { maxRuns: 2, activeFrom: 35 }
    expect(seconds(versionsOf(first, later), 0, 100)).toEqual([0, 10])
    expect(seconds(versionsOf(first, { ...later, endAt: '1970-01-01T01:00:00Z' }), 0, 100)).toEqual([0, 10, 40, 50])
    expect(seconds(versionsOf(first, { ...later, maxRuns: 3 }), 0, 100)).toEqual([0, 10, 40, 50, 60])
    const deleted = { ...first, activeFrom: 15, status: 'DELETED' } as const
    expect(seconds(versionsOf(first, deleted, later), 0, 100)).toEqual([0, 10, 40, 50])
  })

  test('maxRuns ends restarts with the last start, but not stops', () => {
    const schedules: OracleVersion['schedules'] = [
      { every: 10 },
      { kind: 'restart', every: 15 },
      { kind: 'stop', every: 20 },
    ]
    expect(kinds(versionsOf({ schedules, maxRuns: 3 }), 0, 45)).toEqual([
      [0, 'stop'],
      [0, 'restart'],
      [10, 'start'],
      [15, 'restart'],
      [20, 'stop'],
      [20, 'start'],
      [40, 'stop'],
    ])
  })

  test('maxRuns that the starts do not reach ends no restarts', () => {
    const schedules: OracleVersion['schedules'] = [{ at: '1970-01-01T00:00:10Z' }, { kind: 'restart', every: 15 }]
    expect(kinds(versionsOf({ schedules, maxRuns: 2 }), 1, 40)).toEqual([
      [10, 'start'],
      [15, 'restart'],
      [30, 'restart'],
    ])
  })

  test('a single time that had just passed is the activeFrom of the version that first had it', () => {
    const once = (activeFrom: number): Partial<OracleVersion> => ({
      activeFrom,
      schedules: [{ at: '1970-01-01T00:01:40Z' }],
    })
    expect(seconds(versionsOf(once(100)), 0, 300)).toEqual([100])
    expect(seconds(versionsOf(once(160)), 0, 300)).toEqual([160])
    expect(seconds(versionsOf(once(161)), 0, 300)).toEqual([])
    expect(seconds(versionsOf(once(90), once(130)), 0, 300)).toEqual([100])
    expect(seconds(versionsOf(once(130), once(130)), 0, 300)).toEqual([130])
    expect(seconds(versionsOf(once(90), { ...once(95), status: 'DELETED' }, once(130)), 0, 300)).toEqual([130])
  })

  test('bounds include both their ends, and an interval counts from its anchor, else from startAt', () => {
    const bounds = { startAt: '1970-01-01T00:00:13Z', endAt: '1970-01-01T00:00:33Z' }
    expect(seconds(versionsOf(bounds), 0, 100)).toEqual([13, 23, 33])
    const anchored = [{ every: 10, anchor: '1970-01-01T00:00:05Z' }]
    expect(seconds(versionsOf({ ...bounds, schedules: anchored }), 0, 100)).toEqual([15, 25])
  })

  test('a calendar excludes the date of the schedule’s zone, for starts and restarts but not for stops', () => {
    const hours = (kind: 'start' | 'stop') => ({ kind, cron: '0 */12 * * *', zone: 'Asia/Tokyo' })
    const calendars = [{ name: 'days', dates: ['2026-05-02', '05-06'] }]
    expect(
      times(versionsOf({ schedules: [hours('start')], calendars }), '2026-05-01T00:00:00Z', '2026-05-03T00:00:00Z'),
    ).toEqual(['2026-05-01T03:00:00Z', '2026-05-02T15:00:00Z'])
    expect(
      times(versionsOf({ schedules: [hours('stop')], calendars }), '2026-05-01T12:00:00Z', '2026-05-02T12:00:00Z'),
    ).toEqual(['2026-05-01T15:00:00Z', '2026-05-02T03:00:00Z'])
  })

  const berlin = (cron: string, dst: Partial<OracleVersion['dst']> = {}) =>
    versionsOf({ schedules: [{ cron, zone: 'Europe/Berlin' }], dst: { ...plain.dst, ...dst } })

  test('a time that clocks jump over comes later by the jump, or not at all', () => {
    const night = ['2027-03-28T00:00:00Z', '2027-03-28T03:00:00Z'] as const
    expect(times(berlin('30 2 * * *'), ...night)).toEqual(['2027-03-28T01:30:00Z'])
    expect(times(berlin('30 2 * * *', { gap: 'skip' }), ...night)).toEqual([])
  })

  test('a time that comes twice is due at its first, its last or both', () => {
    const night = ['2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z'] as const
    const [first, last] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']
    expect(times(berlin('30 2 * * *'), ...night)).toEqual([first])
    expect(times(berlin('30 2 * * *', { overlap: 'last' }), ...night)).toEqual([last])
    expect(times(berlin('30 2 * * *', { overlap: 'both' }), ...night)).toEqual([first, last])
  })

  test('in one second come stop, restart and start, and a restart swallows a start', () => {
    const all = versionsOf({ schedules: [{ every: 10 }, { kind: 'stop', every: 20 }, { kind: 'restart', every: 40 }] })
    expect(kinds(all, 1, 41)).toEqual([
      [10, 'start'],
      [20, 'stop'],
      [20, 'start'],
      [30, 'start'],
      [40, 'stop'],
      [40, 'restart'],
    ])
  })

  test('an H in an expression is none of its business', () => {
    expect(() => due(versionsOf({ schedules: [{ cron: 'H * * * *' }] }), 0, 1)).toThrow('H is not supported')
  })
})

const ZONES = [
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
function randomSecond(random: Random, zone: string): number {
  const changes = transitionsBetween(zone, ...YEAR)
  const second = random.between(...YEAR)
  if (random.chance(0.4)) {
    const wall = second + offsetAt(zone, second)
    return second - (wall % 86_400) + random.between(-1800, 600)
  }
  return changes.length === 0 ? second : random.pick(changes).atSecond + random.between(-7200, 3600)
}

test('the oracle’s two ways to read an expression agree', () => {
  const random = createRandom(1)
  for (let n = 0; n < 300; n++) {
    const { text } = randomExpression(random)
    const zone = random.pick([...ZONES, 'Pacific/Apia'])
    const dst = randomDst(random)
    const from = zone === 'Pacific/Apia' ? at('2011-12-30T08:00:00Z') : randomSecond(random, zone)
    const to = from + random.between(60, 10_800)
    const quick = [...oracleInstantsInWindow(text, zone, dst, from, to)].sort((a, b) => a - b)
    expect(quick, `${text} in ${zone} from ${iso(from)}`).toEqual(oracleInstants(text, zone, dst, from, to))
  }
})

function randomDst(random: Random): Job['dst'] {
  return { gap: random.pick(['shift', 'skip']), overlap: random.pick(['first', 'last', 'both']) }
}

const ID = jobIdOf('default', 'job')
const NOTHING: Resolved = { template: null, calendars: [] }

/** A job that is edited as the flows that manage jobs do it, and what the oracle is told of each edit. */
class History {
  job: StoredJob | null = null
  resolved = NOTHING
  readonly versions: OracleVersion[] = []

  get current(): StoredJob | null {
    return this.job === null || statusOf(this.job) === 'DELETED' ? null : this.job
  }

  save(activeFrom: number, definition: Job, resolved = NOTHING, stopped = this.current?.stopped ?? null): this {
    const status = stopped === null ? 'RUNNING' : 'STOPPED'
    const moment = momentOf(activeFrom)
    const next = revise({ id: ID, old: this.job, definition, resolved, status, stopped, ...moment })
    this.resolved = resolved
    return this.keep(definition, next)
  }

  restate(activeFrom: number, status: VersionStatus, until: number | null = null): this {
    const { job } = this
    if (job === null) throw new Error('there is no job')
    const stopped = status === 'STOPPED' ? { reason: 'test', by: 'anna', until } : null
    return this.keep(job.definition, restate(job, { status, stopped }, momentOf(activeFrom)))
  }

  reschedule(activeFrom: number, to: number): this {
    const { job } = this
    if (job === null) throw new Error('there is no job')
    const move = moveOf(job, activeFrom, to)
    const next = restate(job, { status: statusOf(job), stopped: job.stopped }, momentOf(activeFrom))
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

const momentOf = (activeFrom: number): Moment => ({ now: activeFrom, activeFrom, auditedThrough: 0 })
const definitionOf = (part: object): Job => readJob(body('job', part), ID).job

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
function randomSave(history: History, place: Place): void {
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

function randomReschedule(history: History, { random, now }: Place): void {
  const near = history.byCore(now, now + 900).find(({ kind }) => kind === 'start')
  if (near === undefined) return
  history.reschedule(now, now + random.below(random.pick([30, 300])))
}

function randomEdit(history: History, place: Place): void {
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

function randomHistory(random: Random): History {
  const zone = random.pick(ZONES)
  const history = new History()
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

const HISTORIES = 400

test('the scheduler and the oracle agree about random jobs with random histories', () => {
  const found = { start: 0, stop: 0, restart: 0, moved: 0 }
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = createRandom(seed)
    const history = randomHistory(random)
    const { versions } = history
    for (let looks = 0; looks < 2 && versions.length > 0; looks++) {
      const edit = random.pick(versions).activeFrom
      const [from, to] = [edit - random.below(300), edit + random.between(1, 900)]
      const byOracle = history.byOracle(from, to)
      expect({ seed, due: history.byCore(from, to) }).toEqual({ seed, due: byOracle })
      for (const { kind } of byOracle) found[kind]++
      const targets = new Set(versions.flatMap(({ moves = [] }) => moves.map((move) => move.to)))
      found.moved += byOracle.filter(({ second }) => targets.has(second)).length
    }
  }
  // Nothing is proven by jobs that are hardly ever due.
  for (const [kind, count] of Object.entries(found)) expect(count, kind).toBeGreaterThan(kind === 'moved' ? 150 : 3000)
})

// Each of these goes when the scheduler says what the oracle says, and with it what random histories avoid.
describe('the scheduler does not know yet that', () => {
  const NOW = at('2027-01-15T08:00:00Z')
  const spread = definitionOf({ schedules: [{ every: 100 }], spread: 50 })
  const seldom = definitionOf({ schedules: [{ every: 1000 }] })

  const agree = (history: History) => expect(history.byCore(NOW, NOW + 500)).toEqual(history.byOracle(NOW, NOW + 500))

  test('a start that was moved to an earlier second does not come again because of a later edit', () => {
    agree(
      new History()
        .save(NOW + 5, spread)
        .reschedule(NOW + 10, NOW + 11)
        .save(NOW + 110, seldom),
    )
  })

  test('a moved start keeps the nominal second that an older spread gave it', () => {
    agree(
      new History()
        .save(NOW + 5, spread)
        .save(NOW + 101, seldom)
        .reschedule(NOW + 102, NOW + 200),
    )
  })

  test('a start that is moved to where another was moved away keeps its nominal second', () => {
    const often = definitionOf({ schedules: [{ every: 100 }] })
    agree(
      new History()
        .save(NOW + 5, often)
        .reschedule(NOW + 10, NOW + 250)
        .reschedule(NOW + 20, NOW + 100),
    )
  })
})

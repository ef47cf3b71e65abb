import { describe, expect, test } from 'vitest'
import { type OracleDue, type OracleVersion, oracleDue } from '../support/oracle/job.ts'
import { oracleInstants, oracleInstantsInWindow } from '../support/oracle/oracle.ts'
import { randomExpression } from '../support/random-cron/expression.ts'
import { createRandom } from '../support/random-cron/random.ts'
import { at, iso } from '../support/time.ts'
import { PLAIN_VERSION } from './oracle-version.ts'
import { randomDst, randomSecond, ZONES } from './random-job-history.ts'

/** Every ten seconds from 1970 on, unless the versions say otherwise. */
const versionsOf = (...parts: Partial<OracleVersion>[]): OracleVersion[] =>
  parts.map((part, place) => ({ ...PLAIN_VERSION, version: place + 1, ...part }))

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
    versionsOf({ schedules: [{ cron, zone: 'Europe/Berlin' }], dst: { ...PLAIN_VERSION.dst, ...dst } })

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

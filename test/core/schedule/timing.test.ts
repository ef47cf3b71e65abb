import { describe, expect, test } from 'vitest'
import { Cron } from '../../../shared/core/cron/cron.ts'
import { InputError } from '../../../shared/core/errors.ts'
import { Every } from '../../../shared/core/schedule/every.ts'
import { type ScheduleSpec, scheduleSchema } from '../../../shared/core/schedule/schedule.ts'
import { schedulesOf } from '../../../shared/core/schedule/template.ts'
import {
  assertFires,
  compileTiming,
  lastInstantOf,
  spreadOf,
  type TimingSpec,
} from '../../../shared/core/schedule/timing.ts'
import { between, NEVER } from '../../../shared/core/time/instants.ts'
import { at, iso, nextFew } from '../../support/time.ts'

const timing = (schedules: ScheduleSpec[], more: Partial<TimingSpec> = {}) =>
  compileTiming({ jobId: 'default/report', schedules, ...more })

describe('every', () => {
  test('30 seconds without an anchor means :00 and :30', () => {
    expect(nextFew(timing([{ every: 30 }]).start, '2026-01-01T00:00:07Z', 2)).toEqual([
      '2026-01-01T00:00:30Z',
      '2026-01-01T00:01:00Z',
    ])
  })

  test('counts from its anchor, before and after it, without drift over centuries', () => {
    const { start } = timing([{ every: 7, anchor: '2026-01-01T00:00:03Z' }])
    const anchor = at('2026-01-01T00:00:03Z')
    for (const weeks of [-2800, -1, 0, 1, 52_000, 400_000]) {
      const expected = anchor + weeks * 604_800
      expect(iso(start.next(expected - 1))).toBe(iso(expected))
      expect(iso(start.previous(expected + 1))).toBe(iso(expected))
    }
  })

  test('without an anchor it counts from startAt', () => {
    const { start } = timing([{ every: 3600 }], { startAt: '2026-01-01T00:20:00Z' })
    expect(nextFew(start, '2025-01-01T00:00:00Z', 2)).toEqual(['2026-01-01T00:20:00Z', '2026-01-01T01:20:00Z'])
  })

  test('stays within the years that can be written', () => {
    const { start } = timing([{ every: 86_400 }])
    expect(start.next(at('9999-12-31T12:00:00Z'))).toBe(NEVER)
    expect(start.previous(0)).toBe(NEVER)
    expect(iso(timing([{ every: 86_400, anchor: '1970-01-01T00:00:05Z' }]).start.previous(4))).toBe('never')
  })

  test.each([0, -1, 0.5, 1e9, Number.NaN])('%s seconds are refused', (every) => {
    expect(scheduleSchema.safeParse({ every }).success).toBe(false)
  })
})

describe('at', () => {
  test('is due once', () => {
    const { start } = timing([{ at: '2026-12-01T10:00:00+01:00' }])
    expect(nextFew(start, '2026-01-01T00:00:00Z', 2)).toEqual(['2026-12-01T09:00:00Z', 'never'])
    expect(iso(start.previous(at('2027-01-01T00:00:00Z')))).toBe('2026-12-01T09:00:00Z')
    expect(start.previous(at('2026-12-01T09:00:00Z'))).toBe(NEVER)
  })

  test('without a zone it is refused', () => {
    expect(() => timing([{ at: '2026-12-01T10:00:00' }])).toThrow(InputError)
  })
})

describe('several schedules', () => {
  test('two that fall on one second are one instant', () => {
    const { start } = timing([{ cron: '*/2 * * * *' }, { cron: '*/3 * * * *' }, { at: '2026-01-01T00:05:00Z' }])
    const found: number[] = []
    between(start, at('2026-01-01T00:00:00Z'), at('2026-01-01T00:10:00Z'), found)
    expect(found.map((second) => iso(second).slice(14, 16))).toEqual(['00', '02', '03', '04', '05', '06', '08', '09'])
    expect(iso(start.previous(at('2026-01-01T00:06:00Z')))).toBe('2026-01-01T00:05:00Z')
  })

  test('each kind has its own instants', () => {
    const all = timing([
      { cron: '0 9 * * *' },
      { kind: 'stop', cron: '0 18 * * *' },
      { kind: 'restart', cron: '0 12 * * *' },
      { kind: 'start', at: '2026-01-01T05:00:00Z' },
    ])
    expect(nextFew(all.start, '2026-01-01T00:00:00Z', 2)).toEqual(['2026-01-01T05:00:00Z', '2026-01-01T09:00:00Z'])
    expect(nextFew(all.stop, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T18:00:00Z'])
    expect(nextFew(all.restart, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T12:00:00Z'])
  })

  test('a kind that is not there is never due', () => {
    const all = timing([{ cron: '0 9 * * *' }])
    expect([all.stop.next(0), all.restart.next(0), all.stop.previous(1e9)]).toEqual([NEVER, NEVER, NEVER])
  })

  test('a template gives its schedules, and the job adds its own', () => {
    const template = { name: 'office', schedules: [{ cron: '0 9 * * 1-5' }] }
    expect(schedulesOf([{ every: 60 }], template)).toEqual([{ cron: '0 9 * * 1-5' }, { every: 60 }])
    expect(schedulesOf([{ every: 60 }], null)).toEqual([{ every: 60 }])
  })
})

describe('bounds', () => {
  const bounded = timing([{ cron: '0 0 * * *' }, { kind: 'stop', cron: '0 12 * * *' }], {
    startAt: '2026-01-02T00:00:00Z',
    endAt: '2026-01-04T00:00:00Z',
  })

  test('startAt and endAt are both included', () => {
    expect(nextFew(bounded.start, '2025-01-01T00:00:00Z', 4)).toEqual([
      '2026-01-02T00:00:00Z',
      '2026-01-03T00:00:00Z',
      '2026-01-04T00:00:00Z',
      'never',
    ])
    expect(iso(bounded.start.previous(at('2030-01-01T00:00:00Z')))).toBe('2026-01-04T00:00:00Z')
    expect(bounded.start.previous(at('2026-01-02T00:00:00Z'))).toBe(NEVER)
    expect(nextFew(bounded.stop, '2026-01-03T00:00:00Z', 2)).toEqual(['2026-01-03T12:00:00Z', 'never'])
  })

  test('an endAt before startAt is refused', () => {
    const bounds = { startAt: '2026-01-02T00:00:00Z', endAt: '2026-01-01T00:00:00Z' }
    expect(() => timing([{ every: 60 }], bounds)).toThrow(
      /^endAt "2026-01-01T00:00:00Z": is before startAt\. Use an endAt at or after/,
    )
  })

  test('maxRuns becomes the instant of the last run', () => {
    const schedules: ScheduleSpec[] = [{ cron: '0 9 * * 1-5' }]
    const open = timing(schedules, { spread: 600 })
    const last = lastInstantOf(open, at('2026-01-01T00:00:00Z'), 3) ?? 0
    expect(iso(last)).toBe('2026-01-05T09:00:00Z')
    const limited = timing(schedules, { spread: 600, lastInstant: iso(last) })
    expect(nextFew(limited.start, '2026-01-01T00:00:00Z', 4).filter((text) => text !== 'never')).toHaveLength(3)
  })

  test('maxRuns that a schedule never reaches ends nothing, so restarts go on', () => {
    const open = timing([{ at: '2026-01-01T09:00:00Z' }])
    expect(lastInstantOf(open, at('2026-01-01T00:00:00Z'), 10)).toBeNull()
  })
})

describe('spread', () => {
  test('moves every start of a job by the same seconds, and other jobs by others', () => {
    const schedules: ScheduleSpec[] = [{ cron: '0 * * * *' }, { kind: 'stop', cron: '30 * * * *' }]
    const moved = timing(schedules, { spread: 900 })
    expect(moved.spreadSeconds).toBe(spreadOf('default/report', 900))
    const nominal = at('2026-01-01T05:00:00Z')
    expect(moved.start.next(nominal - 1)).toBe(nominal + moved.spreadSeconds)
    expect(moved.start.previous(nominal + 3600)).toBe(nominal + moved.spreadSeconds)
    expect(iso(moved.stop.next(nominal))).toBe('2026-01-01T05:30:00Z')
    const places = Array.from({ length: 3000 }, (_, job) => spreadOf(`default/job-${job}`, 60))
    const perPlace = Array.from({ length: 60 }, (_, place) => places.filter((each) => each === place).length)
    expect(Math.min(...perPlace)).toBeGreaterThan(20)
    expect(Math.max(...perPlace)).toBeLessThan(90)
  })

  test('never is not moved', () => {
    const moved = timing([{ at: '2026-01-01T00:00:00Z' }], { spread: 900 })
    expect(moved.start.next(at('2027-01-01T00:00:00Z'))).toBe(NEVER)
  })
})

describe('the shape of a job', () => {
  test('is its one schedule where nothing else bears on it', () => {
    expect(timing([{ cron: '0 9 * * *' }]).shape).toBeInstanceOf(Cron)
    expect(timing([{ every: 60 }]).shape).toBeInstanceOf(Every)
  })

  test.each<[string, ScheduleSpec[], Partial<TimingSpec>]>([
    ['two schedules', [{ every: 60 }, { every: 90 }], {}],
    ['none', [{ kind: 'stop', every: 60 }], {}],
    ['a stop', [{ every: 60 }, { kind: 'stop', every: 90 }], {}],
    ['once only', [{ at: '2026-01-01T00:00:00Z' }], {}],
    ['a start', [{ every: 60 }], { startAt: '2026-01-01T00:00:00Z' }],
    ['an end', [{ every: 60 }], { endAt: '2026-01-01T00:00:00Z' }],
    ['a last instant', [{ every: 60 }], { lastInstant: '2026-01-01T00:00:00Z' }],
    ['a calendar', [{ every: 60 }], { calendars: [{ name: 'holidays', dates: ['12-25'] }] }],
    ['a spread', [{ every: 60 }], { spread: 60 }],
  ])('is its own with %s', (_, schedules, more) => {
    expect(timing(schedules, more).shape).toBeNull()
  })
})

test('a job that would never be due is refused when saved', () => {
  const schedules: ScheduleSpec[] = [{ at: '2026-01-01T00:00:00Z' }]
  expect(() => assertFires(timing(schedules), at('2025-01-01T00:00:00Z'), schedules)).not.toThrow()
  expect(() => assertFires(timing(schedules), at('2027-01-01T00:00:00Z'), schedules)).toThrow(
    /^schedules .*: never fires/,
  )
  const restarts: ScheduleSpec[] = [{ kind: 'restart', every: 60 }]
  expect(() => assertFires(timing(restarts), at('2027-01-01T00:00:00Z'), restarts)).not.toThrow()
})

test('a job that has no schedules, or nothing but stops, need not be due: others start it', () => {
  const stops: ScheduleSpec[] = [{ kind: 'stop', every: 60 }]
  expect(() => assertFires(timing(stops), 0, stops)).not.toThrow()
  expect(() => assertFires(timing([]), 0, [])).not.toThrow()
})

test('a spread that is no number of seconds, and a zone that is none, are refused', () => {
  for (const spread of [Number.NaN, 0.5, -5]) expect(() => timing([{ every: 60 }], { spread })).toThrow(/^spread/)
  expect(() => timing([{ every: 60, zone: 'Mars/X' }])).toThrow(/^zone "Mars/)
})

test('warnings of all expressions reach the job', () => {
  expect(timing([{ every: 5 }, { cron: '0 0 12 ? * 2' }]).warnings).toHaveLength(1)
})

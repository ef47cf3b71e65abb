import { describe, expect, test } from 'vitest'
import { jobSchema } from '../../../shared/core/job/job.ts'
import { isOnceOnly, type NextVersion, nextVersion } from '../../../shared/core/job/next-version.ts'
import type { JobVersion } from '../../../shared/core/job/version.ts'
import { at } from '../../support/time.ts'

const NOW = at('2026-11-16T12:00:00Z')

const definitionOf = (part: object) =>
  jobSchema.parse({ name: 'job', schedules: [{ every: 60 }], target: { type: 'handler', handler: 'echo' }, ...part })

const next = (part: object, input: Partial<NextVersion> = {}): JobVersion =>
  nextVersion({
    jobId: 'AAAAAAAAAAA',
    definition: definitionOf(part),
    resolved: { template: null, calendars: [] },
    status: 'RUNNING',
    until: null,
    before: null,
    version: 1,
    activeFrom: NOW,
    ...input,
  })

/** What a second save makes of a definition, so long after the first. */
const again = (first: object, second: object, later = 3600): JobVersion =>
  next(second, {
    before: { definition: definitionOf(first), version: next(first) },
    version: 2,
    activeFrom: NOW + later,
  })

describe('a version', () => {
  test('holds only what the plan needs', () => {
    expect(next({ description: 'x', payload: { a: 1 } })).toEqual({
      version: 1,
      activeFrom: NOW,
      status: 'RUNNING',
      timing: { schedules: [{ every: 60 }], dst: { gap: 'shift', overlap: 'first' } },
      misfire: { policy: 'FIRE_ONCE_NOW' },
      timeoutSeconds: 60,
      maxLatenessSeconds: null,
      priority: 0,
    })
  })

  test('has bounds, spread and the end of a stop where they are given', () => {
    const part = { startAt: '2026-12-01T00:00:00Z', endAt: '2027-01-01T00:00:00Z', spread: 30, timeout: 5 }
    const version = next(part, { status: 'STOPPED', until: NOW + 60 })
    expect(version).toMatchObject({
      status: 'STOPPED',
      until: NOW + 60,
      timeoutSeconds: 5,
      timing: { startAt: part.startAt, endAt: part.endAt, spread: 30 },
    })
  })

  test('has the schedules of the template before its own, and the calendars as they are', () => {
    const template = { name: 'default/hourly', schedules: [{ cron: '0 * * * *' }] }
    const calendars = [{ name: 'default/holidays', dates: ['12-25'] }]
    const { timing } = next({}, { resolved: { template, calendars } })
    expect(timing).toMatchObject({ schedules: [{ cron: '0 * * * *' }, { every: 60 }], calendars })
  })

  test('that never fires is refused, but a tombstone and an edit that leaves the times alone are not', () => {
    const ended = { endAt: '2026-11-16T12:30:00Z' }
    expect(() => next({ endAt: '2020-01-01T00:00:00Z' })).toThrow('never fires')
    expect(() => again({}, ended)).toThrow('never fires')
    expect(again(ended, { ...ended, priority: 3 }).priority).toBe(3)
    expect(next({ endAt: '2020-01-01T00:00:00Z' }, { status: 'DELETED' }).status).toBe('DELETED')
  })
})

describe('a single time', () => {
  const once = (time: string) => ({ schedules: [{ at: time }] })

  test('that has just passed is now', () => {
    expect(next(once('2026-11-16T11:59:30Z')).timing.schedules).toEqual([{ at: '2026-11-16T12:00:00Z' }])
    expect(next(once('2026-11-16T12:00:30Z')).timing.schedules).toEqual([{ at: '2026-11-16T12:00:30Z' }])
    expect(() => next(once('2026-11-16T11:50:00Z'))).toThrow('is in the past')
  })

  test('that was accepted once is accepted again, however long ago, and stays what it became', () => {
    const first = once('2026-11-16T11:59:30Z')
    expect(again(first, { ...first, description: 'new' }).timing.schedules).toEqual([{ at: '2026-11-16T12:00:00Z' }])
  })

  test('that is new beside an old one is looked at', () => {
    const first = once('2026-11-16T12:00:30Z')
    const both = (time: string) => ({ schedules: [...first.schedules, { at: time }] })
    expect(again(first, both('2026-11-16T13:00:00Z')).timing.schedules).toHaveLength(2)
    expect(() => again(first, both('2026-11-16T12:10:00Z'))).toThrow('is in the past')
  })

  test('makes a job one-time only if there is nothing else', () => {
    expect(isOnceOnly(next(once('2026-11-16T13:00:00Z')))).toBe(true)
    expect(isOnceOnly(next({ schedules: [{ at: '2026-11-16T13:00:00Z' }, { every: 60 }] }))).toBe(false)
  })
})

describe('maxRuns', () => {
  test('that the schedules never reach has no last instant', () => {
    expect(lastOf(next({ maxRuns: 3, schedules: [{ at: '2026-11-17T00:00:00Z' }] }))).toBeUndefined()
  })

  const lastOf = ({ timing }: JobVersion) => timing.lastInstant

  test('becomes the last instant', () => {
    expect(lastOf(next({ maxRuns: 3 }))).toBe('2026-11-16T12:02:00Z')
  })

  test('that a job never comes to has no last instant', () => {
    expect(lastOf(next({ maxRuns: 3, schedules: [{ at: '2026-11-17T00:00:00Z' }] }))).toBeUndefined()
  })

  test('is not counted anew by an edit that leaves the times alone', () => {
    expect(lastOf(again({ maxRuns: 300 }, { maxRuns: 300, priority: 1 }))).toBe('2026-11-16T16:59:00Z')
  })

  test('is counted anew when it or the schedule changes', () => {
    expect(lastOf(again({ maxRuns: 300 }, { maxRuns: 2 }))).toBe('2026-11-16T13:01:00Z')
    expect(lastOf(again({ maxRuns: 3 }, { maxRuns: 3, schedules: [{ every: 30 }] }))).toBe('2026-11-16T13:01:00Z')
    expect(lastOf(again({}, { maxRuns: 3 }))).toBe('2026-11-16T13:02:00Z')
  })
})

describe('a move', () => {
  const moves = [{ from: NOW + 60, to: NOW + 90 }]
  const afterMove = (second: object) =>
    next(second, { before: { definition: definitionOf({}), version: { ...next({}), moves } }, version: 2 })

  test('stays until the schedule changes', () => {
    expect(afterMove({ priority: 7 }).moves).toEqual(moves)
    expect(afterMove({ schedules: [{ every: 30 }] }).moves).toBeUndefined()
  })
})

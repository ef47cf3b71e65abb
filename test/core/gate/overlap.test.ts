import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clearSecond,
  defaultTimeoutSeconds,
  isKeptApartByTime,
  needsNoLock,
  shortestGapSeconds,
} from '../../../shared/core/gate/overlap.ts'
import { nextDue } from '../../../shared/core/planner/due.ts'
import { jobOf } from '../../support/jobs.ts'

describe('time keeps the runs of a job apart', () => {
  test('where both gaps are twice the timeout and twenty seconds', () => {
    const job = (every: number) => jobOf('a', { schedules: [{ every }], timeoutSeconds: 60 })
    expect(isKeptApartByTime(job(140), 1400)).toBe(true)
    expect(isKeptApartByTime(job(139), 1390)).toBe(false)
  })

  test('or where there is nothing before or after', () => {
    expect(isKeptApartByTime(jobOf('a', { schedules: [{ at: '1970-01-01T00:10:00Z' }] }), 600)).toBe(true)
    expect(isKeptApartByTime(jobOf('a', { activeFrom: 500 }), 300)).toBe(false)
  })

  test('not where a short gap lies on one side only', () => {
    const hour = 36_000
    const pair = jobOf('a', { schedules: [{ cron: '0,1,30 * * * *' }], timeoutSeconds: 60 })
    expect([0, 60, 1800].map((offset) => isKeptApartByTime(pair, hour + offset))).toEqual([false, false, true])
  })

  test('not right after an edit, while a run of the older definition may still be going', () => {
    const edited = jobOf(
      'a',
      { schedules: [{ every: 1000 }], timeoutSeconds: 400 },
      { activeFrom: 1005, schedules: [{ every: 300 }], timeoutSeconds: 60 },
    )
    // 1000 ran without a lock and may take until 1405; 1200 must not trust in time.
    expect(isKeptApartByTime(edited, 1000)).toBe(true)
    expect(isKeptApartByTime(edited, 1200)).toBe(false)
    // The edit is at 1005: from 1425 on the old run is over, whatever it did.
    expect(isKeptApartByTime(edited, 1500)).toBe(true)
  })
})

describe('a run needs no lock', () => {
  const job = jobOf('a', { schedules: [{ every: 1000 }] })
  const run = { trigger: 'SCHEDULE', attempt: 1, instant: 2000 }

  test('only as a scheduled first attempt that starts on time', () => {
    expect(needsNoLock(job, run, 2005)).toBe(true)
    expect(needsNoLock(job, run, 2006)).toBe(false)
    expect(needsNoLock(job, { ...run, attempt: 2 }, 2001)).toBe(false)
    expect(needsNoLock(job, { ...run, trigger: 'MANUAL' }, 2001)).toBe(false)
    expect(needsNoLock(job, { ...run, instant: null }, 2001)).toBe(false)
  })
})

describe('a run with a lock keeps clear of those without', () => {
  const job = jobOf('a', { schedules: [{ every: 1000 }], timeoutSeconds: 60 })

  test('it starts in the middle of a gap, or waits until it can', () => {
    expect(clearSecond(job, 2500, null)).toBe(2500)
    expect(clearSecond(job, 2010, null)).toBe(2071)
    expect(clearSecond(job, 2940, null)).toBe(3071)
    expect(clearSecond(job, 2934, null)).toBe(2934)
  })

  test('where all instants lock, it need not wait for them', () => {
    expect(clearSecond(jobOf('a', { schedules: [{ every: 5 }] }), 1003, null)).toBe(1003)
  })

  test('before the job began there is nothing to keep clear of', () => {
    expect(clearSecond(jobOf('a', { activeFrom: 5000, schedules: [{ every: 1000 }] }), 100, null)).toBe(100)
  })

  test('for any schedule, the second it finds is clear on both sides', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 21, max: 2000 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 10_000, max: 20_000 }),
        (every, timeoutSeconds, from) => {
          const each = jobOf('a', { schedules: [{ every }], timeoutSeconds })
          const x = clearSecond(each, from, null)
          expect(x).toBeGreaterThanOrEqual(from)
          if (every < 2 * timeoutSeconds + 20) expect(x).toBe(from)
          else {
            const before = Math.floor(x / every) * every
            expect(x - before).toBeGreaterThan(timeoutSeconds + 10)
            expect(before + every - x).toBeGreaterThan(timeoutSeconds + 5)
          }
        },
      ),
    )
  })
})

describe('the default timeout', () => {
  test.each([
    [86_400, 60],
    [140, 60],
    [139, 59],
    [60, 20],
    [22, 1],
    [5, 1],
    [Number.POSITIVE_INFINITY, 60],
  ])('for a gap of %s s is %i s', (gap, timeout) => {
    expect(defaultTimeoutSeconds(gap)).toBe(timeout)
  })

  test('comes from the shortest gap of the next instants', () => {
    const gapOf = (job: ReturnType<typeof jobOf>) => shortestGapSeconds((after) => nextDue(job, after), 0)
    expect(gapOf(jobOf('a', { schedules: [{ cron: '0,1,30 * * * *' }] }))).toBe(60)
    expect(gapOf(jobOf('a', { schedules: [{ at: '1970-01-01T00:10:00Z' }] }))).toBe(Number.POSITIVE_INFINITY)
    expect(gapOf(jobOf('a', { schedules: [{ at: '1970-01-01T00:10:00Z' }, { at: '1970-01-01T00:11:00Z' }] }))).toBe(60)
    expect(gapOf(jobOf('a', { status: 'STOPPED' }))).toBe(Number.POSITIVE_INFINITY)
  })
})

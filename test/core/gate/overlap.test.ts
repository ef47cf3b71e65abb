import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isKeptApartByTime, lockHintOf, timesByHint, timesOf } from '../../../shared/core/gate/overlap.ts'
import type { VersionedJob } from '../../../shared/core/job/version.ts'
import { type DueItem, dueBetween } from '../../../shared/core/planner/due.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import { jobOf } from '../../support/jobs.ts'

type Timed = Parameters<typeof timesOf>[1]
const byHand: Timed = { trigger: 'MANUAL', attempt: 1, instant: null }
const clearSecond = (job: VersionedJob, from: number) => timesOf(job, byHand, from).clearFrom()

describe('time keeps the runs of a job apart', () => {
  test('where both gaps are four times the timeout and half a minute', () => {
    const job = (every: number) => jobOf('a', { schedules: [{ every }], timeoutSeconds: 60 })
    expect(isKeptApartByTime(job(270), 2700)).toBe(true)
    expect(isKeptApartByTime(job(269), 2690)).toBe(false)
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

  test('not where a start was moved close to another, on either side of it', () => {
    const moved = (to: number) => jobOf('a', { schedules: [{ every: 1000 }], moves: [{ from: 4000, to }] })
    expect([2980, 3020, 3300].map((to) => isKeptApartByTime(moved(to), 3000))).toEqual([false, false, true])
  })

  test('not right after an edit, while a run of the older definition may still be going', () => {
    const edited = jobOf(
      'a',
      { schedules: [{ every: 2000 }], timeoutSeconds: 400 },
      { activeFrom: 2005, schedules: [{ every: 300 }], timeoutSeconds: 60 },
    )
    // 2000 ran without a lock and may take until 2405; 2100 must not trust in time.
    expect(isKeptApartByTime(edited, 2000)).toBe(true)
    expect(isKeptApartByTime(edited, 2100)).toBe(false)
    // The edit is at 2005: from 2425 on the old run is over, whatever it did.
    expect(isKeptApartByTime(edited, 2700)).toBe(true)
  })
})

describe('a run needs no lock', () => {
  const job = jobOf('a', { schedules: [{ every: 1000 }] })
  const run: Timed = { trigger: 'SCHEDULE', attempt: 1, instant: 2000 }
  const needsNoLock = (of: VersionedJob, each: Timed, now: number) => timesOf(of, each, now).needsNoLock()

  test('only as a scheduled first attempt that starts on time', () => {
    expect(needsNoLock(job, run, 2005)).toBe(true)
    expect(needsNoLock(job, run, 2006)).toBe(false)
    expect(needsNoLock(job, { ...run, attempt: 2 }, 2001)).toBe(false)
    expect(needsNoLock(job, { ...run, trigger: 'MANUAL' }, 2001)).toBe(false)
    expect(needsNoLock(job, { ...run, instant: null }, 2001)).toBe(false)
  })
})

test('a job that catches up always has a lock, so that older runs need not keep clear of live ones', () => {
  const misfire = { policy: 'CATCH_UP', window: 3600, overlap: 'all', max: 10 } as const
  const job = jobOf('a', { schedules: [{ every: 1000 }], misfire })
  expect(lockHintOf(job, 2000)).toBe('take')
  expect(clearSecond(job, 2010)).toBe(2010)
})

describe('what a ticker says of an instant', () => {
  const run: Timed = { trigger: 'SCHEDULE', attempt: 1, instant: 2000 }

  test('holds for a first attempt that starts on time, and for nothing else', () => {
    const said = timesByHint('none', run, 2005)
    expect([said?.needsNoLock(), said?.clearFrom()]).toEqual([true, 2005])
    expect(timesByHint('take', run, 2000)?.needsNoLock()).toBe(false)
    expect(timesByHint('check', run, 2000)).toBeNull()
    expect(timesByHint('none', run, 2006)).toBeNull()
    expect(timesByHint('take', { ...run, attempt: 2 }, 2000)).toBeNull()
  })

  test('is to ask the job right after an edit, and before the job was there', () => {
    const edited = jobOf('a', { timeoutSeconds: 60 }, { activeFrom: 1005, schedules: [{ every: 5 }] })
    expect([1010, 1084, 1085].map((second) => lockHintOf(edited, second))).toEqual(['check', 'check', 'take'])
    expect(lockHintOf(jobOf('a', { activeFrom: 500 }), 300)).toBe('check')
  })

  test('is what the job itself would say, for any job and any lateness up to five seconds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1000, max: 3000 }),
        fc.integer({ min: 0, max: 5 }),
        (gaps, first, second, edited, late) => {
          const schedules = gaps.map((every) => ({ every }))
          const job = jobOf(
            'a',
            { schedules: [{ every: gaps[0] }], timeoutSeconds: first },
            { activeFrom: edited, schedules, timeoutSeconds: second },
          )
          const due: DueItem[] = []
          dueBetween(job, 900, 3300, due)
          for (const { second: instant } of due.slice(0, 40)) {
            const now = instant + late
            const each: Timed = { trigger: 'SCHEDULE', attempt: 1, instant }
            const said = timesByHint(lockHintOf(job, instant), each, now)
            if (said === null) continue
            const truth = timesOf(job, each, now)
            expect(said.needsNoLock()).toBe(truth.needsNoLock())
            if (!said.needsNoLock()) expect(said.clearFrom()).toBe(truth.clearFrom())
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

test('the instant before a run is asked of its job; a run by hand has none', () => {
  const job = jobOf('a', { schedules: [{ every: 1000 }] })
  expect(timesOf(job, { trigger: 'SCHEDULE', attempt: 1, instant: 2000 }, 2000).previousInstant()).toBe(1000)
  expect(timesOf(job, byHand, 2000).previousInstant()).toBe(NEVER)
})

describe('a run with a lock keeps clear of those without', () => {
  const job = jobOf('a', { schedules: [{ every: 1000 }], timeoutSeconds: 60 })

  test('it starts in the middle of a gap, or waits until it can', () => {
    expect(clearSecond(job, 2500)).toBe(2500)
    expect(clearSecond(job, 2010)).toBe(2071)
    expect(clearSecond(job, 2940)).toBe(3071)
    expect(clearSecond(job, 2934)).toBe(2934)
  })

  test('where all instants lock, it need not wait for them', () => {
    expect(clearSecond(jobOf('a', { schedules: [{ every: 5 }] }), 1003)).toBe(1003)
  })

  test('before the job began there is nothing to keep clear of', () => {
    expect(clearSecond(jobOf('a', { activeFrom: 5000, schedules: [{ every: 1000 }] }), 100)).toBe(100)
  })

  test('for any schedule, the second it finds is clear on both sides', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 21, max: 2000 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 10_000, max: 20_000 }),
        (every, timeoutSeconds, from) => {
          const each = jobOf('a', { schedules: [{ every }], timeoutSeconds })
          const x = clearSecond(each, from)
          expect(x).toBeGreaterThanOrEqual(from)
          if (every < 4 * timeoutSeconds + 30) expect(x).toBe(from)
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

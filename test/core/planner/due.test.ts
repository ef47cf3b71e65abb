import { describe, expect, test } from 'vitest'
import { isRunningAt, isUnsureAt, type VersionedJob, versionAt } from '../../../shared/core/job/version.ts'
import { candidatesOf, type DueItem, dueBetween, nextDue, previousRun } from '../../../shared/core/planner/due.ts'
import { spreadOf } from '../../../shared/core/schedule/timing.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import { jobOf } from '../../support/jobs.ts'
import { iso } from '../../support/time.ts'

function due(job: VersionedJob, from: number, to: number): [number, string][] {
  const items: DueItem[] = []
  dueBetween(job, from, to, items)
  return items.map(({ second, kind }) => [second, kind])
}
const seconds = (job: VersionedJob, from: number, to: number) => due(job, from, to).map(([second]) => second)

describe('an edit', () => {
  test('decides from its activeFrom on and changes nothing before', () => {
    const job = jobOf('a', { schedules: [{ every: 10 }] }, { activeFrom: 35, schedules: [{ every: 7 }] })
    expect(seconds(job, 0, 60)).toEqual([0, 10, 20, 30, 35, 42, 49, 56])
    expect(versionAt(job, 34)?.version).toBe(1)
    expect(versionAt(job, 35)?.version).toBe(2)
  })

  test('a job is not due before its first version', () => {
    const job = jobOf('a', { activeFrom: 25 })
    expect(seconds(job, 0, 50)).toEqual([30, 40])
    expect([isRunningAt(job, 24), isRunningAt(job, 25)]).toEqual([false, true])
    expect(versionAt(job, 24)).toBeNull()
  })

  test('a stop and a start', () => {
    const job = jobOf('a', {}, { activeFrom: 20, status: 'STOPPED' }, { activeFrom: 45 })
    expect(seconds(job, 0, 70)).toEqual([0, 10, 50, 60])
    expect(nextDue(job, 10)).toBe(50)
  })

  test('a stop until a time ends by itself', () => {
    const job = jobOf('a', {}, { activeFrom: 20, status: 'STOPPED', until: 40 })
    expect(seconds(job, 0, 60)).toEqual([0, 10, 40, 50])
    expect(nextDue(job, 10)).toBe(40)
  })

  test('a delete is for good, until the name is used again', () => {
    const gone = jobOf('a', {}, { activeFrom: 20, status: 'DELETED' })
    expect(seconds(gone, 0, 60)).toEqual([0, 10])
    expect(nextDue(gone, 10)).toBe(NEVER)
    const back = jobOf('a', {}, { activeFrom: 20, status: 'DELETED' }, { activeFrom: 40 })
    expect(seconds(back, 0, 60)).toEqual([0, 10, 40, 50])
  })

  test('between activeFrom and sureFrom either definition is right', () => {
    const job = jobOf('a', {}, { activeFrom: 20, sureFrom: 25, status: 'STOPPED' })
    expect([19, 20, 24, 25].map((second) => isUnsureAt(job, second))).toEqual([false, true, true, false])
  })
})

describe('spread', () => {
  const spread = (schedule: number) => ({ schedules: [{ every: 100 }], spread: schedule })

  test('a definition governs its nominal seconds, and the run comes later', () => {
    const probe = jobOf('spread-1', { timing: spread(50) })
    const moved = spreadOf(probe.id, 50)
    expect(moved).toBeGreaterThan(0)
    expect(seconds(probe, 0, 250)).toEqual([moved, 100 + moved, 200 + moved])
    const edited = jobOf(
      'spread-1',
      { timing: spread(50) },
      { activeFrom: 101, timing: { schedules: [{ every: 1000 }] } },
    )
    // Nominal 100 lies before the edit, so it is due although its second comes after.
    expect(seconds(edited, 0, 1001)).toEqual([moved, 100 + moved, 1000])
  })

  test('a stop counts at the second of the run', () => {
    const probe = jobOf('spread-1', { timing: spread(50) })
    const moved = spreadOf(probe.id, 50)
    const stopped = jobOf(
      'spread-1',
      { timing: spread(50) },
      { activeFrom: 100 + moved, status: 'STOPPED', timing: spread(50) },
    )
    expect(seconds(stopped, 0, 400)).toEqual([moved])
    expect(nextDue(stopped, moved)).toBe(NEVER)
    expect(previousRun(stopped, 400)).toBe(moved)
  })

  test('two definitions that meet on one second make one run', () => {
    const probe = jobOf('spread-1', { timing: spread(50) })
    const moved = spreadOf(probe.id, 50)
    const both = jobOf(
      'spread-1',
      { timing: spread(50) },
      { activeFrom: 100 + moved, schedules: [{ at: new Date((100 + moved) * 1000).toISOString() }] },
    )
    expect(seconds(both, 90, 200)).toEqual([100 + moved])
  })
})

describe('a reschedule', () => {
  test('takes away an instant that an older definition spread beyond the edit', () => {
    const timing = { schedules: [{ every: 100 }], spread: 50 }
    const offset = spreadOf(jobOf('spread-1').id, 50)
    const job = jobOf(
      'spread-1',
      { timing },
      { activeFrom: 99 + offset, timing, moves: [{ from: 100 + offset, to: 180 }] },
    )
    expect(seconds(job, 100, 300)).toEqual([180, 200 + offset])
  })

  const moved = jobOf('a', {}, { activeFrom: 15, moves: [{ from: 20, to: 27 }] })

  test('moves one instant and no other', () => {
    expect(seconds(moved, 0, 50)).toEqual([0, 10, 27, 30, 40])
    expect(nextDue(moved, 10)).toBe(27)
    expect(previousRun(moved, 30)).toBe(27)
    expect(previousRun(moved, 27)).toBe(10)
    const items: DueItem[] = []
    dueBetween(moved, 27, 28, items)
    expect(items[0].nominal).toBe(20)
  })

  test('counts only in the time of its version', () => {
    const early = jobOf('a', {
      activeFrom: 50,
      schedules: [{ every: 1000 }],
      moves: [
        { from: 1000, to: 40 },
        { from: 2000, to: 90 },
      ],
    })
    const ended = jobOf(
      'a',
      { schedules: [{ every: 1000 }], moves: [{ from: 1000, to: 90 }] },
      { activeFrom: 80, schedules: [{ every: 1000 }] },
    )
    expect([seconds(early, 1, 999), previousRun(early, 999), nextDue(early, 1)]).toEqual([[90], 90, 90])
    expect([seconds(ended, 1, 999), previousRun(ended, 999), nextDue(ended, 1)]).toEqual([[], 0, 1000])
  })

  test('onto another instant makes one run of both', () => {
    expect(seconds(jobOf('a', {}, { activeFrom: 15, moves: [{ from: 20, to: 40 }] }), 11, 50)).toEqual([30, 40])
  })

  test('is dropped by the next edit of the schedule', () => {
    const edited = jobOf('a', {}, { activeFrom: 15, moves: [{ from: 20, to: 27 }] }, { activeFrom: 25 })
    expect(seconds(edited, 0, 50)).toEqual([0, 10, 30, 40])
  })
})

describe('kinds', () => {
  const all = jobOf('a', {
    schedules: [{ every: 10 }, { kind: 'stop', every: 20 }, { kind: 'restart', every: 40 }],
  })

  test('in one second come stop, restart, start, and a restart swallows a start', () => {
    expect(due(all, 1, 41)).toEqual([
      [10, 'start'],
      [20, 'stop'],
      [20, 'start'],
      [30, 'start'],
      [40, 'stop'],
      [40, 'restart'],
    ])
  })

  test('a stop is due, but it is no run', () => {
    const stops = jobOf('a', { schedules: [{ every: 100 }, { kind: 'stop', every: 30 }] })
    expect(nextDue(stops, 1)).toBe(30)
    expect(previousRun(stops, 100)).toBe(0)
    expect(previousRun(jobOf('a', { schedules: [{ kind: 'stop', every: 30 }] }), 100)).toBe(NEVER)
    expect(previousRun(jobOf('a', { schedules: [{ kind: 'restart', every: 30 }] }), 100)).toBe(90)
  })
})

test('a stop that ends by itself is passed over, however many instants it swallows', () => {
  const spread = { schedules: [{ every: 1 }], spread: 86_400 }
  const probe = jobOf('a', { timing: spread })
  const moved = spreadOf(probe.id, 86_400)
  const until = moved + 50_000
  const stopped = jobOf('a', { timing: spread }, { activeFrom: moved, status: 'STOPPED', timing: spread, until })
  expect(moved).toBeGreaterThan(2000)
  expect(nextDue(stopped, 0)).toBe(until + moved)
  expect(previousRun(stopped, until)).toBe(NEVER)
  const forGood = jobOf('a', { timing: spread }, { activeFrom: moved, status: 'STOPPED', timing: spread })
  expect([nextDue(forGood, 0), previousRun(forGood, moved + 80_000)]).toEqual([NEVER, NEVER])
})

test('candidates hold every instant of a job', () => {
  const moves = candidatesOf(jobOf('a', { schedules: [{ every: 1000 }], moves: [{ from: 1000, to: 500 }] }))
  expect([moves.next(0), moves.next(500), moves.next(1000)]).toEqual([500, 1000, 2000])
  expect(nextDue(jobOf('a', { schedules: [{ every: 1000 }], moves: [{ from: 1000, to: 500 }] }), 500)).toBe(2000)
})

test('ten thousand different schedules and more are each their own', () => {
  const jobs = Array.from({ length: 10_050 }, (_, n) =>
    jobOf(`job-${n}`, { schedules: [{ every: 100_000, anchor: iso(1_790_000_000 + n) }] }),
  )
  for (const [n, job] of jobs.entries()) expect(nextDue(job, 1_790_000_000 - 1)).toBe(1_790_000_000 + n)
})

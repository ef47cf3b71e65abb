import { describe, expect, test } from 'vitest'
import type { Misfire } from '../../../shared/core/job/job.ts'
import { addGap, stepBacklog } from '../../../shared/core/planner/backlog.ts'
import { addCursors, isCatchingUp, shareBudget, stepCatchUp } from '../../../shared/core/planner/catch-up.ts'
import { planGap, REASONS } from '../../../shared/core/planner/gap.ts'
import { Snapshot } from '../../../shared/core/planner/snapshot.ts'
import { jobOf, type VersionPart } from '../../support/jobs.ts'

const NOW = 100_000
const gap = { from: NOW - 1000, to: NOW - 11 }
const minutely = (misfire: Misfire, part: VersionPart = {}) =>
  jobOf('a', { schedules: [{ every: 60 }], misfire, ...part })
const catchUp = (part: Partial<Extract<Misfire, { policy: 'CATCH_UP' }>> = {}): Misfire => ({
  policy: 'CATCH_UP',
  window: 3600,
  overlap: 'all',
  max: 1000,
  ...part,
})

describe('after a gap of a thousand seconds a job of every minute', () => {
  // Its instants in the gap are 99,000 to 99,960: seventeen.
  test('that does nothing has them all counted as missed', () => {
    expect(planGap(minutely({ policy: 'DO_NOTHING' }), gap, NOW)).toEqual({
      fire: null,
      catchUp: [],
      missed: [{ of: 'starts', from: 99_000, to: 99_960, count: 17, reason: REASONS.doNothing }],
    })
  })

  test('that fires once fires the newest and counts the others', () => {
    const plan = planGap(minutely({ policy: 'FIRE_ONCE_NOW' }), gap, NOW)
    expect(plan.fire?.second).toBe(99_960)
    expect(plan.missed).toEqual([{ of: 'starts', from: 99_000, to: 99_900, count: 16, reason: REASONS.newerFires }])
  })

  test('that fires once but not so late fires none', () => {
    const plan = planGap(minutely({ policy: 'FIRE_ONCE_NOW' }, { maxLatenessSeconds: 30 }), gap, NOW)
    expect([plan.fire, plan.missed]).toEqual([
      null,
      [{ of: 'starts', from: 99_000, to: 99_960, count: 17, reason: REASONS.tooLate }],
    ])
  })

  test('that catches up does so from the oldest in its window, at most so many of the newest', () => {
    const plan = planGap(minutely(catchUp({ window: 600, max: 5 })), gap, NOW)
    expect(plan.catchUp).toEqual([{ from: 99_720, to: 99_960, next: 99_720, left: 5 }])
    expect(plan.missed).toEqual([
      { of: 'starts', from: 99_000, to: 99_360, count: 7, reason: REASONS.outsideWindow },
      { of: 'starts', from: 99_420, to: 99_660, count: 5, reason: REASONS.overCap },
    ])
  })

  test('that catches up only the latest', () => {
    const plan = planGap(minutely(catchUp({ overlap: 'latest' })), gap, NOW)
    expect(plan.catchUp).toEqual([{ from: 99_960, to: 99_960, next: 99_960, left: 1 }])
    expect(plan.missed).toEqual([{ of: 'starts', from: 99_000, to: 99_900, count: 16, reason: REASONS.onlyLatest }])
  })

  test('whose window has passed catches up nothing', () => {
    const plan = planGap(minutely(catchUp({ window: 5 })), gap, NOW)
    expect([plan.catchUp, plan.missed[0].count]).toEqual([[], 17])
  })

  test('that has stops and restarts has them dropped and counted', () => {
    const job = jobOf('a', {
      schedules: [{ every: 500 }, { kind: 'stop', every: 300 }, { kind: 'restart', every: 400 }],
    })
    const plan = planGap(job, gap, NOW)
    expect(plan.fire?.second).toBe(99_500)
    // Stops at 99,000 … 99,900 and restarts at 99,200 and 99,600.
    expect(plan.missed).toContainEqual({
      of: 'stops and restarts',
      from: 99_000,
      to: 99_900,
      count: 6,
      reason: REASONS.stopTooLate,
    })
  })

  test('that was not due in it has nothing to say', () => {
    expect(planGap(jobOf('a', { schedules: [{ every: 86_400 }] }), gap, NOW)).toEqual({
      fire: null,
      catchUp: [],
      missed: [],
    })
  })
})

describe('catching up', () => {
  const cursor = { from: 99_000, to: 99_960, next: 99_000, left: 17 }

  test('goes on from its cursor, oldest first, within its budget, to the end', () => {
    const job = minutely(catchUp())
    let cursors: readonly (typeof cursor)[] = [cursor]
    const seconds: number[] = []
    for (let step = 0; step < 4; step++) {
      expect(isCatchingUp(cursors)).toBe(true)
      const result = stepCatchUp(job, cursors, NOW, 5)
      expect(result.send.length).toBeLessThanOrEqual(5)
      seconds.push(...result.send.map(({ second }) => second))
      cursors = result.cursors
    }
    expect(seconds).toEqual(Array.from({ length: 17 }, (_, index) => 99_000 + index * 60))
    expect(cursors).toEqual([])
    expect(isCatchingUp(cursors)).toBe(false)
  })

  test('keeps two gaps apart: what was live between them has run', () => {
    const job = minutely(catchUp())
    const two = [
      { from: 99_000, to: 99_100, next: 99_000, left: 2 },
      { from: 99_900, to: 99_960, next: 99_900, left: 2 },
    ]
    expect(stepCatchUp(job, two, NOW, 3)).toMatchObject({
      send: [{ second: 99_000 }, { second: 99_060 }, { second: 99_900 }],
      cursors: [{ from: 99_900, to: 99_960, next: 99_960, left: 1 }],
    })
  })

  test('counts as missed what leaves the window meanwhile', () => {
    const step = stepCatchUp(minutely(catchUp({ window: 600 })), [cursor], NOW, 2)
    expect(step.missed.map(({ item, reason }) => [item.second, reason])).toEqual(
      [99_000, 99_060, 99_120, 99_180, 99_240, 99_300, 99_360].map((second) => [second, REASONS.outsideWindow]),
    )
    expect(step.send.map(({ second }) => second)).toEqual([99_420, 99_480])
  })

  test('is frozen by a stop and goes on after it', () => {
    const stopped = jobOf(
      'a',
      { schedules: [{ every: 60 }], misfire: catchUp() },
      { activeFrom: NOW - 5, status: 'STOPPED', misfire: catchUp() },
    )
    expect(stepCatchUp(stopped, [cursor], NOW, 5)).toEqual({ send: [], cursors: [cursor], missed: [] })
  })

  test('is ended by a delete or another policy, and the rest is missed', () => {
    const deleted = jobOf(
      'a',
      { schedules: [{ every: 60 }], misfire: catchUp() },
      { activeFrom: NOW - 5, status: 'DELETED' },
    )
    const step = stepCatchUp(deleted, [cursor], NOW, 5)
    expect(step).toMatchObject({ send: [], cursors: [] })
    expect([step.missed.length, step.missed[0]]).toMatchObject([
      17,
      { item: { second: 99_000 }, reason: REASONS.deletedSince },
    ])
    const changed = jobOf(
      'a',
      { schedules: [{ every: 60 }], misfire: catchUp() },
      { activeFrom: NOW - 5, schedules: [{ every: 60 }] },
    )
    expect(stepCatchUp(changed, [cursor], NOW, 5).missed[0].reason).toBe(REASONS.policyChanged)
    expect(stepCatchUp(jobOf('a', { activeFrom: NOW + 5 }), [cursor], NOW, 5)).toEqual({
      send: [],
      cursors: [],
      missed: [],
    })
  })

  test('shares fifty a second among the jobs, and takes turns with the rest', () => {
    for (const jobs of [1, 3, 7, 50, 120]) {
      const shares = shareBudget(jobs, 12)
      expect(shares.reduce((sum, each) => sum + each)).toBe(50)
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
    }
    const turns = Array.from({ length: 120 }, (_, second) => shareBudget(120, second)[5])
    expect(turns.reduce((sum, each) => sum + each)).toBe(50)
    expect(shareBudget(0, 5)).toEqual([])
  })
})

describe('the backlog', () => {
  const jobs = Array.from({ length: 10 }, (_, index) => jobOf(`job-${index}`, { schedules: [{ every: 60 }] }))
  const snapshot = new Snapshot()
  snapshot.apply(jobs)

  test('keeps neighbours apart, because what the first has fired must not be counted as missed with the second', () => {
    const first = addGap([], { from: 1, to: 10 }, 20)
    expect(addGap(first, { from: 11, to: 20 }, 31)).toEqual([
      { from: 1, to: 10, openedAt: 20, afterJob: null },
      { from: 11, to: 20, openedAt: 31, afterJob: null },
    ])
  })

  test('is worked off a few jobs at a time, each job once, in order of id', () => {
    let backlog = addGap([], gap, NOW)
    const done: string[] = []
    let steps = 0
    while (backlog.length > 0) {
      const step = stepBacklog(snapshot, backlog, 3)
      done.push(...step.plans.map(({ jobId }) => jobId))
      expect(step.plans.every(({ plan }) => plan.fire?.second === 99_960)).toBe(true)
      backlog = [...step.backlog]
      steps += 1
    }
    expect(done).toEqual(jobs.map(({ id }) => id).sort())
    expect(steps).toBe(4)
    expect(stepBacklog(snapshot, [], 3)).toEqual({ plans: [], backlog: [], finishedJobs: [] })
  })

  test('tells which jobs have nothing left, but not those still to be caught up', () => {
    const at = [{ at: new Date((NOW - 500) * 1000).toISOString() }]
    const over = jobOf('over', { schedules: [...at, { kind: 'stop', every: 60 }] })
    const caughtUp = jobOf('caught-up', { schedules: at, misfire: catchUp() })
    const stopped = jobOf('stopped', { schedules: at }, { activeFrom: NOW - 100, status: 'STOPPED' })
    const few = new Snapshot()
    const missed = jobOf('missed', { schedules: at, misfire: { policy: 'DO_NOTHING' } })
    const untouched = jobOf('untouched', { schedules: [{ every: 86_400 }] })
    few.apply([over, caughtUp, stopped, missed, untouched, jobOf('going-on')])
    expect([...stepBacklog(few, addGap([], gap, NOW), 10).finishedJobs].sort()).toEqual([over.id, missed.id].sort())
  })
})

describe('a gap over an edit', () => {
  const edited = (before: Misfire, after: Misfire) =>
    jobOf(
      'a',
      { schedules: [{ every: 60 }], misfire: before },
      { activeFrom: 99_500, schedules: [{ every: 60 }], misfire: after },
    )

  test('is decided about by each definition for its own instants', () => {
    const plan = planGap(edited({ policy: 'DO_NOTHING' }, catchUp()), gap, NOW)
    expect(plan.missed).toEqual([{ of: 'starts', from: 99_000, to: 99_480, count: 9, reason: REASONS.doNothing }])
    expect(plan.catchUp).toEqual([{ from: 99_540, to: 99_960, next: 99_540, left: 8 }])
    const reverse = planGap(edited(catchUp(), { policy: 'DO_NOTHING' }), gap, NOW)
    expect([reverse.catchUp[0].left, reverse.missed[0].count]).toEqual([9, 8])
  })

  test('fires the newest once, whichever definition it is of', () => {
    const plan = planGap(edited({ policy: 'FIRE_ONCE_NOW' }, { policy: 'FIRE_ONCE_NOW' }), gap, NOW)
    expect([plan.fire?.second, plan.missed.map(({ count }) => count)]).toEqual([99_960, [9, 7]])
  })
})

test('of two gaps that end at once, what was live between them is in neither', () => {
  const job = jobOf('a', { schedules: [{ every: 60 }], misfire: catchUp() }, { activeFrom: NOW - 5, status: 'DELETED' })
  const cursors = [
    { from: 99_000, to: 99_100, next: 99_000, left: 2 },
    { from: 99_900, to: 99_960, next: 99_900, left: 2 },
  ]
  const { missed } = stepCatchUp(job, cursors, NOW, 50)
  expect(missed.map(({ item }) => item.second)).toEqual([99_000, 99_060, 99_900, 99_960])
})

describe('cursors', () => {
  const cursor = (from: number, to: number) => ({ from, to, next: from, left: 1 })
  const none = { catchUp: [], caughtUpThrough: null }

  test('of a gap are added once, also where they are done when the gap is worked off again', () => {
    const first = addCursors(none, [cursor(10, 20)])
    expect(first).toEqual({ catchUp: [cursor(10, 20)], caughtUpThrough: 20 })
    expect(addCursors({ catchUp: [], caughtUpThrough: 20 }, [cursor(10, 20)])).toBeNull()
  })

  test('of a later gap come behind', () => {
    const both = addCursors({ catchUp: [cursor(10, 20)], caughtUpThrough: 20 }, [cursor(30, 40), cursor(10, 20)])
    expect(both).toEqual({ catchUp: [cursor(10, 20), cursor(30, 40)], caughtUpThrough: 40 })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { VersionedJob } from '../../../shared/core/job/version.ts'
import { type DueItem, dueBetween } from '../../../shared/core/planner/due.ts'
import { type PlannedRun, Snapshot } from '../../../shared/core/planner/snapshot.ts'
import type { ScheduleSpec } from '../../../shared/core/schedule/schedule.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import { jobOf, type VersionPart, versionOf } from '../../support/jobs.ts'

function snapshotOf(...jobs: VersionedJob[]): Snapshot {
  const snapshot = new Snapshot()
  snapshot.apply(jobs)
  return snapshot
}
const keys = (runs: readonly PlannedRun[]) => runs.map(({ jobId, second, kind }) => `${second} ${kind} ${jobId}`)

const part: fc.Arbitrary<VersionPart> = fc
  .record({
    schedules: fc.constantFrom<ScheduleSpec[]>(
      [{ every: 7 }],
      [{ every: 60 }],
      [{ cron: '*/2 * * * *' }],
      [{ cron: '10,40 * * * * *', zone: 'Asia/Tokyo' }],
      [{ every: 30 }, { kind: 'stop', every: 90 }],
      [{ at: '1970-01-01T00:05:00Z' }],
      [{ every: 45 }, { kind: 'restart', every: 180 }],
    ),
    spread: fc.constantFrom(0, 0, 25),
    status: fc.constantFrom('RUNNING' as const, 'RUNNING' as const, 'STOPPED' as const, 'DELETED' as const),
    until: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
    move: fc.option(fc.record({ from: fc.integer({ min: 0, max: 300 }), to: fc.integer({ min: 0, max: 400 }) }), {
      nil: undefined,
    }),
    priority: fc.integer({ min: -2, max: 2 }),
  })
  .map(({ schedules, spread, status, until, move, priority }) => ({
    timing: { schedules, spread },
    status,
    ...(until === undefined ? {} : { until }),
    ...(move === undefined ? {} : { moves: [move] }),
    priority,
  }))

/** A job with up to four versions, active at rising seconds. */
const versionedJob = fc
  .tuple(
    fc.integer({ min: 0, max: 1000 }),
    fc.array(fc.tuple(part, fc.integer({ min: 1, max: 150 })), { minLength: 1, maxLength: 4 }),
  )
  .map(([name, parts]) => {
    let activeFrom = 0
    return jobOf(
      `job-${name}`,
      ...parts.map(([each, gap], index) => {
        activeFrom += index === 0 ? gap % 50 : gap
        return { ...each, activeFrom }
      }),
    )
  })

const fleet = fc.uniqueArray(versionedJob, { selector: ({ id }) => id, minLength: 1, maxLength: 12 })

describe('what is due', () => {
  test('is what each job by itself says, in order of second, priority and id', () => {
    fc.assert(
      fc.property(fleet, fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 300 }), (jobs, from, length) => {
        const snapshot = snapshotOf(...jobs)
        snapshot.roll(from + 20)
        const found = snapshot.due(from, from + length)
        const expected = jobs.flatMap((job) => {
          const items: DueItem[] = []
          dueBetween(job, from, from + length, items)
          const priority = job.versions[job.versions.length - 1].priority
          return items.map((item) => ({ ...item, jobId: job.id, priority }))
        })
        const kinds = ['stop', 'restart', 'start']
        expected.sort(
          (a, b) =>
            a.second - b.second ||
            b.priority - a.priority ||
            (a.jobId < b.jobId ? -1 : a.jobId > b.jobId ? 1 : 0) ||
            kinds.indexOf(a.kind) - kinds.indexOf(b.kind),
        )
        expect(keys(found)).toEqual(expected.map(({ jobId, second, kind }) => `${second} ${kind} ${jobId}`))
      }),
      { numRuns: 300 },
    )
  })

  test('in a range is what is due in its halves', () => {
    fc.assert(
      fc.property(fleet, fc.integer({ min: 1, max: 599 }), (jobs, cut) => {
        const snapshot = snapshotOf(...jobs)
        expect([...keys(snapshot.due(0, cut)), ...keys(snapshot.due(cut, 600))]).toEqual(keys(snapshot.due(0, 600)))
      }),
      { numRuns: 200 },
    )
  })

  test('is the same in every ticker and at any time, for any edits that obey activeFrom', () => {
    fc.assert(
      fc.property(fleet, (jobs) => {
        const late = snapshotOf(...jobs)
        const early = new Snapshot()
        for (let second = 0; second < 500; second += 13) {
          // The early one has only heard of versions that are active by the end of the range it plans.
          const known = jobs.map((job) => ({
            ...job,
            versions: job.versions.filter(({ activeFrom }) => activeFrom < second + 13),
          }))
          early.apply(known.filter(({ versions }) => versions.length > 0))
          early.roll(second)
          const byJob = (runs: PlannedRun[]) => keys(runs).sort()
          expect(byJob(early.due(second, second + 13))).toEqual(byJob(late.due(second, second + 13)))
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('changes', () => {
  test('are added, updated and deleted, and told apart', () => {
    const snapshot = new Snapshot()
    const job = jobOf('a')
    expect(snapshot.apply([job])).toEqual([{ type: 'added', jobId: job.id }])
    expect(snapshot.apply([job])).toEqual([])
    const edited = jobOf('a', {}, { activeFrom: 5 })
    expect(snapshot.apply([edited, edited])).toEqual([{ type: 'updated', jobId: job.id }])
    expect(snapshot.apply([job])).toEqual([])
    const gone = jobOf('a', {}, { activeFrom: 5 }, { activeFrom: 25, status: 'DELETED' })
    expect(snapshot.apply([gone])).toEqual([{ type: 'deleted', jobId: job.id }])
    expect(snapshot.due(0, 100).map(({ second }) => second)).toEqual([0, 10, 20])
    expect(snapshot.job(job.id)).toBe(gone)
    snapshot.forget([job.id])
    expect([snapshot.job(job.id), snapshot.size]).toEqual([null, 0])
  })

  test('that do not compile are told and harm no other job', () => {
    const broken = jobOf('broken', { schedules: [{ cron: 'not a cron' }] })
    const snapshot = new Snapshot()
    const changes = snapshot.apply([jobOf('a'), broken, jobOf('b')])
    expect(changes.map(({ type }) => type)).toEqual(['added', 'added', 'broken'])
    expect(snapshot.apply([broken])).toMatchObject([
      { type: 'broken', jobId: broken.id, reason: expect.stringContaining('cron') },
    ])
    expect(snapshot.due(10, 11)).toHaveLength(2)
  })

  test('many at once and one by one give the same order', () => {
    const jobs = Array.from({ length: 200 }, (_, index) => jobOf(`job-${index}`, { priority: index % 3 }))
    const atOnce = snapshotOf(...jobs)
    const oneByOne = new Snapshot()
    for (const job of jobs) oneByOne.apply([job])
    expect(keys(oneByOne.due(10, 11))).toEqual(keys(atOnce.due(10, 11)))
    const reranked = jobs
      .slice(0, 40)
      .map((job) => ({ ...job, versions: [...job.versions, versionOf({ version: 2, priority: 9 })] }))
    oneByOne.apply(reranked)
    atOnce.apply([...reranked])
    expect(keys(oneByOne.due(10, 11))).toEqual(keys(atOnce.due(10, 11)))
    expect(
      atOnce
        .due(10, 11)
        .slice(0, 40)
        .map(({ jobId }) => jobId),
    ).toEqual(reranked.map(({ id }) => id).sort())
  })

  test('that come again and again do not pile up shapes', () => {
    const snapshot = new Snapshot()
    for (let version = 1; version <= 3000; version++) {
      snapshot.apply([{ ...jobOf('a'), versions: [versionOf({ version, schedules: [{ every: version + 10 }] })] }])
    }
    expect(snapshot.due(3000, 3011).map(({ second }) => second)).toEqual([3010])
  })
})

describe('the order of ids', () => {
  test('goes on after any id', () => {
    const jobs = Array.from({ length: 30 }, (_, index) => jobOf(`job-${index}`))
    const snapshot = snapshotOf(...jobs)
    const ids = jobs.map(({ id }) => id).sort()
    const idsAfter = (id: string | null, count: number) => snapshot.jobsAfter(id, count).map((job) => job.id)
    expect(idsAfter(null, 100)).toEqual(ids)
    expect(idsAfter(ids[10], 5)).toEqual(ids.slice(11, 16))
    expect(idsAfter(ids[29], 5)).toEqual([])
  })
})

describe('the next due second', () => {
  test('is found near, far and not at all', () => {
    const snapshot = snapshotOf(
      jobOf('a', { schedules: [{ every: 86_400 }] }),
      jobOf('b', { schedules: [{ at: '1970-01-03T00:00:05Z' }] }),
    )
    expect(snapshot.nextDue(1)).toBe(86_400)
    expect(snapshot.nextDue(2 * 86_400 + 1)).toBe(2 * 86_400 + 5)
    expect(new Snapshot().nextDue(5)).toBe(NEVER)
  })

  test('is not one of a schedule that no job has any more', () => {
    const snapshot = snapshotOf(jobOf('a', { schedules: [{ every: 7200 }] }))
    snapshot.apply([jobOf('a', { schedules: [{ every: 7200 }] }, { activeFrom: 10, schedules: [{ every: 80_000 }] })])
    expect(snapshot.nextDue(1000)).toBe(80_000)
  })

  test('is not one that was moved away or lies before a job began', () => {
    const moved = jobOf('a', { schedules: [{ every: 1000 }], moves: [{ from: 1000, to: 1500 }] })
    expect(snapshotOf(moved).nextDue(1)).toBe(1500)
    expect(snapshotOf(jobOf('b', { activeFrom: 5000 })).nextDue(4990)).toBe(5000)
  })

  test('of a job that is over is never', () => {
    const once = jobOf('b', { schedules: [{ at: '1970-01-01T00:00:05Z' }] })
    const snapshot = snapshotOf(once, jobOf('a'))
    expect(snapshot.hasNothingLeft(once.id, 4)).toBe(false)
    expect(snapshot.hasNothingLeft(once.id, 5)).toBe(true)
    expect(snapshot.hasNothingLeft(jobOf('a').id, 5)).toBe(false)
    expect(snapshot.hasNothingLeft('unknown', 5)).toBe(false)
    const stopped = jobOf('c', { status: 'STOPPED' })
    expect(snapshotOf(stopped).hasNothingLeft(stopped.id, 5)).toBe(false)
    const triggered = jobOf('d', { schedules: [] })
    const all = snapshotOf(once, jobOf('a'), stopped, triggered)
    expect(all.finished(all.jobsAfter(null, 9), 4)).toEqual([])
    expect(all.finished(all.jobsAfter(null, 9), 5)).toEqual([once.id])
  })
})

test('of 100,000 jobs a plan of one second touches only those that are due', () => {
  const jobs = Array.from({ length: 100_000 }, (_, index) => {
    const minute = index % 60
    const hour = Math.floor(index / 60) % 24
    return jobOf(`job-${index}`, { schedules: [{ cron: `${minute} ${hour} * * *` }] })
  })
  const snapshot = snapshotOf(...jobs)
  snapshot.roll(36_000)
  const before = snapshot.examined
  const due = snapshot.due(36_000, 36_001)
  expect(due).toHaveLength(Math.ceil(100_000 / 1440))
  expect(snapshot.examined - before).toBe(due.length)
  expect(snapshot.due(36_001, 36_060)).toEqual([])
  expect(snapshot.examined - before).toBe(due.length)
})

test('a second with more runs than the buffer holds is still whole', () => {
  const snapshot = snapshotOf(...Array.from({ length: 1500 }, (_, index) => jobOf(`job-${index}`)))
  expect(snapshot.due(10, 11)).toHaveLength(1500)
})

test('a fleet so busy that its window is cut short is still planned', () => {
  const snapshot = snapshotOf(
    ...Array.from({ length: 20_000 }, (_, index) => jobOf(`job-${index}`, { schedules: [{ every: 1 }] })),
  )
  snapshot.roll(1000)
  expect(snapshot.due(1000, 1002)).toHaveLength(40_000)
})

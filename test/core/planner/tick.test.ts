import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pageOf } from '../../../shared/core/pages/depth.ts'
import { firingOf, latestStartSeconds } from '../../../shared/core/planner/misfire.ts'
import { type PlannedRun, Snapshot } from '../../../shared/core/planner/snapshot.ts'
import { latestFreshSecond, planTick, type ShardSeconds, type TickPlan } from '../../../shared/core/planner/tick.ts'
import { jobOf, versionOf } from '../../support/jobs.ts'

const NOW = 100_000
const shardAt = (second: number, part: Partial<ShardSeconds> = {}): ShardSeconds => ({
  sentThrough: second,
  fence: second,
  depths: new Map(),
  ...part,
})

function snapshotOf(...jobs: ReturnType<typeof jobOf>[]): Snapshot {
  const snapshot = new Snapshot()
  snapshot.apply(jobs)
  return snapshot
}
const sent = (plan: TickPlan) => plan.send.map(({ run, firing }) => [run.second, firing])

describe('a tick on time', () => {
  test('opens its second, sends what is due and knows what comes', () => {
    const plan = planTick(snapshotOf(jobOf('a', { schedules: [{ every: 5 }] })), shardAt(NOW - 1), NOW)
    expect([...plan.opened]).toEqual([[NOW, 0]])
    expect(plan.gap).toBeNull()
    expect(sent(plan)).toEqual([[NOW, 'fired']])
    expect(plan.sendsThrough).toBe(NOW)
    expect(plan.finishedJobs).toEqual([])
  })

  test('gives a busy second pages, and an empty one a depth all the same', () => {
    const snapshot = snapshotOf(...Array.from({ length: 100 }, (_, index) => jobOf(`job-${index}`)))
    const plan = planTick(snapshot, shardAt(NOW - 3), NOW)
    expect([...plan.opened]).toEqual([
      [NOW - 2, 0],
      [NOW - 1, 0],
      [NOW, 3],
    ])
  })

  test('tells which jobs are over', () => {
    const once = jobOf('once', { schedules: [{ at: new Date(NOW * 1000).toISOString() }] })
    expect(planTick(snapshotOf(once, jobOf('a')), shardAt(NOW - 1), NOW).finishedJobs).toEqual([once.id])
  })

  test('needs eyes that are at most a second old', () => {
    expect(latestFreshSecond(NOW)).toBe(NOW + 1)
  })
})

describe('a tick that comes late', () => {
  const every = (seconds: number) => snapshotOf(jobOf('a', { schedules: [{ every: seconds }] }))

  test('fires up to two seconds in their slots, up to ten at once', () => {
    const plan = planTick(every(1), shardAt(NOW - 11), NOW)
    expect(plan.gap).toBeNull()
    expect(sent(plan).map(([second, firing]) => [NOW - (second as number), firing])).toEqual([
      ...[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((age) => [age, 'fired']),
    ])
  })

  test('leaves what is older than ten seconds to the backlog, as a gap without depth', () => {
    const plan = planTick(every(1), shardAt(NOW - 100), NOW)
    expect(plan.gap).toEqual({ from: NOW - 99, to: NOW - 11 })
    expect(Math.min(...plan.opened.keys())).toBe(NOW - 10)
    expect(plan.send).toHaveLength(11)
  })

  test('replays fenced live seconds however old they are, and never a gap', () => {
    const depths = new Map([
      [NOW - 500, 0],
      [NOW - 499, 0],
      [NOW - 300, 2],
    ])
    const plan = planTick(every(1), shardAt(NOW - 1, { sentThrough: NOW - 501, depths }), NOW)
    expect(sent(plan)).toEqual([
      [NOW - 500, 'fired'],
      [NOW - 499, 'fired'],
      [NOW - 300, 'fired'],
      [NOW, 'fired'],
    ])
    expect([...plan.opened.keys()]).toEqual([NOW])
  })

  test('marks as missed what a job does not want so late', () => {
    const depths = new Map([[NOW - 50, 0]])
    const job = jobOf('a', { schedules: [{ every: 1 }], misfire: { policy: 'DO_NOTHING' } })
    const plan = planTick(snapshotOf(job), shardAt(NOW - 1, { sentThrough: NOW - 51, depths }), NOW)
    expect(sent(plan)).toEqual([
      [NOW - 50, 'missed'],
      [NOW, 'fired'],
    ])
  })

  test('sends at most 25,000 runs, whole seconds of them, and goes on with the rest', () => {
    const snapshot = snapshotOf(
      ...Array.from({ length: 9000 }, (_, index) => jobOf(`job-${index}`, { schedules: [{ every: 1 }] })),
    )
    const plan = planTick(snapshot, shardAt(NOW - 5), NOW)
    expect(plan.send).toHaveLength(18_000)
    expect(plan.sendsThrough).toBe(NOW - 3)
    expect(plan.opened.size).toBe(5)
    const rest = planTick(snapshot, { sentThrough: plan.sendsThrough, fence: NOW, depths: plan.opened }, NOW + 1)
    expect(rest.send[0].run.second).toBe(NOW - 2)
  })

  test('sends a second whole even if it has more', () => {
    const snapshot = snapshotOf(...Array.from({ length: 26_000 }, (_, index) => jobOf(`job-${index}`)))
    const plan = planTick(snapshot, shardAt(NOW - 1), NOW)
    expect([plan.send.length, plan.sendsThrough]).toEqual([26_000, NOW])
  })
})

test('stops and restarts are dropped after ten seconds, starts by the rule of their job', () => {
  const item = (kind: 'start' | 'stop' | 'restart', part = {}) => ({
    second: 0,
    nominal: 0,
    kind,
    version: versionOf(part),
  })
  expect(firingOf(item('stop'), 10)).toBe('fired')
  expect(firingOf(item('stop'), 11)).toBe('missed')
  expect(firingOf(item('restart'), 11)).toBe('missed')
  expect(firingOf(item('start'), 100_000)).toBe('fired')
  expect(firingOf(item('start', { maxLatenessSeconds: 30 }), 31)).toBe('missed')
  expect(latestStartSeconds(versionOf({ misfire: { policy: 'DO_NOTHING' }, maxLatenessSeconds: 3 }))).toBe(3)
})

describe('over any cutting of time into ticks, with any crashes and replays', () => {
  // Enough jobs that busy seconds are divided into pages and quiet ones are not.
  const fleet = Array.from({ length: 60 }, (_, index) =>
    jobOf(`job-${index}`, { schedules: [{ every: [3, 7, 10, 25][index % 4] }] }),
  )
  const keyOf = (run: PlannedRun, depth: number) => `${run.second}/${pageOf(run.pageBits, depth)}/${run.jobId}`

  /** One link: how long it waited, and whether it died after its fence or after its sends. */
  const link = fc.record({
    waited: fc.integer({ min: 1, max: 40 }),
    dies: fc.constantFrom('no', 'no', 'after fence', 'after sends'),
  })

  test('every instant gets one key: a page entry or a place in a gap, never both, and a replay finds the same', () => {
    fc.assert(
      fc.property(fc.array(link, { minLength: 1, maxLength: 25 }), (links) => {
        const snapshot = snapshotOf(...fleet)
        let second = NOW
        let shard: ShardSeconds = shardAt(NOW)
        const pageKeys = new Map<string, string>()
        const gaps: { from: number; to: number }[] = []
        for (const { waited, dies } of links) {
          second += waited
          const plan = planTick(snapshot, shard, second)
          const depths = new Map([...shard.depths, ...plan.opened])
          if (plan.gap !== null) gaps.push(plan.gap)
          shard = { ...shard, fence: second, depths }
          if (dies === 'after fence') continue
          for (const { run } of plan.send) {
            const key = keyOf(run, depths.get(run.second) ?? -1)
            const known = pageKeys.get(`${run.second}.${run.jobId}`)
            if (known !== undefined) expect(key).toBe(known)
            pageKeys.set(`${run.second}.${run.jobId}`, key)
          }
          if (dies === 'no') shard = { ...shard, sentThrough: plan.sendsThrough }
        }
        // One more link that does not die brings everything to an end.
        const last = planTick(snapshot, shard, second + 1)
        for (const { run } of last.send) pageKeys.set(`${run.second}.${run.jobId}`, '')
        const inGap = (t: number) => gaps.filter(({ from, to }) => from <= t && t <= to).length
        for (const run of snapshot.due(NOW + 1, second + 2)) {
          const onPage = pageKeys.has(`${run.second}.${run.jobId}`) ? 1 : 0
          expect(onPage + inGap(run.second)).toBe(1)
        }
        expect(pageKeys.size).toBe(snapshot.due(NOW + 1, second + 2).filter((run) => inGap(run.second) === 0).length)
      }),
      { numRuns: 150 },
    )
  })
})

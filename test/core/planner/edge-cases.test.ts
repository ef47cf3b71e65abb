// Each edge case has its row in docs/edge-cases.md, under the same name.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decide, type GateInput, type GatePolicy } from '../../../shared/core/gate/gate.ts'
import { timesOf } from '../../../shared/core/gate/overlap.ts'
import { FREE, type GateRun, NEW_STATE } from '../../../shared/core/gate/state.ts'
import type { Misfire } from '../../../shared/core/job/job.ts'
import type { VersionedJob } from '../../../shared/core/job/version.ts'
import { stepCatchUp } from '../../../shared/core/planner/catch-up.ts'
import { planGap, REASONS } from '../../../shared/core/planner/gap.ts'
import { Snapshot } from '../../../shared/core/planner/snapshot.ts'
import { planTick, type ShardSeconds } from '../../../shared/core/planner/tick.ts'
import { decideStart } from '../../../shared/core/shard.ts'
import { jobOf } from '../../support/jobs.ts'

const NOW = 1_000_000
const HOUR = 3600
const gap = { from: NOW - 2 * HOUR, to: NOW - 11 }
const catchUp = (window: number, overlap: 'skip' | 'all' | 'latest' = 'all'): Misfire => ({
  policy: 'CATCH_UP',
  window,
  overlap,
  max: 1000,
})
const hourly = { schedules: [{ every: 600 }] }
const shardAt = (second: number): ShardSeconds => ({ sentThrough: second, fence: second, depths: new Map() })

function snapshotOf(...jobs: VersionedJob[]): Snapshot {
  const snapshot = new Snapshot()
  snapshot.apply(jobs)
  return snapshot
}

test('1. new job with a catch-up window', () => {
  const job = jobOf('a', { ...hourly, activeFrom: NOW - HOUR, misfire: catchUp(6 * HOUR) })
  const plan = planGap(job, gap, NOW)
  expect(plan.catchUp[0].from).toBe(NOW - HOUR + 200)
  expect(planGap(jobOf('a', { ...hourly, activeFrom: NOW, misfire: catchUp(6 * HOUR) }), gap, NOW).catchUp).toEqual([])
})

test('2. new job without a catch-up window', () => {
  const job = jobOf('a', { ...hourly, activeFrom: NOW })
  expect(planGap(job, gap, NOW)).toEqual({ fire: null, catchUp: [], missed: [] })
  expect(snapshotOf(job).due(NOW, NOW + 601)).toHaveLength(1)
})

test('3. job deleted while its catch-up drains', () => {
  const job = jobOf(
    'a',
    { ...hourly, misfire: catchUp(6 * HOUR) },
    { ...hourly, activeFrom: NOW - 5, status: 'DELETED' },
  )
  const cursor = { from: gap.from, to: gap.to, next: gap.from, left: 12 }
  const step = stepCatchUp(job, [cursor], NOW, 50)
  expect(step).toMatchObject({ send: [], cursors: [] })
  expect(new Set(step.missed.map(({ reason }) => reason))).toEqual(new Set([REASONS.deletedSince]))
  expect(step.missed).toHaveLength(12)
})

test('4. job updated: catch-up window from nothing to six hours', () => {
  const job = jobOf(
    'a',
    { ...hourly, misfire: { policy: 'DO_NOTHING' } },
    { ...hourly, activeFrom: NOW - HOUR, misfire: catchUp(6 * HOUR) },
  )
  const plan = planGap(job, gap, NOW)
  expect(plan.catchUp).toMatchObject([{ left: 6 }])
  expect(plan.missed).toMatchObject([{ count: 6, reason: REASONS.doNothing }])
})

test('5. job updated: catch-up window from six hours to nothing', () => {
  const job = jobOf('a', { ...hourly, misfire: catchUp(6 * HOUR) }, { ...hourly, activeFrom: NOW - 5 })
  const cursor = { from: gap.from, to: gap.to, next: NOW - HOUR, left: 6 }
  const step = stepCatchUp(job, [cursor], NOW, 50)
  expect(step).toMatchObject({ send: [], cursors: [] })
  expect(new Set(step.missed.map(({ reason }) => reason))).toEqual(new Set([REASONS.policyChanged]))
  expect(step.missed).toHaveLength(6)
  expect(snapshotOf(job).due(NOW, NOW + 600)).toHaveLength(1)
})

test('6. job updated: schedule changed', () => {
  const job = jobOf(
    'a',
    { schedules: [{ every: 600 }], misfire: catchUp(6 * HOUR) },
    { schedules: [{ every: 900 }], activeFrom: NOW - HOUR, misfire: catchUp(6 * HOUR) },
  )
  const { send } = stepCatchUp(job, planGap(job, gap, NOW).catchUp, NOW, 50)
  const before = send.filter(({ second }) => second < NOW - HOUR)
  const after = send.filter(({ second }) => second >= NOW - HOUR)
  expect(before.every(({ second }) => second % 600 === 0)).toBe(true)
  expect(after.every(({ second }) => second % 900 === 0)).toBe(true)
  expect([before.length, after.length]).toEqual([6, 4])
})

test('7. job updated: overlap policy changed', () => {
  const job = jobOf(
    'a',
    { ...hourly, misfire: catchUp(6 * HOUR, 'all') },
    { ...hourly, activeFrom: NOW - HOUR, misfire: catchUp(6 * HOUR, 'latest') },
  )
  expect(planGap(job, gap, NOW).catchUp).toMatchObject([{ left: 6 }, { left: 1 }])
})

test('8. job renamed', () => {
  const old = jobOf('old', hourly, { ...hourly, activeFrom: NOW, status: 'DELETED' })
  const renamed = jobOf('new', { ...hourly, activeFrom: NOW })
  expect(old.id).not.toBe(renamed.id)
  const due = snapshotOf(old, renamed).due(NOW - 600, NOW + 600)
  expect(due.map(({ jobId }) => jobId)).toEqual([old.id, renamed.id])
})

test('9. name of a job changed in its definition', () => {
  // The name makes the id, so another name is another job: the same as a rename, and no old name can be left behind.
  expect(jobOf('one').id).toBe(jobOf('one').id)
  expect(jobOf('one').id).not.toBe(jobOf('two').id)
})

test('10. many jobs added at once', () => {
  const snapshot = snapshotOf(jobOf('first', hourly))
  const changes = snapshot.apply(Array.from({ length: 5000 }, (_, index) => jobOf(`job-${index}`, hourly)))
  expect(changes).toHaveLength(5000)
  expect(snapshot.due(NOW - 400, NOW - 399)).toHaveLength(5001)
})

test('11. change channel full', () => {
  // Changes are a log that is read from a cursor: there is no channel, so nothing overflows, and reading twice is harmless.
  const snapshot = new Snapshot()
  const log = Array.from({ length: 100_000 }, (_, version) => version + 1)
  const job = (version: number) => ({ ...jobOf('a'), versions: [{ ...jobOf('a', hourly).versions[0], version }] })
  snapshot.apply(log.map(job))
  expect(snapshot.apply(log.slice(-1000).map(job))).toEqual([])
  expect(snapshot.job(jobOf('a').id)?.versions[0].version).toBe(100_000)
})

const policy: GatePolicy = {
  block: { strategy: 'SERIAL' },
  misfire: catchUp(6 * HOUR),
  skipIfSuccessful: false,
  after: [],
  maxLateness: null,
}
const live: GateRun = {
  runId: 'live',
  trigger: 'SCHEDULE',
  instant: NOW,
  nominal: NOW,
  attempt: 1,
  depth: 0,
  openMs: null,
}
const ask = (job: VersionedJob, run: GateRun, now: number, part: Partial<GateInput> = {}) =>
  decide({
    run,
    times: timesOf(job, run, now),
    policy,
    lock: FREE,
    state: NEW_STATE,
    lastSuccessOfAfter: [],
    now,
    ...part,
  })

test('12. catch-up and live both due', () => {
  const state = { ...NEW_STATE, catchUp: [{ from: gap.from, to: gap.to, next: NOW - HOUR, left: 6 }] }
  const job = jobOf('a', hourly)
  expect(ask(job, live, NOW, { state })).toMatchObject({ do: 'WAIT' })
  const older: GateRun = { ...live, trigger: 'CATCH_UP', instant: NOW - HOUR }
  expect(ask(job, older, NOW + 300, { state })).toMatchObject({ do: 'START' })
})

test('13. several schedules on one job', () => {
  const job = jobOf('a', { schedules: [{ every: 600 }, { every: 900 }, { cron: '*/10 * * * *' }] })
  const due = snapshotOf(job).due(1_800_000, 1_800_000 + 1801)
  expect(due.map(({ second }) => second - 1_800_000)).toEqual([0, 600, 900, 1200, 1800])
})

test('14. stopped job with a catch-up', () => {
  const stopped = jobOf(
    'a',
    { ...hourly, misfire: catchUp(6 * HOUR) },
    { ...hourly, activeFrom: NOW - 5, status: 'STOPPED', misfire: catchUp(6 * HOUR) },
  )
  const cursor = { from: gap.from, to: gap.to, next: NOW - HOUR, left: 6 }
  expect(stepCatchUp(stopped, [cursor], NOW, 50)).toEqual({ send: [], cursors: [cursor], missed: [] })
  const started = {
    ...stopped,
    versions: [...stopped.versions, { ...stopped.versions[0], version: 3, activeFrom: NOW + 100 }],
  }
  expect(stepCatchUp(started, [cursor], NOW + 100, 50).send).toHaveLength(6)
})

test('15. skipIfSuccessful and catch-up', () => {
  const part = {
    policy: { ...policy, skipIfSuccessful: true },
    state: { ...NEW_STATE, lastSuccess: NOW - 500 },
  }
  const job = jobOf('a', hourly)
  const instant = NOW - 400
  expect(ask(job, { ...live, instant }, NOW + 300, part)).toMatchObject({ do: 'SKIP' })
  expect(ask(job, { ...live, instant, trigger: 'CATCH_UP' }, NOW + 300, part)).toMatchObject({ do: 'START' })
})

test('16. guard check race', () => {
  // The guard is asked at the claim, under the lock, and not by the plan; the run that comes second meets the first in the state.
  const holder = { ...live, runId: 'other', instant: NOW - 600, deadline: NOW + 60, sentAt: null }
  const busy = jobOf('a', { schedules: [{ every: 5 }] })
  expect(ask(busy, live, NOW, { lock: { ...FREE, holders: [holder] } })).toMatchObject({ do: 'WAIT' })
})

test('17. advance with nothing planned', () => {
  const plan = planTick(snapshotOf(jobOf('a', { schedules: [{ every: 86_400 }] })), shardAt(NOW - 1), NOW)
  expect([plan.send, plan.sendsThrough, [...plan.opened]]).toEqual([[], NOW, [[NOW, 0]]])
})

test('18. send fails after the plan returned it', () => {
  const snapshot = snapshotOf(jobOf('a', { schedules: [{ every: 1 }] }))
  const first = planTick(snapshot, shardAt(NOW - 1), NOW)
  // The fence moved, the sentThrough did not, because the send was not acknowledged: the next link sends both.
  const next = planTick(snapshot, { sentThrough: NOW - 1, fence: NOW, depths: first.opened }, NOW + 1)
  expect(next.send.map(({ run }) => run.second)).toEqual([NOW, NOW + 1])
})

test('19. crash between plan and advance', () => {
  const snapshot = snapshotOf(...['a', 'b', 'c'].map((name) => jobOf(name, { schedules: [{ every: 1 }] })))
  const first = planTick(snapshot, shardAt(NOW - 1), NOW)
  const replay = planTick(
    snapshotOf(...['c', 'a', 'b'].map((name) => jobOf(name, { schedules: [{ every: 1 }] }))),
    { sentThrough: NOW - 1, fence: NOW, depths: first.opened },
    NOW + 30,
  )
  const keys = (runs: typeof first.send) => runs.map(({ run }) => `${run.jobId} ${run.second}`)
  expect(keys(replay.send).slice(0, 3)).toEqual(keys(first.send))
})

test('20. new job, then a crash at once', () => {
  const job = jobOf('a', { schedules: [{ every: 5 }], activeFrom: NOW + 2 })
  const [before, after] = [snapshotOf(job), snapshotOf(job)]
  expect(before.due(NOW - 100, NOW + 20)).toEqual(after.due(NOW - 100, NOW + 20))
  expect(after.due(NOW - 100, NOW + 20)[0].second).toBe(NOW + 5)
})

test('21. shard item missing or corrupt', () => {
  const meta = { shardCount: 4, initialised: true }
  expect(decideStart(null, false, 4)).toEqual({ do: 'MAKE' })
  expect(decideStart({ ...meta, initialised: false }, false, 4)).toEqual({ do: 'MAKE' })
  expect(decideStart(meta, true, 4)).toEqual({ do: 'TICK' })
  expect(decideStart(meta, false, 4)).toMatchObject({
    do: 'REFUSE',
    reason: expect.stringContaining('the shard item is missing'),
  })
  expect(decideStart({ ...meta, initialised: false }, false, 8)).toMatchObject({ do: 'REFUSE' })
  expect(decideStart(meta, true, 8)).toMatchObject({
    do: 'REFUSE',
    reason: expect.stringContaining('made for 4 shards'),
  })
})

test('every edge case has its row in docs/edge-cases.md and its test here', () => {
  const root = join(import.meta.dirname, '../../..')
  const rows = [...readFileSync(join(root, 'docs/edge-cases.md'), 'utf8').matchAll(/^\| (\d+)\. ([^|]+) \|/gm)].map(
    ([, number, name]) => `${number}. ${name}`,
  )
  const tests = [...readFileSync(import.meta.filename, 'utf8').matchAll(/^test\('(\d+\. .+)', /gm)].map(
    ([, name]) => name,
  )
  expect(rows).toHaveLength(21)
  expect(tests).toEqual(rows)
})

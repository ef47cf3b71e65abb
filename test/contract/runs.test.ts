import { expect, test } from 'vitest'
import { hashOfId, jobIdOf, shardOf } from '../../shared/core/job/id.ts'
import type { JobVersion } from '../../shared/core/job/version.ts'
import type { OutcomeEntry } from '../../shared/core/pages/entry.ts'
import { pageKeyOfJob } from '../../shared/core/pages/page.ts'
import type { MinuteItem } from '../../shared/core/shard.ts'
import { failuresOf, feedOf, historyOf } from '../../shared/flow/read-runs.ts'
import { versionOf } from '../support/jobs.ts'
import { inEachWorld, type MakeWorld, type World } from '../support/worlds/worlds.ts'

/** The start of an hour, so that the hours of the test are whole. */
const T = Math.floor(1_790_000_000 / 3600) * 3600
const MINUTE = T / 60
const jobId = jobIdOf('default', 'historic')
const outcome = (status: OutcomeEntry['status']): OutcomeEntry => ({
  status,
  attempt: 1,
  startOffsetMs: 5,
  durationMs: 10,
})

interface Past extends World {
  readonly shard: number
}

/** Every ten seconds for two minutes: the first minute in its own item, the second still in the shard item, :40 a gap. */
async function begin(make: MakeWorld): Promise<Past> {
  // Many pages are read at once, more than the SDK's budget of retries bears to lose.
  const world = await make(2, { losesEvery: 5 })
  const shard = shardOf(hashOfId(jobId), 2)
  await world.shards.make(2, T - 1)
  const seen = await world.shards.read(shard)
  if (seen === null) throw new Error('no shard')
  const seconds = Array.from({ length: 120 }, (_, n) => T + n).filter((second) => second !== T + 40)
  const depthOf = (second: number) => (second === T + 20 ? 3 : 0)
  const depths = new Map(seconds.map((second) => [second, depthOf(second)]))
  const minute: MinuteItem = {
    shard,
    minute: MINUTE,
    depths: part(depths, T, T + 60),
    fires: 5,
    lateness: { maxMs: 0, sumMs: 0 },
  }
  await world.shards.putMinute(minute)
  const taken = await world.shards.takeOver(shard, seen, 'x', T)
  if (taken === null) throw new Error('not taken')
  await world.shards.fence(shard, {
    epoch: 1,
    previousFence: T - 1,
    fence: T + 119,
    link: 'y',
    leaseUntil: T,
    watermark: T - 1,
    depths: part(depths, T + 60, T + 120),
    backlog: [],
  })
  const version: JobVersion = versionOf({ activeFrom: T, schedules: [{ every: 10 }] })
  const jobs = Object.assign(Object.create(null), { versions: async () => [version] })
  for (let second = T; second < T + 90; second += 10) {
    const depth = depths.get(second)
    if (depth === undefined) continue
    const page = pageKeyOfJob(shard, { jobId, second }, depth)
    const status = second === T + 30 ? 'FAILED' : 'SUCCEEDED'
    await world.ledger.swap(page, [{ id: jobId, expect: null, next: outcome(status) }])
  }
  return { ...world, jobs, shard }
}

const part = (depths: ReadonlyMap<number, number>, from: number, to: number) =>
  new Map([...depths].filter(([second]) => second >= from && second < to))

const shown = (runs: readonly { second: number; entry: { status: string } | null }[]) =>
  runs.map(({ second, entry }) => `${second - T} ${entry?.status ?? 'QUEUED'}`)

inEachWorld('what ran', (make) => {
  test('is told from a job’s instants: in pages of any depth, in gaps, failed, missed and not yet claimed', async () => {
    const world = await begin(make)
    await world.ledger.putRun({ jobId, second: T + 40, suffix: '' }, outcome('SUCCEEDED'), { trigger: 'MISFIRE' }, 'a')
    await world.ledger.putRun({ jobId, second: T + 45, suffix: 'm1' }, outcome('LOST'), { trigger: 'MANUAL' }, 'b')
    await world.ledger.putDetail({ jobId, second: T + 30 }, { reason: 'broken' })
    await world.ledger.putMissed({ jobId, of: 'starts', from: T - 600, to: T - 10, count: 60, reason: 'why' })
    const { runs, missed } = await historyOf(world, jobId, { from: T - 60, to: T + 101, limit: 50 })
    expect(shown(runs)).toEqual([
      '100 QUEUED',
      '90 QUEUED',
      '80 SUCCEEDED',
      '70 SUCCEEDED',
      '60 SUCCEEDED',
      '50 SUCCEEDED',
      '45 LOST',
      '40 SUCCEEDED',
      '30 FAILED',
      '20 SUCCEEDED',
      '10 SUCCEEDED',
      '0 SUCCEEDED',
    ])
    expect(runs.find(({ second }) => second === T + 30)?.detail).toEqual({ reason: 'broken' })
    expect(missed).toHaveLength(1)
    const few = await historyOf(world, jobId, { from: T - 60, to: T + 101, limit: 3 })
    expect(shown(few.runs)).toEqual(['100 QUEUED', '90 QUEUED', '80 SUCCEEDED'])
  })

  test('is fed newest first, over all jobs, with the runs that no page shows', async () => {
    const world = await begin(make)
    const recent = { shard: world.shard, entry: outcome('SUCCEEDED'), trigger: 'MANUAL', reason: null } as const
    await world.ledger.putRecent({ ...recent, ms: (T + 85) * 1000, runId: `${jobId}.${T + 85}.m1` })
    const feed = await feedOf(world, world.shard, { until: T + 119, minutes: 5, limit: 4 })
    expect(shown(feed)).toEqual(['85 SUCCEEDED', '80 SUCCEEDED', '70 SUCCEEDED', '60 SUCCEEDED'])
    const all = await feedOf(world, world.shard, { until: T + 119, minutes: 5, limit: 100 })
    expect(all).toHaveLength(9)
  })

  test('is asked for its failures of a day', async () => {
    const world = await begin(make)
    const recent = { shard: world.shard, trigger: 'SCHEDULE', reason: 'broken' } as const
    for (const hours of [-30, -20, -1, 0]) {
      const second = T + hours * 3600
      await world.ledger.putRecent({
        ...recent,
        entry: outcome('FAILED'),
        ms: second * 1000,
        runId: `${jobId}.${second}`,
      })
    }
    await world.ledger.putRecent({ ...recent, entry: outcome('SUCCEEDED'), ms: T * 1000, runId: `${jobId}.${T}.m1` })
    const failures = await failuresOf(world, world.shard, T - 86_400, T + 60)
    expect(failures.map(({ second }) => (second - T) / 3600)).toEqual([0, -1, -20])
    expect(failures[0]).toMatchObject({ detail: { reason: 'broken' }, entry: { status: 'FAILED' } })
  })
})

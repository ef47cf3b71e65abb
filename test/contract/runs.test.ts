import { expect, test } from 'vitest'
import { hashOfId, shardOf } from '../../shared/core/job/id.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import type { JobVersion } from '../../shared/core/job/version.ts'
import type { OutcomeEntry } from '../../shared/core/pages/entry.ts'
import { pageKeyOfJob } from '../../shared/core/pages/page.ts'
import { ticketJobOf, writeRunMessage, writeTicketJob } from '../../shared/core/run/message.ts'
import type { MinuteItem } from '../../shared/core/shard.ts'
import { type AllRunsQuery, runsOfAll, runsOfChain } from '../../shared/flow/runs/all-runs.ts'
import { type RunsQuery, runsOfJob } from '../../shared/flow/runs/job-runs.ts'
import { type RunView, statusOfRun } from '../../shared/flow/runs/view.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { versionOf } from '../support/jobs.ts'
import { storedJob } from '../support/stored-job.ts'

/** The start of an hour, so that the hours of the test are whole. */
const T = Math.floor(1_790_000_000 / 3600) * 3600
const MINUTE = T / 60
const version: JobVersion = versionOf({ activeFrom: T, schedules: [{ every: 10 }] })
const job: StoredJob = { ...storedJob('historic', { schedules: [{ every: 10 }] }), versions: [version] }
const jobId = job.id
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
    sentThrough: T - 1,
    depths: part(depths, T + 60, T + 120),
    backlog: [],
  })
  const jobs = Object.assign(Object.create(null), {
    versions: async () => [version],
    readMany: async (ids: string[]) => ids.flatMap((id) => (id === jobId ? [job] : [])),
  })
  for (let second = T; second < T + 90; second += 10) {
    const depth = depths.get(second)
    if (depth === undefined) continue
    const page = pageKeyOfJob(shard, { jobId, second }, depth)
    const status = second === T + 30 ? 'FAILED' : 'SUCCEEDED'
    await world.ledger.swap(page, [{ id: jobId, expect: null, next: outcome(status) }])
  }
  return { ...world, jobs, shard, clock: { nowMs: () => (T + 119) * 1000 + 500 } }
}

const part = (depths: ReadonlyMap<number, number>, from: number, to: number) =>
  new Map([...depths].filter(([second]) => second >= from && second < to))

const shown = (runs: readonly RunView[]) =>
  runs.map((run) => `${run.id.second - T}${run.id.suffix} ${statusOfRun(run)}`)

const ALL: RunsQuery = { from: T - 60, to: T + 101, isWanted: () => true, limit: 50, after: null }
const OF_ALL: AllRunsQuery = {
  ...ALL,
  jobOf: (id) => (id === jobId ? job : null),
  statuses: null,
  triggers: null,
}

async function withOddRuns(world: Past): Promise<void> {
  const { ledger } = world
  const put = (second: number, suffix: string, status: OutcomeEntry['status'], trigger: 'MISFIRE' | 'MANUAL') =>
    ledger.putRun({ id: { jobId, second, suffix }, entry: outcome(status), detail: { trigger } }, `${second}`)
  await put(T + 40, '', 'SUCCEEDED', 'MISFIRE')
  await put(T + 45, 'm1', 'LOST', 'MANUAL')
  await ledger.putDetail({ jobId, second: T + 30 }, { reason: 'broken' })
  await ledger.putMissed({ jobId, of: 'starts', from: T - 600, to: T - 10, count: 60, reason: 'why' })
}

const EVERYTHING = [
  '100 QUEUED',
  '90 QUEUED',
  '80 SUCCEEDED',
  '70 SUCCEEDED',
  '60 SUCCEEDED',
  '50 SUCCEEDED',
  '45m1 LOST',
  '40 SUCCEEDED',
  '30 FAILED',
  '20 SUCCEEDED',
  '10 SUCCEEDED',
  '0 SUCCEEDED',
]

inEachBackend('what ran', (make) => {
  test('of a job is told from its instants: in pages of any depth, in gaps, failed, missed and not yet claimed', async () => {
    const world = await begin(make)
    await withOddRuns(world)
    const { items, missed, next, searchedTo } = await runsOfJob(world, job, ALL)
    expect(shown(items)).toEqual(EVERYTHING)
    expect(items.find(({ id }) => id.second === T + 30)?.detail).toEqual({ reason: 'broken' })
    expect(missed).toHaveLength(1)
    expect([next, searchedTo]).toEqual([null, T - 60])
  })

  test('of a job is told page by page, each run once', async () => {
    const world = await begin(make)
    await withOddRuns(world)
    const seen: string[] = []
    let after: RunsQuery['after'] = null
    do {
      const page = await runsOfJob(world, job, { ...ALL, limit: 5, after })
      seen.push(...shown(page.items))
      after = page.next
    } while (after !== null)
    expect(seen).toEqual(EVERYTHING)
  })

  test('of a job is filtered by what it came to and by what brought it', async () => {
    const world = await begin(make)
    await withOddRuns(world)
    const isFailed: RunsQuery['isWanted'] = (run) => statusOfRun(run) === 'FAILED'
    const isByHand: RunsQuery['isWanted'] = ({ trigger }) => trigger === 'MANUAL'
    expect(shown((await runsOfJob(world, job, { ...ALL, isWanted: isFailed })).items)).toEqual(['30 FAILED'])
    expect(shown((await runsOfJob(world, job, { ...ALL, isWanted: isByHand })).items)).toEqual(['45m1 LOST'])
  })

  test('of all jobs is told newest first, with the runs and gaps that no page shows', async () => {
    const world = await begin(make)
    await withOddRuns(world)
    const claimed = EVERYTHING.filter((line) => !line.includes('QUEUED'))
    const all = await runsOfAll(world, { ...OF_ALL, from: T - 3600 })
    expect(shown(all.items)).toEqual(claimed)
    expect(all.missed).toMatchObject([{ jobId, count: 60, job: { id: jobId } }])
    expect(all.next).toBeNull()
    const first = await runsOfAll(world, { ...OF_ALL, limit: 4 })
    expect(shown(first.items)).toEqual(claimed.slice(0, 4))
    expect(shown((await runsOfAll(world, { ...OF_ALL, after: first.next })).items)).toEqual(claimed.slice(4))
  })

  test('of all jobs shows none of a job that the asker may not see', async () => {
    const world = await begin(make)
    await withOddRuns(world)
    const { items, missed } = await runsOfAll(world, { ...OF_ALL, from: T - 3600, jobOf: () => null })
    expect([items, missed]).toEqual([[], []])
  })

  test('of all jobs is asked for its failures of a day', async () => {
    const world = await begin(make)
    await withOddRuns(world)
    for (const second of [T + 30, T + 40]) {
      await world.ledger.putRecent({
        shard: world.shard,
        trigger: 'SCHEDULE',
        reason: 'broken',
        entry: outcome('FAILED'),
        ms: second * 1000,
        runId: `${jobId}.${second}`,
      })
    }
    const isWanted: RunsQuery['isWanted'] = (run) => statusOfRun(run) === 'FAILED'
    const failures = await runsOfAll(world, { ...OF_ALL, from: T - 86_400, statuses: ['FAILED'], isWanted })
    // The line about :40 was written before its run was tried again and succeeded.
    expect(shown(failures.items)).toEqual(['30 FAILED'])
    expect(failures.items[0].detail).toEqual({ reason: 'broken' })
  })

  test('of all jobs is asked for what has not ended: what was just due, and what is in the list of open runs', async () => {
    const world = await begin(make)
    const id = { jobId, second: T - 7200, suffix: 'm1' }
    const runId = `${jobId}.${id.second}.m1`
    await world.ledger.putRun({ id, entry: { status: 'QUEUED', attempt: 1 }, detail: { trigger: 'MANUAL' } }, 'a')
    const ticket = writeTicketJob(ticketJobOf(job))
    const head = {
      shard: world.shard,
      runId,
      lane: 'fast',
      trigger: 'MANUAL',
      nominal: null,
      changesReadAtMs: 0,
    } as const
    const message = writeRunMessage(head, ticket)
    await world.open.put({ shard: world.shard, dueMs: T * 1000, runId, attempt: 1, times: 3, lane: 'fast', message })
    const page = pageKeyOfJob(world.shard, { jobId, second: T + 90 }, 0)
    const running = { status: 'RUNNING', attempt: 1, token: 'tokenAAA', deadlineSecond: T + 200 } as const
    await world.ledger.swap(page, [{ id: jobId, expect: null, next: running }])
    const statuses = ['QUEUED', 'RUNNING'] as const
    const isWanted: RunsQuery['isWanted'] = (run) => statuses.some((status) => status === statusOfRun(run))
    const open = await runsOfAll(world, { ...OF_ALL, from: 0, to: T + 200, statuses, isWanted })
    expect(shown(open.items)).toEqual(['90 RUNNING', '-7200m1 QUEUED'])
  })

  test('after a first run is told as its chain', async () => {
    const world = await begin(make)
    const root = `${jobId}.${T + 20}`
    const put = (suffix: string, of: string) =>
      world.ledger.putRun(
        { id: { jobId, second: T + 20, suffix }, entry: outcome('SUCCEEDED'), detail: { root: of } },
        suffix,
      )
    await put('d1', root)
    await put('r2', root)
    await put('d9', `${jobId}.${T + 30}`)
    const { items } = await runsOfChain(world, root, OF_ALL)
    expect(shown(items)).toEqual(['20 SUCCEEDED', '20d1 SUCCEEDED', '20r2 SUCCEEDED'])
  })
})

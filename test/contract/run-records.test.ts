import { expect, test } from 'vitest'
import { hashOfId, jobIdOf, shardOf } from '../../shared/core/job/id.ts'
import type { OutcomeEntry, PageEntry } from '../../shared/core/pages/entry.ts'
import type { OpenRun } from '../../shared/core/run/record.ts'
import { formatRunId } from '../../shared/core/run/run.ts'
import { inEachBackend, type World } from '../support/backends/backends.ts'

const T = 1_790_000_000
const ids = (count: number) => Array.from({ length: count }, (_, n) => jobIdOf('default', `job-${n}`))
const succeeded: OutcomeEntry = { status: 'SUCCEEDED', attempt: 2, startOffsetMs: 12, durationMs: 340 }

inEachBackend('the feed of runs that no page shows', (make) => {
  const [jobId] = ids(1)
  const shard = shardOf(hashOfId(jobId), 2)
  const hour = Math.floor(T / 3600)
  const queued: PageEntry = { status: 'QUEUED', attempt: 1 }
  const put = ({ ledger }: World, second: number, suffix: string) =>
    ledger.putRun({ id: { jobId, second, suffix }, entry: queued, detail: {} }, `${second}${suffix}`)

  test('has runs and gaps of an hour before a second, newest first', async () => {
    const world = await make(2)
    const first = hour * 3600
    await put(world, first, 'm1')
    await put(world, first + 20, 'm2')
    await put(world, first + 30, 'm3')
    await put(world, first + 3600, 'm4')
    const missed = { jobId, of: 'starts', from: first - 60, to: first + 10, count: 8, reason: 'why' } as const
    await world.ledger.putMissed(missed)
    expect(await world.ledger.feed(shard, hour, first + 30)).toEqual([
      { type: 'run', second: first + 20, runId: `${jobId}.${first + 20}.m2` },
      { type: 'missed', second: first + 10, missed },
      { type: 'run', second: first, runId: `${jobId}.${first}.m1` },
    ])
    expect(await world.ledger.feed(1 - shard, hour, first + 30)).toEqual([])
    expect(await world.ledger.feed(shard, hour + 1, first + 7200)).toHaveLength(1)
  })

  test('has a run once, however often it was put', async () => {
    const world = await make(2)
    await Promise.all([1, 2, 3].map(() => put(world.again(), T, 'm1')))
    expect(await world.ledger.feed(shard, hour, T + 1)).toHaveLength(1)
  })

  test('tells gaps of starts from gaps of stops, and counts one that is told twice once', async () => {
    const { ledger } = await make(2)
    const missed = { jobId, of: 'starts', from: T, to: T + 10, count: 2, reason: 'why' } as const
    await ledger.putMissed(missed)
    await ledger.putMissed(missed)
    await ledger.putMissed({ ...missed, of: 'stops and restarts', count: 1 })
    const lines = await ledger.feed(shard, Math.floor((T + 10) / 3600), T + 11)
    expect(lines.map((line) => line.type === 'missed' && line.missed.of).sort()).toEqual([
      'starts',
      'stops and restarts',
    ])
    expect(await ledger.missedOf(jobId, T, T + 1)).toHaveLength(2)
  })
})

inEachBackend('a run with an item of its own', (make) => {
  const [jobId] = ids(1)

  test('is put together with its open item, and where another was there first neither is put', async () => {
    const world = await make()
    const id = { jobId, second: T, suffix: 'm1' }
    const entry: PageEntry = { status: 'QUEUED', attempt: 1 }
    const open = (dueMs: number): OpenRun => {
      const runId = formatRunId(id)
      return { shard: 0, dueMs, runId, attempt: 1, times: 0, lane: 'fast', message: '{}', listedMs: dueMs }
    }
    expect(await world.ledger.putRun({ id, entry, detail: {}, open: open(T * 1000) }, 'a')).toBe(true)
    expect(await world.ledger.putRun({ id, entry, detail: {}, open: open(T * 1000 + 1) }, 'b')).toBe(false)
    expect((await world.ledger.readRun(id))?.entry).toEqual(entry)
    expect(await world.open.due(0, T * 1000 + 1, 10)).toEqual([open(T * 1000)])
  })
})

inEachBackend('the chain of a first run', (make) => {
  const [jobId, other] = ids(2)

  test('has every run that follows from it, and no other', async () => {
    const { ledger } = await make()
    const root = `${jobId}.${T}`
    const entry: PageEntry = { status: 'QUEUED', attempt: 1 }
    await ledger.putRun({ id: { jobId: other, second: T, suffix: 'd1' }, entry, detail: { root } }, 'a')
    await ledger.putRun({ id: { jobId, second: T + 5, suffix: 'r2' }, entry, detail: { root } }, 'b')
    await ledger.putRun({ id: { jobId, second: T + 6, suffix: 'm3' }, entry, detail: {} }, 'c')
    expect((await ledger.chainOf(root)).sort()).toEqual([`${jobId}.${T + 5}.r2`, `${other}.${T}.d1`].sort())
    expect(await ledger.chainOf(`${jobId}.${T + 5}.r2`)).toEqual([])
  })
})

inEachBackend('the details of runs on pages', (make) => {
  const [jobId, other] = ids(2)

  test('are read in the order asked, and are no runs of their own', async () => {
    const { ledger } = await make()
    await ledger.putDetail({ jobId, second: T }, { reason: 'first' })
    await ledger.putDetail({ jobId, second: T }, { executor: 'e' })
    await ledger.putDetail({ jobId: other, second: T }, { reason: 'other' })
    expect(
      await ledger.readDetails([
        { jobId: other, second: T },
        { jobId, second: T + 1 },
        { jobId, second: T },
      ]),
    ).toEqual([{ reason: 'other' }, null, { reason: 'first', executor: 'e' }])
    expect(await ledger.runsOf(jobId, 0, T + 10, 10)).toEqual([])
  })

  test('keep the first attempt and the newest nine', async () => {
    const { ledger } = await make()
    const line = (attempt: number) =>
      ({ attempt, status: 'FAILED', startedAtMs: T * 1000 + attempt, durationMs: 3, error: `no ${attempt}` }) as const
    for (let attempt = 1; attempt <= 13; attempt++) {
      await ledger.putDetail({ jobId, second: T }, { attempts: [line(attempt)] })
    }
    const [detail] = await ledger.readDetails([{ jobId, second: T }])
    expect(detail?.attempts).toEqual([1, 5, 6, 7, 8, 9, 10, 11, 12, 13].map(line))
  })

  test('of a run with an item of its own keep its attempts, its cause and its root', async () => {
    const { ledger } = await make()
    const id = { jobId, second: T, suffix: 'r1' }
    const cause = { retryOf: `${jobId}.${T - 5}`, run: null, operation: null, by: null }
    const queued: PageEntry = { status: 'QUEUED', attempt: 1 }
    const begun = { cause, root: `${jobId}.${T - 5}`, version: 7, trigger: 'MANUAL' } as const
    await ledger.putRun({ id, entry: queued, detail: begun }, 'a')
    const first = { attempt: 1, status: 'FAILED', startedAtMs: T * 1000, durationMs: 3, error: 'no' } as const
    await ledger.swapRun(id, queued, { status: 'QUEUED', attempt: 2 }, { attempts: [first] })
    const second = { ...first, attempt: 2, status: 'SUCCEEDED', error: null } as const
    await ledger.swapRun(id, { status: 'QUEUED', attempt: 2 }, succeeded, { attempts: [second] })
    expect((await ledger.readRun(id))?.detail).toEqual({ ...begun, attempts: [first, second] })
    const known = await ledger.readRuns([{ ...id, suffix: 'r9' }, id])
    expect(known.map((run) => run.id)).toEqual([id])
  })
})

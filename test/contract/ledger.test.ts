import { expect, test } from 'vitest'
import { jobIdOf } from '../../shared/core/job/id.ts'
import type { ClaimEntry, OutcomeEntry, PageEntry } from '../../shared/core/pages/entry.ts'
import type { PageKey } from '../../shared/core/run/record.ts'
import type { Swap } from '../../shared/ports.ts'
import { inEachBackend, type World } from '../support/backends/backends.ts'

const T = 1_790_000_000
const page: PageKey = { shard: 0, second: T, depth: 0, page: 0 }
const ids = (count: number, prefix = 'job') =>
  Array.from({ length: count }, (_, n) => jobIdOf('default', `${prefix}-${n}`))

const claim = (token: string, attempt = 1): ClaimEntry => ({
  status: 'RUNNING',
  attempt,
  token,
  deadlineSecond: T + 75,
})
const succeeded: OutcomeEntry = { status: 'SUCCEEDED', attempt: 1, startOffsetMs: 12, durationMs: 340 }
const claims = (jobIds: readonly string[], token: string): Swap[] =>
  jobIds.map((id) => ({ id, expect: null, next: claim(token) }))
const settles = (jobIds: readonly string[], token: string, next: PageEntry = succeeded): Swap[] =>
  jobIds.map((id) => ({ id, expect: claim(token), next }))

const entriesOf = async ({ ledger }: World, key = page) => (await ledger.readPages([key]))[0].entries
const wonBy = (results: Map<string, { done: boolean }>) => [...results].filter(([, { done }]) => done).map(([id]) => id)

inEachBackend('a page', (make) => {
  test('is claimed whole and settled whole', async () => {
    const world = await make()
    const jobs = ids(24)
    expect(wonBy(await world.ledger.swap(page, claims(jobs, 'tokenAAA')))).toEqual(jobs)
    expect(await entriesOf(world)).toEqual(new Map(jobs.map((id) => [id, claim('tokenAAA')])))
    expect(wonBy(await world.ledger.swap(page, settles(jobs, 'tokenAAA')))).toEqual(jobs)
    expect(await entriesOf(world)).toEqual(new Map(jobs.map((id) => [id, succeeded])))
  })

  test('gives a second claimer what the first left, and says who has the rest', async () => {
    const { ledger } = await make()
    const jobs = ids(10)
    await ledger.swap(page, claims(jobs.slice(0, 4), 'tokenAAA'))
    const results = await ledger.swap(page, claims(jobs, 'tokenBBB'))
    expect(wonBy(results)).toEqual(jobs.slice(4))
    expect(results.get(jobs[0])).toEqual({ done: false, found: claim('tokenAAA') })
  })

  test('is settled only by the token that claimed, each entry for itself', async () => {
    const world = await make()
    const [mine, taken] = ids(2)
    await world.ledger.swap(page, claims([mine, taken], 'tokenAAA'))
    const takeOver = { id: taken, expect: claim('tokenAAA'), next: claim('tokenBBB', 2) }
    expect(wonBy(await world.ledger.swap(page, [takeOver]))).toEqual([taken])
    const results = await world.ledger.swap(page, settles([mine, taken], 'tokenAAA'))
    expect(results.get(mine)).toEqual({ done: true })
    expect(results.get(taken)).toEqual({ done: false, found: claim('tokenBBB', 2) })
    expect((await entriesOf(world)).get(taken)).toEqual(claim('tokenBBB', 2))
  })

  test('lets one of many take over a dead claim', async () => {
    const world = await make()
    const [id] = ids(1)
    await world.ledger.swap(page, claims([id], 'tokenAAA'))
    const rivals = Array.from({ length: 8 }, (_, n) => `rival--${n}`)
    const results = await Promise.all(
      rivals.map((token) =>
        world.again().ledger.swap(page, [{ id, expect: claim('tokenAAA'), next: claim(token, 2) }]),
      ),
    )
    expect(results.filter((result) => result.get(id)?.done)).toHaveLength(1)
  })

  test('keeps what waits and what is to be tried again, and each is claimed anew from just that', async () => {
    const { ledger } = await make()
    const [id] = ids(1)
    await ledger.swap(page, claims([id], 'tokenAAA'))
    const queued: PageEntry = { status: 'QUEUED', attempt: 2 }
    await ledger.swap(page, settles([id], 'tokenAAA', queued))
    const wrong = await ledger.swap(page, [
      { id, expect: { status: 'WAITING', attempt: 2 }, next: claim('tokenBBB', 2) },
    ])
    expect(wrong.get(id)).toEqual({ done: false, found: queued })
    const right = await ledger.swap(page, [{ id, expect: queued, next: claim('tokenBBB', 2) }])
    expect(right.get(id)).toEqual({ done: true })
  })

  test('marks what is missed, so that a message on its way finds the entry taken', async () => {
    const { ledger } = await make()
    const [id] = ids(1)
    const missed: PageEntry = { status: 'MISSED', attempt: 1, startOffsetMs: 0, durationMs: 0 }
    await ledger.swap(page, [{ id, expect: null, next: missed }])
    expect((await ledger.swap(page, claims([id], 'tokenAAA'))).get(id)).toEqual({ done: false, found: missed })
  })

  test('of more entries than one write can name is claimed in several', async () => {
    const world = await make()
    const jobs = ids(150)
    expect(wonBy(await world.ledger.swap(page, claims(jobs, 'tokenAAA')))).toHaveLength(150)
    expect((await entriesOf(world)).size).toBe(150)
  })

  test('that no executor wrote is empty', async () => {
    const { ledger } = await make()
    expect(await ledger.readPages([page])).toEqual([{ key: page, entries: new Map() }])
  })

  test('is found by its minute, at whatever depth', async () => {
    // More reads at once than the SDK's budget of retries bears to lose.
    const { ledger } = await make(1, { losesEvery: 2 })
    const [a, b, c] = ids(3)
    const deep: PageKey = { shard: 0, second: T + 1, depth: 8, page: 200 }
    const shallow: PageKey = { shard: 0, second: T + 2, depth: 1, page: 1 }
    await ledger.swap(page, claims([a], 'tokenAAA'))
    await ledger.swap(deep, claims([b], 'tokenAAA'))
    await ledger.swap(shallow, claims([c], 'tokenAAA'))
    const depths = new Map([page, deep, shallow].map(({ second, depth }) => [second, depth]))
    const found = await ledger.pagesOfMinute(0, Math.floor(T / 60), depths)
    expect(found.map(({ key }) => key)).toEqual([shallow, deep, page])
    expect(found.map(({ entries }) => [...entries.keys()])).toEqual([[c], [b], [a]])
  })
})

// The names are those of the tests that the store-driven scheduler was asked for with.
inEachBackend('claims', (make) => {
  test('schedule claim atomicity: of 10 workers that claim one due run, 1 wins and 9 get nothing', async () => {
    const world = await make()
    const [id] = ids(1)
    const workers = Array.from({ length: 10 }, (_, n) => ({ token: `worker-${n}`, own: world.again() }))
    const results = await Promise.all(workers.map(({ token, own }) => own.ledger.swap(page, claims([id], token))))
    const winners = workers.filter((_, n) => results[n].get(id)?.done)
    expect(winners).toHaveLength(1)
    expect((await entriesOf(world)).get(id)).toEqual(claim(winners[0].token))
  })

  test('multi-worker schedule claiming: 5 workers share a page, and every run has one owner', async () => {
    const world = await make()
    const jobs = ids(24)
    const tokens = Array.from({ length: 5 }, (_, n) => `worker-${n}`)
    const results = await Promise.all(tokens.map((token) => world.again().ledger.swap(page, claims(jobs, token))))
    const owned = results.flatMap(wonBy)
    expect(owned.sort()).toEqual([...jobs].sort())
  })

  test('idempotency key consistency: many who trigger with one key make one run', async () => {
    const world = await make()
    const [jobId] = ids(1)
    const callers = Array.from({ length: 5 }, (_, n) => n)
    const answers = await Promise.all(
      callers.map(async (n) => {
        const own = world.again()
        const wanted = { bodyHash: '', plan: `${jobId}.${T + n}.mhash`, pendingUntilMs: T * 1000 + 35_000 }
        const there = await own.idempotency.reserve('hash-of-the-key', wanted, T * 1000)
        const runId = there?.plan ?? wanted.plan
        const id = { jobId, second: Number(runId.split('.')[1]), suffix: 'mhash' }
        const isMine = await own.ledger.putRun({ id, entry: { status: 'QUEUED', attempt: 1 }, detail: {} }, `${n}`)
        return { runId, isMine }
      }),
    )
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1)
    expect(answers.filter(({ isMine }) => isMine)).toHaveLength(1)
    expect(await world.ledger.runsOf(jobId, T - 10, T + 10, 10)).toHaveLength(1)
  })
})

inEachBackend('a run with an item of its own', (make) => {
  const [jobId] = ids(1)
  const id = { jobId, second: T, suffix: 'mkey' }
  const queued: PageEntry = { status: 'QUEUED', attempt: 1 }

  test('is put once, claimed, and settled with its detail', async () => {
    const { ledger } = await make()
    const detail = { trigger: 'MANUAL', payload: { a: 1 }, queuedAtMs: T * 1000 } as const
    expect(await ledger.putRun({ id, entry: queued, detail }, 'one')).toBe(true)
    expect(await ledger.putRun({ id, entry: queued, detail: {} }, 'two')).toBe(false)
    expect(await ledger.swapRun(id, queued, claim('tokenAAA'), { claimedAtMs: T * 1000 + 5 })).toEqual({ done: true })
    const stale = await ledger.swapRun(id, queued, claim('tokenBBB'), {})
    expect(stale).toEqual({ done: false, found: claim('tokenAAA') })
    const error = { name: 'Error', message: 'no', stack: 'at' }
    const log = [
      { atMs: T * 1000, line: 'a' },
      { atMs: T * 1000 + 1, line: 'b' },
    ]
    const failed: PageEntry = { ...succeeded, status: 'FAILED' }
    expect(await ledger.swapRun(id, claim('tokenAAA'), failed, { error, log })).toEqual({ done: true })
    expect(await ledger.readRun(id)).toEqual({
      id,
      entry: failed,
      detail: { ...detail, claimedAtMs: T * 1000 + 5, error, log },
    })
  })

  test('that is not there is neither read nor claimed', async () => {
    const { ledger } = await make()
    expect(await ledger.readRun(id)).toBeNull()
    expect(await ledger.swapRun(id, queued, claim('tokenAAA'), {})).toEqual({ done: false, found: null })
  })

  test('is listed with the others of its job, newest first, without details of pages and counts of what was missed', async () => {
    const { ledger } = await make()
    for (const second of [T, T + 5, T + 7, T + 9]) {
      await ledger.putRun({ id: { jobId, second, suffix: '' }, entry: queued, detail: {} }, `${second}`)
    }
    await ledger.putDetail({ jobId, second: T + 8 }, { reason: 'late' })
    await ledger.putMissed({ jobId, of: 'starts', from: T + 6, to: T + 8, count: 3, reason: 'why' })
    const seconds = async (from: number, to: number, limit: number) =>
      (await ledger.runsOf(jobId, from, to, limit)).map((run) => run.id.second)
    expect(await seconds(T, T + 9, 10)).toEqual([T + 7, T + 5, T])
    expect(await seconds(T, T + 10, 2)).toEqual([T + 9, T + 7])
  })
})

inEachBackend('the ledger', (make) => {
  const [jobId, other] = ids(2)

  test('counts what was missed, once, and finds it for any part of its time', async () => {
    const { ledger } = await make()
    const missed = { jobId, of: 'starts', from: T, to: T + 100, count: 11, reason: 'why' } as const
    const stops = { ...missed, of: 'stops and restarts', count: 1 } as const
    await ledger.putMissed(missed)
    await ledger.putMissed(missed)
    await ledger.putMissed(stops)
    const found = await ledger.missedOf(jobId, T + 50, T + 60)
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining([missed, stops]))
    expect(await ledger.missedOf(jobId, T + 101, T + 200)).toEqual([])
    expect(await ledger.missedOf(other, T, T + 200)).toEqual([])
  })

  test('has a feed by the hour, failures apart', async () => {
    const { ledger } = await make()
    const run = (second: number, status: 'SUCCEEDED' | 'FAILED' | 'LOST') =>
      ({
        shard: 0,
        ms: second * 1000,
        runId: `${jobId}.${second}.m1`,
        entry: { ...succeeded, status },
        trigger: 'MANUAL',
        reason: status === 'SUCCEEDED' ? null : 'broken',
      }) as const
    for (const each of [run(T, 'SUCCEEDED'), run(T + 1, 'FAILED'), run(T + 2, 'LOST'), run(T + 3, 'SUCCEEDED')]) {
      await ledger.putRecent(each)
    }
    const hour = Math.floor(T / 3600)
    expect(await ledger.recent(0, hour, 'other')).toEqual([run(T + 3, 'SUCCEEDED'), run(T, 'SUCCEEDED')])
    expect(await ledger.recent(0, hour, 'failed')).toEqual([run(T + 2, 'LOST'), run(T + 1, 'FAILED')])
    expect(await ledger.recent(0, hour - 1, 'failed')).toEqual([])
    expect(await ledger.recent(1, hour, 'failed')).toEqual([])
  })
})

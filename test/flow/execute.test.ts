import { describe, expect, test } from 'vitest'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { range } from '../support/job-body.ts'
import { recordedSchedulersOfThisFile } from '../support/recorded-schedulers.ts'
import { RecordingHandlers } from '../support/recording-handlers.ts'
import { inOrderOfStart, mostAtOnce } from '../support/sweep.ts'
import { START } from '../support/test-scheduler.ts'

const { begin, save, statuses, detailOf, firstOf, idOf } = recordedSchedulersOfThisFile()

describe('block strategies, with eight executors at once', () => {
  test('SERIAL: one at a time, in order, and nothing is dropped', async () => {
    const recorded = await begin({ executors: 8 })
    const job = await save(recorded, 'serial', 'take', { payload: { ms: 2300 }, timeout: 30 })
    await recorded.scheduler.run(20)
    const spans = recorded.recording.of(job.id)
    expect(mostAtOnce(spans)).toBe(1)
    expect(inOrderOfStart(spans)).toEqual(range(START + firstOf(job), START + firstOf(job) + spans.length - 1))
    expect(spans.length).toBeGreaterThanOrEqual(6)
    const known = await statuses(recorded, job, 20)
    expect([...known.values()].filter((status) => status === 'WAITING').length).toBe(known.size - spans.length)
  })

  test('DISCARD: what comes while one runs ends at once and names it', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'discard', 'take', {
      payload: { ms: 2300 },
      timeout: 30,
      block: { strategy: 'DISCARD' },
    })
    await recorded.scheduler.run(16)
    const first = firstOf(job)
    const known = await statuses(recorded, job, 15)
    expect([...known].slice(0, 6).map(([, status]) => status)).toEqual([
      'SUCCEEDED',
      'DISCARDED',
      'DISCARDED',
      'SUCCEEDED',
      'DISCARDED',
      'DISCARDED',
    ])
    expect((await detailOf(recorded, job, first + 1))?.reason).toBe(`${idOf(job, first)} is running`)
    expect(mostAtOnce(recorded.recording.of(job.id))).toBe(1)
  })

  test('COVER: the newest runs, the older one is told within two seconds and what it says late is not taken', async () => {
    const recorded = await begin()
    const schedules = [{ every: 5 }]
    const job = await save(recorded, 'cover', 'take', {
      schedules,
      payload: { ms: 30_000 },
      timeout: 60,
      block: { strategy: 'COVER' },
    })
    await recorded.scheduler.run(23)
    const known = await statuses(recorded, job, 20)
    expect([...known]).toEqual([
      [5, 'CANCELLED'],
      [10, 'CANCELLED'],
      [15, 'CANCELLED'],
      [20, 'RUNNING'],
    ])
    for (const [place, { runId, atMs }] of recorded.recording.aborted.entries()) {
      expect(runId).toBe(idOf(job, 5 + 5 * place))
      expect(atMs - (START + 10 + 5 * place) * 1000).toBeLessThanOrEqual(2000)
    }
    expect(recorded.recording.aborted).toHaveLength(3)
    expect((await detailOf(recorded, job, 5))?.reason).toContain('covers it')
  })

  test('CONCURRENT: as many as its max at once, the others wait and none is dropped', async () => {
    const recorded = await begin()
    const block = { strategy: 'CONCURRENT', max: 3 }
    const job = await save(recorded, 'concurrent', 'take', { payload: { ms: 3900 }, timeout: 30, block })
    await recorded.scheduler.run(24)
    expect(mostAtOnce(recorded.recording.of(job.id))).toBe(3)
    const known = await statuses(recorded, job, 24)
    expect([...known.values()].every((status) => ['SUCCEEDED', 'RUNNING', 'WAITING'].includes(status))).toBe(true)
    expect([...known.values()].filter((status) => status === 'SUCCEEDED').length).toBeGreaterThanOrEqual(12)
  })

  test('every one of many runs of a page keeps to its own job', async () => {
    const recorded = await begin({ executors: 20 })
    const jobs: StoredJob[] = []
    for (const n of range(1, 30))
      jobs.push(await save(recorded, `job-${n}`, 'take', { payload: { ms: 1500 }, timeout: 9 }))
    await recorded.scheduler.run(40)
    for (const job of jobs) {
      const spans = recorded.recording.of(job.id)
      expect(mostAtOnce(spans)).toBe(1)
      expect(spans.length).toBeGreaterThanOrEqual(20)
      const order = inOrderOfStart(spans)
      expect(order).toEqual([...order].sort((a, b) => a - b))
    }
  })
})

describe('runs of one page', () => {
  test('harm no other, whatever one of them does', async () => {
    const recorded = await begin({
      handlers: (scheduler) => ({
        ...new RecordingHandlers().handlers(scheduler),
        throws: () => {
          throw new Error('at once')
        },
        nothing: () => Promise.reject(undefined),
        odd: () =>
          Promise.reject({
            get message() {
              throw new Error('no')
            },
            toJSON() {
              throw new Error('never')
            },
          }),
        circular: () => {
          const loop: Record<string, unknown> = {}
          loop.self = loop
          return loop
        },
        big: () => 10n,
        thenable: () => ({
          get then() {
            throw new Error('then')
          },
        }),
      }),
    })
    const schedules = [{ every: 10 }]
    const names = ['throws', 'nothing', 'odd', 'circular', 'big', 'thenable', 'hang', 'missing', 'echo']
    const jobs = new Map<string, StoredJob>()
    for (const name of names) {
      jobs.set(name, await save(recorded, name, name, { schedules, timeout: 5, history: { keepDetail: true } }))
    }
    await recorded.scheduler.run(18)
    const of = async (name: string) => {
      const job = jobs.get(name) as StoredJob
      return { status: (await statuses(recorded, job, 10)).get(10), detail: await detailOf(recorded, job, 10) }
    }
    expect(await of('throws')).toMatchObject({ status: 'FAILED', detail: { error: { message: 'at once' } } })
    expect(await of('nothing')).toMatchObject({ status: 'FAILED', detail: { reason: 'it threw nothing' } })
    expect((await of('odd')).status).toBe('FAILED')
    expect(await of('circular')).toMatchObject({ status: 'SUCCEEDED' })
    expect((await of('circular')).detail?.reason).toContain('JSON cannot hold it')
    expect((await of('big')).detail?.reason).toContain('JSON cannot hold it')
    expect((await of('thenable')).status).toBe('FAILED')
    expect(await of('hang')).toMatchObject({ status: 'TIMED_OUT', detail: { reason: 'it took longer than 5 s' } })
    expect((await of('missing')).detail?.reason).toContain('there is no handler missing in this executor')
    expect(await of('echo')).toMatchObject({ status: 'SUCCEEDED', detail: { output: null } })
    const page = await recorded.scheduler.entryOf((jobs.get('echo') as StoredJob).id, START + 10)
    expect(page).toMatchObject({ durationMs: 0, startOffsetMs: 0 })
  })

  test('that end early are settled a quarter of a second after the first, without waiting for the slow ones', async () => {
    const recorded = await begin()
    const schedules = [{ every: 10 }]
    const quick = await save(recorded, 'quick', 'take', { schedules })
    const slow = await save(recorded, 'slow', 'take', { schedules, payload: { ms: 4000 }, timeout: 9 })
    await recorded.scheduler.time.run((START + 10) * 1000 + 260)
    expect((await recorded.scheduler.entryOf(quick.id, START + 10))?.status).toBe('SUCCEEDED')
    expect((await recorded.scheduler.entryOf(slow.id, START + 10))?.status).toBe('RUNNING')
    await recorded.scheduler.run(15)
    expect(await recorded.scheduler.entryOf(slow.id, START + 10)).toMatchObject({
      status: 'SUCCEEDED',
      durationMs: 4000,
    })
  })
})

describe('time-outs', () => {
  test('end a handler that ignores its signal, and what it returns later is not taken', async () => {
    const recorded = await begin()
    const schedules = [{ every: 100 }]
    const job = await save(recorded, 'deaf', 'ignore', { schedules, payload: { ms: 20_000 }, timeout: 5 })
    await recorded.scheduler.run(104)
    expect((await recorded.scheduler.entryOf(job.id, START + 100))?.status).toBe('RUNNING')
    await recorded.scheduler.run(130)
    expect(await recorded.scheduler.entryOf(job.id, START + 100)).toMatchObject({
      status: 'TIMED_OUT',
      durationMs: 5000,
    })
    expect(recorded.recording.aborted).toHaveLength(1)
    expect(recorded.recording.of(job.id)[0].endMs).toBe((START + 120) * 1000)
  })
})

describe('retries', () => {
  const schedules = [{ every: 1000 }]

  test('come after their backoff, as the attempts they are, and end as promised', async () => {
    const recorded = await begin()
    const retry = { attempts: 2, delay: 8, maxDelay: 30 }
    const job = await save(recorded, 'flaky', 'flaky', { schedules, payload: { times: 2 }, retry, timeout: 5 })
    await recorded.scheduler.run(1060)
    const starts = recorded.scheduler.sent.filter(({ name }) => name === 'flaky')
    expect(starts.map(({ attempt, atMs }) => [attempt, atMs / 1000 - START])).toEqual([
      [1, 1000],
      [2, 1006],
      [3, 1018],
    ])
    expect(await recorded.scheduler.entryOf(job.id, START + 1000)).toMatchObject({ status: 'SUCCEEDED', attempt: 3 })
    expect(await recorded.scheduler.world.open.due(0, 9e12, 100)).toEqual([])
    expect(await recorded.scheduler.world.locks.read(job.id)).toEqual({ holders: [], waiting: [] })
  })

  test('that are spent leave the run failed, with its last error', async () => {
    const recorded = await begin()
    const retry = { attempts: 1, delay: 4, maxDelay: 30 }
    const job = await save(recorded, 'flaky', 'flaky', { schedules, payload: { times: 9 }, retry, timeout: 5 })
    await recorded.scheduler.run(1060)
    expect(await recorded.scheduler.entryOf(job.id, START + 1000)).toMatchObject({ status: 'FAILED', attempt: 2 })
    expect((await detailOf(recorded, job, 1000))?.error?.message).toBe('attempt 2')
    expect(await recorded.scheduler.world.open.due(0, 9e12, 100)).toEqual([])
  })

  test('longer than a queue can hold back are kept among the open runs', async () => {
    const recorded = await begin()
    const retry = { attempts: 1, delay: 3000, maxDelay: 3000 }
    await save(recorded, 'patient', 'flaky', { schedules: [{ every: 10_000 }], retry, timeout: 5 })
    await save(recorded, 'ticks', 'take', { schedules: [{ every: 60 }], timeout: 5 })
    const skip = 10_000 - 60
    await recorded.scheduler.run(5)
    recorded.scheduler.time.skip(skip - 5)
    await recorded.scheduler.run(13_000)
    const starts = recorded.scheduler.sent
      .filter(({ name }) => name === 'patient')
      .map(({ atMs }) => atMs / 1000 - START)
    expect(starts).toHaveLength(2)
    expect(starts[0]).toBe(10_000)
    expect(starts[1]).toBeGreaterThanOrEqual(12_250)
    expect(starts[1]).toBeLessThan(12_320)
  })

  test('hold the lock through their backoff', async () => {
    const recorded = await begin()
    const retry = { attempts: 1, delay: 10, maxDelay: 10 }
    const job = await save(recorded, 'flaky', 'flaky', { schedules: [{ every: 3 }], retry, timeout: 5 })
    await recorded.scheduler.run(20)
    const starts = recorded.scheduler.sent.filter(({ name }) => name === 'flaky')
    expect(starts.slice(0, 3).map(({ second, attempt }) => [second - START, attempt])).toEqual([
      [firstDue(job), 1],
      [firstDue(job), 2],
      [firstDue(job) + 3, 1],
    ])
  })

  const firstDue = (job: StoredJob) => Math.ceil((firstOf(job) + START) / 3) * 3 - START
})

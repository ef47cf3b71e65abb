// The life of runs on real engines in real time: what can be seen within seconds. Whatever takes longer, or must happen at
// one exact moment, is in test/flow with a clock that the test drives.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import type { HandlerRun } from '../../shared/core/handlers.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { parseRunId } from '../../shared/core/run/run.ts'
import { isTerminal } from '../../shared/core/run/status.ts'
import type { RunView } from '../../shared/flow/runs/view.ts'
import { asking, body, range } from '../support/job-body.ts'
import { beginStack, eventually, pause, type RealStack, untilSecond } from '../support/real-stack.ts'
import { allRunsOf } from '../support/runs.ts'
import { saveBody } from '../support/save.ts'
import { inOrderOfStart, mostAtOnce, type Span } from '../support/sweep.ts'

/** Everything that handlers began and ended, by job. */
class Theatre {
  readonly spans: (Span & { readonly name: string })[] = []
  readonly aborted = new Map<string, number>()

  begin(run: HandlerRun) {
    const { second } = parseRunId(run.id)
    const span = { name: run.job.name, runId: run.id, second, startMs: Date.now(), endMs: null as number | null }
    this.spans.push(span)
    run.signal.addEventListener('abort', () => this.aborted.set(run.id, Date.now()))
    return span
  }

  readonly handlers = {
    take: async (run: HandlerRun) => {
      const span = this.begin(run)
      await Promise.race([
        pause(Number(Object(run.payload).ms ?? 0)),
        new Promise((resolve) => run.signal.addEventListener('abort', resolve)),
      ])
      span.endMs = Date.now()
    },
    deaf: async (run: HandlerRun) => {
      const span = this.begin(run)
      await pause(Number(Object(run.payload).ms))
      span.endMs = Date.now()
    },
    flaky: (run: HandlerRun) => {
      this.begin(run).endMs = Date.now()
      if (run.attempt <= Number(Object(run.payload).times)) throw new Error(`attempt ${run.attempt}`)
    },
    nothing: () => Promise.reject(undefined),
  }

  of(job: StoredJob): Span[] {
    return this.spans.filter(({ runId }) => runId.startsWith(job.id))
  }
}

const runsOf = async ({ stack }: RealStack, job: StoredJob): Promise<RunView[]> => {
  const now = Math.floor(Date.now() / 1000)
  return (await allRunsOf(stack.world, job, now - 300, now)).reverse()
}

const statusesOf = async (real: RealStack, job: StoredJob): Promise<(string | undefined)[]> =>
  (await runsOf(real, job)).map(({ entry }) => entry?.status)

describe
  .skipIf(whyNoDynoxide() !== null)
  .concurrent('on the real engines, with eight executors, for eighteen seconds', () => {
    const theatre = new Theatre()
    const jobs = new Map<string, StoredJob>()
    const finished: (() => unknown)[] = []
    let real: RealStack
    let from = 0

    const job = (name: string): StoredJob => jobs.get(name) as StoredJob

    beforeAll(async () => {
      const context = { onTestFinished: (stop: () => unknown) => finished.push(stop) }
      real = await beginStack(context as never, { executors: 8, handlers: theatre.handlers })
      const save = async (name: string, handler: string, part: object) => {
        const saved = await saveBody(
          real.stack.world,
          body(name, { target: { type: 'handler', handler }, ...part }),
          asking,
        )
        jobs.set(name, saved.job)
      }
      const long = { payload: { ms: 2300 }, timeout: 20 }
      await save('serial', 'take', long)
      await save('discard', 'take', { ...long, block: { strategy: 'DISCARD' } })
      await save('cover', 'take', {
        ...long,
        schedules: [{ every: 2 }],
        payload: { ms: 9000 },
        block: { strategy: 'COVER' },
      })
      await save('concurrent', 'take', { ...long, payload: { ms: 3900 }, block: { strategy: 'CONCURRENT', max: 3 } })
      await save('long', 'take', { payload: { ms: 600 }, timeout: 5, block: { strategy: 'CONCURRENT', max: 5 } })
      await save('deaf', 'deaf', { schedules: [{ every: 6 }], payload: { ms: 4000 }, timeout: 1 })
      await save('flaky', 'flaky', {
        schedules: [{ every: 86_400, anchor: new Date((Math.floor(Date.now() / 1000) + 5) * 1000).toISOString() }],
        payload: { times: 1 },
        retry: { attempts: 2, delay: 2, maxDelay: 2 },
        then: [{ on: 'success', job: 'default/follows' }],
      })
      await save('follows', 'take', { schedules: [{ every: 86_400 }] })
      await save('nothing', 'nothing', { schedules: [{ every: 4 }], timeout: 2 })
      from = job('serial').versions[0].activeFrom
      await untilSecond(from + 18)
    }, 60_000)

    afterAll(async () => {
      for (const stop of finished) await stop()
    })

    test('SERIAL runs never overlap, start in order, and none is dropped', async () => {
      const spans = theatre.of(job('serial'))
      expect(mostAtOnce(spans)).toBe(1)
      expect(spans.length).toBeGreaterThanOrEqual(5)
      expect(inOrderOfStart(spans)).toEqual(range(from, from + spans.length - 1))
      const allowed = new Set(['SUCCEEDED', 'RUNNING', 'WAITING', undefined])
      expect((await statusesOf(real, job('serial'))).filter((status) => !allowed.has(status))).toEqual([])
    })

    test('DISCARD runs never overlap, and each that was discarded names one that ran then', async () => {
      const spans = theatre.of(job('discard'))
      expect(mostAtOnce(spans)).toBe(1)
      const discarded = (await runsOf(real, job('discard'))).filter(({ entry }) => entry?.status === 'DISCARDED')
      expect(discarded.length).toBeGreaterThanOrEqual(8)
      for (const {
        detail,
        id: { second },
      } of discarded) {
        const blocker = spans.find(({ runId }) => detail.reason === `${runId} is running`)
        expect(blocker, detail.reason).toBeDefined()
        expect(blocker?.startMs).toBeLessThanOrEqual((second + 2) * 1000)
      }
    })

    test('COVER tells the older run within two seconds, and records it as cancelled', async () => {
      const spans = theatre.of(job('cover'))
      expect(spans.length).toBeGreaterThanOrEqual(7)
      const statuses = await statusesOf(real, job('cover'))
      expect(new Set(statuses.slice(0, spans.length - 2))).toEqual(new Set(['CANCELLED']))
      for (const [place, { runId }] of spans.slice(0, -2).entries()) {
        expect((theatre.aborted.get(runId) ?? 0) - spans[place + 1].startMs).toBeLessThanOrEqual(2000)
      }
    })

    test('CONCURRENT runs are never more than their max at once, and reach it', () => {
      expect(mostAtOnce(theatre.of(job('concurrent')))).toBe(3)
    })

    test('a handler that ignores its signal has timed out all the same', async () => {
      const runs = (await runsOf(real, job('deaf'))).filter(({ entry }) => entry !== null && isTerminal(entry.status))
      expect(runs.length).toBeGreaterThanOrEqual(2)
      for (const { entry } of runs) expect(entry).toMatchObject({ status: 'TIMED_OUT' })
      expect(theatre.aborted.has(runs[0].runId)).toBe(true)
    })

    test('a run that failed is tried again after its backoff, and what follows it runs once', async () => {
      const [run] = (await runsOf(real, job('flaky'))).filter(({ entry }) => entry !== null)
      expect(run.entry).toMatchObject({ status: 'SUCCEEDED', attempt: 2 })
      const [first, second] = theatre.of(job('flaky'))
      expect(second.startMs - first.startMs).toBeGreaterThanOrEqual(1000)
      expect(theatre.of(job('follows'))).toHaveLength(1)
    })

    test('a handler that rejects with nothing fails alone', async () => {
      const runs = (await runsOf(real, job('nothing'))).filter(({ entry }) => entry !== null)
      expect(new Set(runs.map(({ entry }) => entry?.status))).toEqual(new Set(['FAILED']))
      expect(runs[0].detail.reason).toBe('it threw nothing')
    })

    test('a job whose runs are long is on the slow lane after eleven of them', async () => {
      const { states } = real.stack.world
      await eventually(async () => (await states.read(job('long').id)).lane.slowThroughMinute > 0, 10_000)
      expect((await states.read(job('long').id)).lane.longRuns).toBeGreaterThan(10)
    })

    test('nothing started twice, nothing early, and nothing went wrong', () => {
      const attempts = real.started.map(({ runId, attempt }) => `${runId} ${attempt}`)
      expect(new Set(attempts).size).toBe(attempts.length)
      expect(real.started.filter(({ atMs, second }) => atMs < second * 1000)).toEqual([])
      expect(real.errors).toEqual([])
      expect(real.lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
    })
  })

describe.skipIf(whyNoDynoxide() !== null).concurrent('on the real engines, when executors are killed', () => {
  test('in the middle of a page and of a run, what they had comes back or is recorded as lost', async (context) => {
    const theatre = new Theatre()
    const real = await beginStack(context, { handlers: theatre.handlers })
    const save = async (name: string, part: object) =>
      (await saveBody(real.stack.world, body(name, { target: { type: 'handler', handler: 'take' }, ...part }), asking))
        .job
    const due = Math.floor(Date.now() / 1000) + 5
    const schedules = [{ every: 86_400, anchor: new Date(due * 1000).toISOString() }]
    const retry = { attempts: 1, delay: 1, maxDelay: 1 }
    const short = { schedules, timeout: 2, payload: { ms: 1000 } }
    const tried = await Promise.all(range(1, 6).map((n) => save(`tried-${n}`, { ...short, retry })))
    const once = await save('once', short)
    const slow = await save('slow', { schedules, timeout: 100, payload: { ms: 3000 }, retry })
    await save('wakes', { schedules: [{ every: 30 }] })
    await eventually(() => theatre.spans.length >= 8, 15_000)
    real.stack.rig.executors.fast.kill()
    real.stack.rig.executors.slow.kill()
    const entryOf = async (job: StoredJob) => (await runsOf(real, job)).find(({ id }) => id.second === due)?.entry
    const isOver = async () =>
      (await Promise.all([...tried, once, slow].map(entryOf))).every((entry) => entry && isTerminal(entry.status))
    await eventually(isOver, 80_000)
    for (const job of [...tried, slow]) expect(await entryOf(job)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 })
    expect(await entryOf(once)).toMatchObject({ status: 'LOST', attempt: 1 })
    const attempts = real.started.map(({ runId, attempt }) => `${runId} ${attempt}`)
    expect(new Set(attempts).size).toBe(attempts.length)
  }, 120_000)

  test('a message that cannot be read ends among the dead letters, and its run is not silent', async (context) => {
    const real = await beginStack(context, { visibilitySeconds: 1, mostReceives: 2 })
    const broken = { type: 'page', shard: 0, second: 1_700_000_000, depth: 0, page: 0, lane: 'fast', drainedMs: 1 }
    const id = 'AAAAAAAAAAA'
    const body = JSON.stringify({ ...broken, runs: [{ id, meets: 'never' }] })
    await real.stack.queues.fast.send([{ body }, { body: 'no json' }])
    const key = { shard: 0, second: broken.second, depth: 0, page: 0 }
    const entry = async () => (await real.stack.world.ledger.readPages([key]))[0].entries.get(id)
    await eventually(async () => (await entry())?.status === 'FAILED', 30_000)
    const [detail] = await real.stack.world.ledger.readDetails([{ jobId: id, second: broken.second }])
    expect(detail?.reason).toContain('1 tickets cannot be read')
    await eventually(async () => {
      const { visible, inFlight } = await real.stack.queues.dead.counts()
      return visible + inFlight === 2
    }, 30_000)
    await eventually(() => real.lines.filter((line) => line.includes('"deadLetters":1')).length >= 2, 30_000)
  }, 100_000)
})

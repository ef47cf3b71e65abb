// A whole stack in real time: what can be seen of it within seconds. All tests share one, because each is many processes. Whatever takes
// longer, or must happen at one exact moment, is in test/flow with a clock that the test drives.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import type { ServiceCall } from '../../local/engines/proxy.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { isTerminal } from '../../shared/core/run/status.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { stopJob } from '../../shared/flow/manage-jobs.ts'
import { isAllowed, kindsOf } from '../lambda/privileges/judge.ts'
import { requestsOf } from '../lambda/privileges/requests.ts'
import { policyOf } from '../lambda/template.ts'
import { asking, body, range } from '../support/job-body.ts'
import { beginStack, eventually, type RealStack, untilSecond } from '../support/real-stack.ts'
import { saveBody } from '../support/save.ts'
import { inOrderOfStart, mostAtOnce } from '../support/sweep.ts'
import { expectAll } from './killed-chain.ts'
import { runsOf } from './runs-of.ts'

/** Payloads that hold what a queue may refuse. */
const ODD = {
  emoji: 'done 🎉',
  'no-character': 'a\uFFFEb\uFFFFc',
  control: 'bell \u0007, escape \u001b, delete \u007f',
  large: '🎉'.repeat(16_000),
}

const firstOf = (job: StoredJob) => job.versions[0].activeFrom

const statusesOf = async (real: RealStack, job: StoredJob): Promise<(string | undefined)[]> =>
  (await runsOf(real, job)).map(({ entry }) => entry?.status)

describe.skipIf(whyNoDynoxide() !== null).concurrent('a whole stack, for eighteen seconds', () => {
  const jobs = new Map<string, StoredJob>()
  const finished: (() => unknown)[] = []
  const calls: ServiceCall[] = []
  let real: RealStack
  let from = 0

  const job = (name: string): StoredJob => jobs.get(name) as StoredJob

  beforeAll(async () => {
    const context = { onTestFinished: (stop: () => unknown) => finished.push(stop) }
    real = await beginStack(context as never, { mostEnvironments: 8, onCall: (call) => calls.push(call) })
    const save = async (name: string, handler: string, part: object) => {
      const saved = await saveBody(real.world, body(name, { target: { type: 'handler', handler }, ...part }), asking)
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
    await save('each', 'echo', {})
    for (const [name, text] of Object.entries(ODD)) await save(name, 'keep', { payload: { text } })
    await save('stopped', 'echo', {})
    from = firstOf(job('stopped'))
    await untilSecond(from + 6)
    await save('once', 'echo', { schedules: [{ at: formatInstant(Math.floor(Date.now() / 1000) + 1) }] })
    const { definition } = job('stopped')
    jobs.set('stopped', (await stopJob(real.world, definition, { code: 'BY_HAND', reason: 'stop' }, asking)).job)
    await untilSecond(from + 18)
  }, 60_000)

  afterAll(async () => {
    for (const stop of finished) await stop()
  })

  test('SERIAL runs never overlap, start in order, and none is dropped', async () => {
    const spans = real.notes.of(job('serial'))
    expect(mostAtOnce(spans)).toBe(1)
    expect(spans.length).toBeGreaterThanOrEqual(5)
    const first = firstOf(job('serial'))
    expect(inOrderOfStart(spans)).toEqual(range(first, first + spans.length - 1))
    const allowed = new Set(['SUCCEEDED', 'RUNNING', 'WAITING', undefined])
    expect((await statusesOf(real, job('serial'))).filter((status) => !allowed.has(status))).toEqual([])
  })

  test('DISCARD runs never overlap, and each that was discarded names one that ran then', async () => {
    const spans = real.notes.of(job('discard'))
    expect(mostAtOnce(spans)).toBe(1)
    const discarded = (await runsOf(real, job('discard'))).filter(({ entry }) => entry?.status === 'DISCARDED')
    expect(discarded.length).toBeGreaterThanOrEqual(8)
    for (const { detail } of discarded) {
      const blocker = spans.find(({ runId }) => detail.reason === `${runId} is running`)
      expect(blocker, detail.reason).toBeDefined()
      // It has the lock when the other is discarded, and its handler begins soon after that.
      expect(blocker?.startMs).toBeLessThanOrEqual((detail.finishedAtMs ?? 0) + 2000)
    }
  })

  test('COVER tells the older run within two seconds, and records it as cancelled', async () => {
    const spans = real.notes.of(job('cover'))
    expect(spans.length).toBeGreaterThanOrEqual(7)
    const statuses = await statusesOf(real, job('cover'))
    expect(new Set(statuses.slice(0, spans.length - 2))).toEqual(new Set(['CANCELLED']))
    for (const [place, { runId }] of spans.slice(0, -2).entries()) {
      expect((real.notes.aborted.get(runId) ?? 0) - spans[place + 1].startMs).toBeLessThanOrEqual(2000)
    }
  })

  test('CONCURRENT runs are never more than their max at once, and reach it', () => {
    expect(mostAtOnce(real.notes.of(job('concurrent')))).toBe(3)
  })

  test('a handler that ignores its signal has timed out all the same', async () => {
    const runs = (await runsOf(real, job('deaf'))).filter(({ entry }) => entry !== null && isTerminal(entry.status))
    expect(runs.length).toBeGreaterThanOrEqual(2)
    for (const { entry } of runs) expect(entry).toMatchObject({ status: 'TIMED_OUT' })
    expect(real.notes.aborted.has(runs[0].runId)).toBe(true)
  })

  test('a run that failed is tried again after its backoff, and what follows it runs once', async () => {
    const [run] = (await runsOf(real, job('flaky'))).filter(({ entry }) => entry !== null)
    expect(run.entry).toMatchObject({ status: 'SUCCEEDED', attempt: 2 })
    const [first, second] = real.notes.of(job('flaky'))
    expect(second.startMs - first.startMs).toBeGreaterThanOrEqual(1000)
    expect(real.notes.of(job('follows'))).toHaveLength(1)
  })

  test('a handler that rejects with nothing fails alone', async () => {
    const runs = (await runsOf(real, job('nothing'))).filter(({ entry }) => entry !== null)
    expect(new Set(runs.map(({ entry }) => entry?.status))).toEqual(new Set(['FAILED']))
    expect(runs[0].detail.reason).toBe('it threw nothing')
  })

  test('a job whose runs are long is on the slow lane after eleven of them', async () => {
    const { states } = real.world
    await eventually(async () => (await states.read(job('long').id)).lane.slowThroughMinute > 0, 10_000)
    expect((await states.read(job('long').id)).lane.longRuns).toBeGreaterThan(10)
  })

  test('nothing started twice, nothing early, and nothing went wrong', () => {
    const attempts = real.notes.started.map(({ runId, attempt }) => `${runId} ${attempt}`)
    expect(new Set(attempts).size).toBe(attempts.length)
    expect(real.notes.started.filter(({ atMs, second }) => atMs < second * 1000)).toEqual([])
    expect(real.errors).toEqual([])
    expect(real.lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('every function that worked was allowed by its role to do what it did', async () => {
    const byFunction = Map.groupBy(kindsOf(calls.flatMap(requestsOf)), ({ by }) => by)
    const worked = real.stack.stack.functions.filter(({ id }) => byFunction.has(id))
    expect(worked.map(({ name }) => name).sort()).toEqual(['deploy', 'fast', 'minute', 'slow', 'switch', 'tick'])
    for (const { id, name } of worked) {
      const policy = policyOf(real.template, real.places, id)
      for (const request of byFunction.get(id) ?? [])
        expect({ name, ...request, isAllowed: await isAllowed(policy, request) }).toMatchObject({ isAllowed: true })
    }
  })

  test('every second for ten seconds is sent ten times, never early', () => {
    expectAll(real, 'each', from, from + 9)
  })

  test('a job of every second misses no run because another’s payload holds an emoji or what is no character', async () => {
    for (const name of Object.keys(ODD)) expectAll(real, name, from, from + 9)
    expect(Object.fromEntries(real.notes.payloads)).toEqual(
      Object.fromEntries(Object.entries(ODD).map(([name, text]) => [name, { text }])),
    )
    expect(real.lines.filter((line) => line.includes('sent again'))).toEqual([])
    expect((await real.world.shards.read(0))?.sentThrough).toBeGreaterThan(from + 8)
  })

  test('a stop lets no instant pass from its time on, and a one-time job a second ahead fires', () => {
    const end = job('stopped').versions[1].activeFrom
    expect(real.seconds('stopped')).toEqual(range(from, end - 1))
    expect(real.seconds('once')).toEqual([firstOf(job('once'))])
  })

  test.runIf(process.platform === 'linux')('everything listens on loopback only', () => {
    const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    const { services, url } = real.stack
    const ports = [...Object.values(services.engines), url].map((endpoint) =>
      Number(new URL(endpoint).port).toString(16).toUpperCase().padStart(4, '0'),
    )
    for (const port of ports) {
      const locals = listening
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${port}`))
        .map(([, local]) => local)
      expect(locals).toEqual([`0100007F:${port}`])
    }
  })
})

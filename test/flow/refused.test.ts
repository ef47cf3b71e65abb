// Runs whose message a queue will never take: each ends as FAILED with the reason, and nothing else is held up by it.

import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../shared/core/actor.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { runsOfJob } from '../../shared/flow/runs/job-runs.ts'
import { triggerJob } from '../../shared/flow/trigger-job.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { range } from '../support/job-body.ts'
import { type RecordedScheduler, recordedSchedulersOfThisFile } from '../support/recorded-schedulers.ts'
import { START, type TestSchedulerOptions } from '../support/test-scheduler.ts'

const { begin, save, statuses, detailOf } = recordedSchedulersOfThisFile()

const FAR_FUTURE_MS = 9_000_000_000_000
const at = (...seconds: number[]) => seconds.map((second) => ({ at: formatInstant(START + second) }))
const ODD = 'what no queue takes'
const WHY =
  /^the (fast|slow) queue will never take its message \(it is odd\): change the payload or the target of its job$/

interface Refusing extends RecordedScheduler {
  /** Every message that was refused. */
  readonly refused: string[]
}

/** A scheduler whose queues refuse what is odd: from the start what holds the word, later what the test says. */
async function beginRefusing(
  isOdd = (body: string) => body.includes(ODD),
  options: TestSchedulerOptions = {},
): Promise<Refusing> {
  const refused: string[] = []
  const refuses = (body: string) => {
    if (!isOdd(body)) return null
    refused.push(body)
    return 'it is odd'
  }
  return { ...(await begin({ ...options, refuses })), refused }
}

/** Nothing of it is left: the list of open runs is empty, the account has moved on, no lock is held. */
async function expectNothingLeft(
  { scheduler }: RecordedScheduler,
  jobs: readonly StoredJob[],
  through: number,
): Promise<void> {
  expect(await scheduler.world.open.due(0, FAR_FUTURE_MS, 100)).toEqual([])
  expect((await scheduler.world.shards.read(0))?.auditedThrough).toBeGreaterThanOrEqual(START + through)
  for (const { id } of jobs) expect(await scheduler.world.locks.read(id)).toEqual({ holders: [], waiting: [] })
}

const ALL = { from: START, to: START + 4000, limit: 100, after: null, isWanted: () => true }

const statusesOf = async ({ scheduler }: RecordedScheduler, job: StoredJob) =>
  (await runsOfJob(scheduler.world, job, ALL)).items
    .map(({ entry, detail }) => ({ status: entry?.status, attempt: entry?.attempt, reason: detail?.reason }))
    .reverse()

const FAILED = { status: 'FAILED', attempt: 1, reason: expect.stringMatching(WHY) }

describe('a run that a queue refuses', () => {
  test('fails with the reason on its second, and those of the same page run on theirs', async () => {
    const recorded = await beginRefusing()
    const odd = await save(recorded, 'odd', 'take', { payload: { text: ODD }, retry: { attempts: 5 } })
    const jobs = await Promise.all(range(1, 20).map((n) => save(recorded, `good-${n}`, 'take')))
    await recorded.scheduler.run(60)
    expect([...new Set((await statuses(recorded, odd, 50)).values())]).toEqual(['FAILED'])
    expect(await detailOf(recorded, odd, 30)).toMatchObject({ trigger: 'SCHEDULE', reason: expect.stringMatching(WHY) })
    for (const { definition } of jobs) {
      expect(recorded.scheduler.seconds(definition.name).filter((second) => second >= 10 && second <= 50)).toEqual(
        range(10, 50),
      )
    }
    expect(recorded.scheduler.sent.every(({ atMs, second }) => atMs < second * 1000 + 1000)).toBe(true)
    const shard = await recorded.scheduler.world.shards.read(0)
    expect(shard?.sentThrough).toBeGreaterThanOrEqual(START + 58)
    expect(shard?.auditedThrough).toBeGreaterThanOrEqual(START + 30)
    // Once with its page and once alone.
    expect(recorded.refused.filter((body) => body.includes(`"second":${START + 30}`))).toHaveLength(2)
    const feed = await recorded.scheduler.world.ledger.recent(0, Math.floor(START / 3600), 'failed')
    expect(feed.filter(({ runId }) => runId === `${odd.id}.${START + 30}`)).toHaveLength(1)
  })

  test('is followed by what is to follow its failure', async () => {
    const recorded = await beginRefusing()
    await save(recorded, 'mend', 'take', { schedules: [{ every: 86_400 }] })
    const then = [{ on: 'failure', job: 'default/mend' }]
    const odd = await save(recorded, 'odd', 'take', { schedules: at(20), payload: { text: ODD }, then })
    await recorded.scheduler.run(22)
    expect(recorded.scheduler.seconds('mend')).toEqual([20])
    await recorded.scheduler.run(100)
    expect(recorded.scheduler.seconds('mend')).toEqual([20])
    await expectNothingLeft(recorded, [odd], 20)
  })

  test('by hand fails, also where its shard sleeps', async () => {
    const recorded = await beginRefusing()
    const odd = await save(recorded, 'odd', 'take', { schedules: [{ every: 86_400 }], payload: { text: ODD } })
    await recorded.scheduler.run(30)
    await triggerJob(recorded.scheduler.world, odd, { by: SYSTEM, request: null })
    await recorded.scheduler.run(180)
    expect((await recorded.scheduler.world.shards.read(0))?.sleepUntil).not.toBeNull()
    expect(await statusesOf(recorded, odd)).toEqual([FAILED])
    expect(await recorded.scheduler.world.open.due(0, FAR_FUTURE_MS, 100)).toEqual([])
  })

  test('after another’s end fails, and what follows that starts', async () => {
    const recorded = await beginRefusing()
    await save(recorded, 'last', 'take', { schedules: [{ every: 86_400 }] })
    const odd = await save(recorded, 'odd', 'take', {
      schedules: [{ every: 86_400 }],
      payload: { text: ODD },
      then: [{ on: 'failure', job: 'default/last' }],
    })
    const first = await save(recorded, 'first', 'take', {
      schedules: at(20),
      then: [{ on: 'success', job: 'default/odd' }],
    })
    await recorded.scheduler.run(120)
    expect(await statusesOf(recorded, odd)).toEqual([FAILED])
    expect(recorded.scheduler.seconds('last')).toHaveLength(1)
    await expectNothingLeft(recorded, [first, odd], 20)
  })

  test('at its second attempt fails, and its lock is free for the next one', async () => {
    const recorded = await beginRefusing((body) => body.includes('"attempt":2') && body.includes('"name":"odd"'))
    const retry = { attempts: 3, delay: 2, maxDelay: 2 }
    const part = { schedules: at(20, 30, 90), timeout: 60, payload: { times: 9 }, retry }
    const odd = await save(recorded, 'odd', 'flaky', part)
    await recorded.scheduler.run(160)
    expect((await statusesOf(recorded, odd)).map(({ status, attempt }) => [status, attempt])).toEqual(
      range(1, 3).map(() => ['FAILED', 2]),
    )
    // The second waits until it is known that the first will not be tried again.
    expect(recorded.scheduler.sent.filter(({ second }) => second === START + 30)[0].atMs).toBeLessThan(
      (START + 60) * 1000,
    )
    await expectNothingLeft(recorded, [odd], 90)
  })

  test('when its turn has come fails, and the one behind it has its turn', async () => {
    const recorded = await beginRefusing((body) => body.includes('"openMs"') && body.includes(`"second":${START + 21}`))
    const job = await save(recorded, 'line', 'take', { schedules: at(20, 21, 22), timeout: 60, payload: { ms: 5000 } })
    await recorded.scheduler.run(160)
    expect(await statuses(recorded, job, 100)).toEqual(
      new Map([
        [20, 'SUCCEEDED'],
        [21, 'FAILED'],
        [22, 'SUCCEEDED'],
      ]),
    )
    expect(await detailOf(recorded, job, 21)).toMatchObject({ reason: expect.stringMatching(WHY) })
    await expectNothingLeft(recorded, [job], 22)
  })

  test('when it is sent again fails', async () => {
    let isOdd = false
    const recorded = await beginRefusing((body) => isOdd && body.includes('"name":"odd"'))
    const odd = await save(recorded, 'odd', 'take', { schedules: at(20) })
    await recorded.scheduler.run(18)
    recorded.scheduler.isExecuting = false
    await recorded.scheduler.run(22)
    await recorded.scheduler.fast.purge()
    recorded.scheduler.isExecuting = true
    isOdd = true
    await recorded.scheduler.run(130)
    expect((await statuses(recorded, odd, 70)).get(20)).toBe('FAILED')
    await expectNothingLeft(recorded, [odd], 20)
    expect(recorded.refused).toHaveLength(1)
  })

  test('after its executor died fails, and not while that may live', async () => {
    let isOdd = false
    const recorded = await beginRefusing((body) => isOdd && body.includes('"name":"odd"'))
    const retry = { attempts: 3, delay: 2, maxDelay: 2 }
    const odd = await save(recorded, 'odd', 'take', { schedules: at(20), timeout: 10, payload: { ms: 8000 }, retry })
    await recorded.scheduler.run(22)
    isOdd = true
    recorded.scheduler.rig.executors.fast.kill()
    await recorded.scheduler.run(34)
    expect((await statuses(recorded, odd, 30)).get(20)).toBe('RUNNING')
    await recorded.scheduler.run(120)
    expect((await statuses(recorded, odd, 70)).get(20)).toBe('FAILED')
    await expectNothingLeft(recorded, [odd], 20)
  })

  test.each([
    { policy: 'FIRE_ONCE_NOW', failed: 1 },
    { policy: 'CATCH_UP', failed: 30 },
  ])('from a gap fails, by the rule $policy', async ({ policy, failed }) => {
    const recorded = await beginRefusing()
    const misfire = policy === 'CATCH_UP' ? { policy, window: 3600 } : { policy }
    const part = { schedules: [{ every: 20 }], misfire, timeout: 5 }
    const odd = await save(recorded, 'odd', 'take', { ...part, payload: { text: ODD } })
    const good = await save(recorded, 'good', 'take', part)
    await recorded.scheduler.run(30)
    recorded.scheduler.time.skip(600)
    await recorded.scheduler.run(760)
    const items = async ({ id }: StoredJob) =>
      (await recorded.scheduler.world.ledger.runsOf(id, START + 30, START + 640, 100)).flatMap(
        ({ entry }) => entry?.status ?? [],
      )
    expect(await items(odd)).toEqual(range(1, failed).map(() => 'FAILED'))
    expect(await items(good)).toEqual(range(1, failed).map(() => 'SUCCEEDED'))
    await expectNothingLeft(recorded, [odd, good], 700)
  })

  test('as a stop by schedule is on record as failed, and the job goes on', async () => {
    const recorded = await beginRefusing((body) => body.includes('"kind":"stop"'))
    const schedules = [{ every: 20 }, { kind: 'stop', every: 30 }]
    const job = await save(recorded, 'job', 'take', { schedules, timeout: 15 })
    await recorded.scheduler.run(130)
    expect((await recorded.scheduler.entryOf(`${job.id}~`, START + 30))?.status).toBe('FAILED')
    expect(recorded.scheduler.seconds('job')).toEqual(range(20, 120, 20))
    expect((await recorded.scheduler.world.shards.read(0))?.auditedThrough).toBeGreaterThanOrEqual(START + 90)
  })
})

test.each(range(1, 24))('a ticker that dies at call %d after a refusal leaves nothing undone', async (call) => {
  let isRefused = false
  let calls = 0
  const isOdd = (text: string) => {
    isRefused ||= text.includes(ODD)
    return text.includes(ODD)
  }
  const recorded = await beginRefusing(isOdd, {
    see: (world) =>
      dyingAt(world, () => {
        calls += isRefused ? 1 : 0
        return calls === call
      }),
  })
  await save(recorded, 'mend', 'take', { schedules: [{ every: 86_400 }] })
  const then = [{ on: 'failure', job: 'default/mend' }]
  const odd = await save(recorded, 'odd', 'take', { schedules: at(20), payload: { text: ODD }, then })
  const good = await save(recorded, 'good', 'take', { schedules: at(20) })
  await recorded.scheduler.run(150)
  expect((await statuses(recorded, odd, 70)).get(20)).toBe('FAILED')
  expect((await statuses(recorded, good, 70)).get(20)).toBe('SUCCEEDED')
  expect(recorded.scheduler.seconds('mend')).toEqual([20])
  await expectNothingLeft(recorded, [odd], 20)
})

test('neighbours of a run that is refused are sent once, however long it takes until its end is written', async () => {
  const ofNeighbours: string[] = []
  let isStoreBad = true
  const isOdd = (body: string) => {
    if (!body.includes(ODD) && body.includes(`"second":${START + 20}`)) ofNeighbours.push(body)
    return body.includes(ODD)
  }
  const recorded = await beginRefusing(isOdd, {
    see: (world) =>
      beforeEveryCall(world, async (_, name, _part, parameters) => {
        if (isStoreBad && name === 'swap' && JSON.stringify(parameters).includes('FAILED')) throw new Error('throttled')
      }),
  })
  const odd = await save(recorded, 'odd', 'take', { schedules: at(20), payload: { text: ODD } })
  for (const n of range(1, 9)) await save(recorded, `good-${n}`, 'take', { schedules: at(20) })
  await recorded.scheduler.run(27)
  expect(recorded.refused.length).toBeGreaterThan(4)
  expect(ofNeighbours).toHaveLength(9)
  isStoreBad = false
  await recorded.scheduler.run(120)
  expect((await statuses(recorded, odd, 70)).get(20)).toBe('FAILED')
  expect(ofNeighbours).toHaveLength(9)
  for (const n of range(1, 9)) expect(recorded.scheduler.seconds(`good-${n}`)).toEqual([20])
  await expectNothingLeft(recorded, [odd], 20)
})

/** The world of a process that hangs for good from a call on. */
function dyingAt<World extends object>(world: World, isNow: () => boolean): World {
  let isDead = false
  const wrap = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === 'object' && member !== null) return wrap(member)
        if (
          typeof member !== 'function' ||
          ['nowMs', 'newId', 'warn', 'until', 'load', 'random'].includes(String(name))
        )
          return typeof member === 'function' ? member.bind(target) : member
        return async (...parameters: unknown[]) => {
          isDead ||= isNow()
          return isDead ? new Promise(() => {}) : Reflect.apply(member, target, parameters)
        }
      },
    })
  return wrap(world)
}

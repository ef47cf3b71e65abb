// Runs whose message a queue will never take: each ends as FAILED with the reason, and nothing else is held up by it.

import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../shared/core/actor.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { runsOfJob } from '../../shared/flow/runs/job-runs.ts'
import { triggerJob } from '../../shared/flow/trigger-job.ts'
import { range } from '../support/job-body.ts'
import { type Staged, stagesOfThisFile } from '../support/stages.ts'
import { START, type TownOptions } from '../support/town.ts'
import { beforeEveryCall } from '../support/worlds/every-call.ts'

const { begin, save, statuses, detailOf } = stagesOfThisFile()

const FAR_FUTURE_MS = 9_000_000_000_000
const at = (...seconds: number[]) => seconds.map((second) => ({ at: formatInstant(START + second) }))
const ODD = 'what no queue takes'
const WHY =
  /^the (fast|slow) queue will never take its message \(it is odd\): change the payload or the target of its job$/

interface Refusing extends Staged {
  /** Every message that was refused. */
  readonly refused: string[]
}

/** A town whose queues refuse what is odd: from the start what holds the word, later what the test says. */
async function beginRefusing(
  isOdd = (body: string) => body.includes(ODD),
  options: TownOptions = {},
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
async function expectNothingLeft({ town }: Staged, jobs: readonly StoredJob[], through: number): Promise<void> {
  expect(await town.world.open.due(0, FAR_FUTURE_MS, 100)).toEqual([])
  expect((await town.world.shards.read(0))?.auditedThrough).toBeGreaterThanOrEqual(START + through)
  for (const { id } of jobs) expect(await town.world.locks.read(id)).toEqual({ holders: [], waiting: [] })
}

const ALL = { from: START, to: START + 4000, limit: 100, after: null, isWanted: () => true }

const statusesOf = async ({ town }: Staged, job: StoredJob) =>
  (await runsOfJob(town.world, job, ALL)).items
    .map(({ entry, detail }) => ({ status: entry?.status, attempt: entry?.attempt, reason: detail?.reason }))
    .reverse()

const FAILED = { status: 'FAILED', attempt: 1, reason: expect.stringMatching(WHY) }

describe('a run that a queue refuses', () => {
  test('fails with the reason on its second, and those of the same page run on theirs', async () => {
    const staged = await beginRefusing()
    const odd = await save(staged, 'odd', 'take', { payload: { text: ODD }, retry: { attempts: 5 } })
    const jobs = await Promise.all(range(1, 20).map((n) => save(staged, `good-${n}`, 'take')))
    await staged.town.run(60)
    expect([...new Set((await statuses(staged, odd, 50)).values())]).toEqual(['FAILED'])
    expect(await detailOf(staged, odd, 30)).toMatchObject({ trigger: 'SCHEDULE', reason: expect.stringMatching(WHY) })
    for (const { definition } of jobs) {
      expect(staged.town.seconds(definition.name).filter((second) => second >= 10 && second <= 50)).toEqual(
        range(10, 50),
      )
    }
    expect(staged.town.sent.every(({ atMs, second }) => atMs < second * 1000 + 1000)).toBe(true)
    const shard = await staged.town.world.shards.read(0)
    expect(shard?.sentThrough).toBeGreaterThanOrEqual(START + 58)
    expect(shard?.auditedThrough).toBeGreaterThanOrEqual(START + 30)
    // Once with its page and once alone.
    expect(staged.refused.filter((body) => body.includes(`"second":${START + 30}`))).toHaveLength(2)
    const feed = await staged.town.world.ledger.recent(0, Math.floor(START / 3600), 'failed')
    expect(feed.filter(({ runId }) => runId === `${odd.id}.${START + 30}`)).toHaveLength(1)
  })

  test('is followed by what is to follow its failure', async () => {
    const staged = await beginRefusing()
    await save(staged, 'mend', 'take', { schedules: [{ every: 86_400 }] })
    const then = [{ on: 'failure', job: 'default/mend' }]
    const odd = await save(staged, 'odd', 'take', { schedules: at(20), payload: { text: ODD }, then })
    await staged.town.run(22)
    expect(staged.town.seconds('mend')).toEqual([20])
    await staged.town.run(100)
    expect(staged.town.seconds('mend')).toEqual([20])
    await expectNothingLeft(staged, [odd], 20)
  })

  test('by hand fails, also where its shard sleeps', async () => {
    const staged = await beginRefusing()
    const odd = await save(staged, 'odd', 'take', { schedules: [{ every: 86_400 }], payload: { text: ODD } })
    await staged.town.run(30)
    await triggerJob(staged.town.world, odd, { by: SYSTEM, request: null })
    await staged.town.run(180)
    expect((await staged.town.world.shards.read(0))?.sleepUntil).not.toBeNull()
    expect(await statusesOf(staged, odd)).toEqual([FAILED])
    expect(await staged.town.world.open.due(0, FAR_FUTURE_MS, 100)).toEqual([])
  })

  test('after another’s end fails, and what follows that starts', async () => {
    const staged = await beginRefusing()
    await save(staged, 'last', 'take', { schedules: [{ every: 86_400 }] })
    const odd = await save(staged, 'odd', 'take', {
      schedules: [{ every: 86_400 }],
      payload: { text: ODD },
      then: [{ on: 'failure', job: 'default/last' }],
    })
    const first = await save(staged, 'first', 'take', {
      schedules: at(20),
      then: [{ on: 'success', job: 'default/odd' }],
    })
    await staged.town.run(120)
    expect(await statusesOf(staged, odd)).toEqual([FAILED])
    expect(staged.town.seconds('last')).toHaveLength(1)
    await expectNothingLeft(staged, [first, odd], 20)
  })

  test('at its second attempt fails, and its lock is free for the next one', async () => {
    const staged = await beginRefusing((body) => body.includes('"attempt":2') && body.includes('"name":"odd"'))
    const retry = { attempts: 3, delay: 2, maxDelay: 2 }
    const part = { schedules: at(20, 30, 90), timeout: 60, payload: { times: 9 }, retry }
    const odd = await save(staged, 'odd', 'flaky', part)
    await staged.town.run(160)
    expect((await statusesOf(staged, odd)).map(({ status, attempt }) => [status, attempt])).toEqual(
      range(1, 3).map(() => ['FAILED', 2]),
    )
    // The second waits until it is known that the first will not be tried again.
    expect(staged.town.sent.filter(({ second }) => second === START + 30)[0].atMs).toBeLessThan((START + 60) * 1000)
    await expectNothingLeft(staged, [odd], 90)
  })

  test('when its turn has come fails, and the one behind it has its turn', async () => {
    const staged = await beginRefusing((body) => body.includes('"openMs"') && body.includes(`"second":${START + 21}`))
    const job = await save(staged, 'line', 'take', { schedules: at(20, 21, 22), timeout: 60, payload: { ms: 5000 } })
    await staged.town.run(160)
    expect(await statuses(staged, job, 100)).toEqual(
      new Map([
        [20, 'SUCCEEDED'],
        [21, 'FAILED'],
        [22, 'SUCCEEDED'],
      ]),
    )
    expect(await detailOf(staged, job, 21)).toMatchObject({ reason: expect.stringMatching(WHY) })
    await expectNothingLeft(staged, [job], 22)
  })

  test('when it is sent again fails', async () => {
    let isOdd = false
    const staged = await beginRefusing((body) => isOdd && body.includes('"name":"odd"'))
    const odd = await save(staged, 'odd', 'take', { schedules: at(20) })
    await staged.town.run(18)
    staged.town.isExecuting = false
    await staged.town.run(22)
    await staged.town.fast.purge()
    staged.town.isExecuting = true
    isOdd = true
    await staged.town.run(130)
    expect((await statuses(staged, odd, 70)).get(20)).toBe('FAILED')
    await expectNothingLeft(staged, [odd], 20)
    expect(staged.refused).toHaveLength(1)
  })

  test('after its executor died fails, and not while that may live', async () => {
    let isOdd = false
    const staged = await beginRefusing((body) => isOdd && body.includes('"name":"odd"'))
    const retry = { attempts: 3, delay: 2, maxDelay: 2 }
    const odd = await save(staged, 'odd', 'take', { schedules: at(20), timeout: 10, payload: { ms: 8000 }, retry })
    await staged.town.run(22)
    isOdd = true
    staged.town.rig.executors.fast.kill()
    await staged.town.run(34)
    expect((await statuses(staged, odd, 30)).get(20)).toBe('RUNNING')
    await staged.town.run(120)
    expect((await statuses(staged, odd, 70)).get(20)).toBe('FAILED')
    await expectNothingLeft(staged, [odd], 20)
  })

  test.each([
    { policy: 'FIRE_ONCE_NOW', failed: 1 },
    { policy: 'CATCH_UP', failed: 30 },
  ])('from a gap fails, by the rule $policy', async ({ policy, failed }) => {
    const staged = await beginRefusing()
    const misfire = policy === 'CATCH_UP' ? { policy, window: 3600 } : { policy }
    const part = { schedules: [{ every: 20 }], misfire, timeout: 5 }
    const odd = await save(staged, 'odd', 'take', { ...part, payload: { text: ODD } })
    const good = await save(staged, 'good', 'take', part)
    await staged.town.run(30)
    staged.town.time.skip(600)
    await staged.town.run(760)
    const items = async ({ id }: StoredJob) =>
      (await staged.town.world.ledger.runsOf(id, START + 30, START + 640, 100)).flatMap(
        ({ entry }) => entry?.status ?? [],
      )
    expect(await items(odd)).toEqual(range(1, failed).map(() => 'FAILED'))
    expect(await items(good)).toEqual(range(1, failed).map(() => 'SUCCEEDED'))
    await expectNothingLeft(staged, [odd, good], 700)
  })

  test('as a stop by schedule is on record as failed, and the job goes on', async () => {
    const staged = await beginRefusing((body) => body.includes('"kind":"stop"'))
    const schedules = [{ every: 20 }, { kind: 'stop', every: 30 }]
    const job = await save(staged, 'job', 'take', { schedules, timeout: 15 })
    await staged.town.run(130)
    expect((await staged.town.entryOf(`${job.id}~`, START + 30))?.status).toBe('FAILED')
    expect(staged.town.seconds('job')).toEqual(range(20, 120, 20))
    expect((await staged.town.world.shards.read(0))?.auditedThrough).toBeGreaterThanOrEqual(START + 90)
  })
})

test.each(range(1, 24))('a ticker that dies at call %d after a refusal leaves nothing undone', async (call) => {
  let isRefused = false
  let calls = 0
  const isOdd = (text: string) => {
    isRefused ||= text.includes(ODD)
    return text.includes(ODD)
  }
  const staged = await beginRefusing(isOdd, {
    see: (world) =>
      dyingAt(world, () => {
        calls += isRefused ? 1 : 0
        return calls === call
      }),
  })
  await save(staged, 'mend', 'take', { schedules: [{ every: 86_400 }] })
  const then = [{ on: 'failure', job: 'default/mend' }]
  const odd = await save(staged, 'odd', 'take', { schedules: at(20), payload: { text: ODD }, then })
  const good = await save(staged, 'good', 'take', { schedules: at(20) })
  await staged.town.run(150)
  expect((await statuses(staged, odd, 70)).get(20)).toBe('FAILED')
  expect((await statuses(staged, good, 70)).get(20)).toBe('SUCCEEDED')
  expect(staged.town.seconds('mend')).toEqual([20])
  await expectNothingLeft(staged, [odd], 20)
})

test('neighbours of a run that is refused are sent once, however long it takes until its end is written', async () => {
  const ofNeighbours: string[] = []
  let isStoreBad = true
  const isOdd = (body: string) => {
    if (!body.includes(ODD) && body.includes(`"second":${START + 20}`)) ofNeighbours.push(body)
    return body.includes(ODD)
  }
  const staged = await beginRefusing(isOdd, {
    see: (world) =>
      beforeEveryCall(world, async (_, name, _part, parameters) => {
        if (isStoreBad && name === 'swap' && JSON.stringify(parameters).includes('FAILED')) throw new Error('throttled')
      }),
  })
  const odd = await save(staged, 'odd', 'take', { schedules: at(20), payload: { text: ODD } })
  for (const n of range(1, 9)) await save(staged, `good-${n}`, 'take', { schedules: at(20) })
  await staged.town.run(27)
  expect(staged.refused.length).toBeGreaterThan(4)
  expect(ofNeighbours).toHaveLength(9)
  isStoreBad = false
  await staged.town.run(120)
  expect((await statuses(staged, odd, 70)).get(20)).toBe('FAILED')
  expect(ofNeighbours).toHaveLength(9)
  for (const n of range(1, 9)) expect(staged.town.seconds(`good-${n}`)).toEqual([20])
  await expectNothingLeft(staged, [odd], 20)
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

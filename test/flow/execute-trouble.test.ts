// What becomes of runs when a call of their executor fails, hangs or loses its answer at a bad moment.

import { describe, expect, test } from 'vitest'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { cancelRun } from '../../shared/flow/execute/cancel.ts'
import type { Message } from '../../shared/ports.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { asking, body, range } from '../support/job-body.ts'
import { type RecordedScheduler, recordedSchedulersOfThisFile } from '../support/recorded-schedulers.ts'
import { saveBody } from '../support/save.ts'
import { mostAtOnce } from '../support/sweep.ts'
import { START, type TestSchedulerOptions, type TestSchedulerWorld } from '../support/test-scheduler.ts'

const { begin, save, statuses, idOf, detailOf } = recordedSchedulersOfThisFile()

const at = (...seconds: number[]) => seconds.map((second) => ({ at: formatInstant(START + second) }))

/** A scheduler in which something is done before a call of an executor, by its name and the second from the start. */
async function beginWith(
  act: (name: string, second: number, recorded: RecordedScheduler) => Promise<unknown> | undefined,
) {
  const options: TestSchedulerOptions = {
    seeExecutor: (world: TestSchedulerWorld) =>
      beforeEveryCall(world, async (_, name) => act(name, recorded.scheduler.time.nowMs() / 1000 - START, recorded)),
  }
  const recorded: RecordedScheduler = await begin(options)
  return recorded
}

/** Fails once, or the whole time from one second to another. */
const away = () => Promise.reject(new Error('the store is away'))
const stalls = (recorded: RecordedScheduler, seconds: number) =>
  recorded.scheduler.time.until(recorded.scheduler.time.nowMs() + seconds * 1000)

const endsOf = (recorded: RecordedScheduler, job: StoredJob) =>
  recorded.recording.of(job.id).map(({ second, startMs }) => [second - START, Math.floor(startMs / 1000 - START)])

describe('a run that was claimed and could not be started', () => {
  test('comes back as the attempt it was, after a take-over too, and the audit goes on', async () => {
    let isDown = false
    const recorded = await beginWith((name) => (isDown && name === 'changes' ? away() : undefined))
    const retry = { attempts: 2, delay: 5, maxDelay: 5 }
    const job = await save(recorded, 'job', 'take', { schedules: at(20), timeout: 10, payload: { ms: 8000 }, retry })
    await save(recorded, 'other', 'take', { schedules: [{ every: 7 }], timeout: 3 })
    await recorded.scheduler.run(22)
    recorded.scheduler.rig.executors.fast.kill()
    await recorded.scheduler.run(42)
    isDown = true
    await recorded.scheduler.run(60)
    isDown = false
    await recorded.scheduler.run(200)
    expect(await recorded.scheduler.entryOf(job.id, START + 20)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 })
    expect((await recorded.scheduler.world.shards.read(0))?.auditedThrough).toBeGreaterThan(START + 150)
  })

  test('of a job that wants it now or never is missed in the end, and holds up nobody’s healing', async () => {
    let isDown = true
    const recorded = await beginWith((name, second) =>
      isDown && name === 'changes' && second >= 19.5 && second < 21 ? away() : undefined,
    )
    const misfire = { policy: 'DO_NOTHING' }
    const job = await save(recorded, 'job', 'take', { schedules: at(20), timeout: 5, misfire })
    const each = await save(recorded, 'each', 'take', { schedules: [{ every: 10 }], timeout: 3 })
    await recorded.scheduler.run(22)
    isDown = false
    await recorded.scheduler.fast.purge()
    await recorded.scheduler.run(44)
    recorded.scheduler.isExecuting = false
    await recorded.scheduler.run(52)
    await recorded.scheduler.fast.purge()
    recorded.scheduler.isExecuting = true
    await recorded.scheduler.run(200)
    expect((await recorded.scheduler.entryOf(job.id, START + 20))?.status).toBe('MISSED')
    expect((await recorded.scheduler.entryOf(each.id, START + 50))?.status).toBe('SUCCEEDED')
    expect((await recorded.scheduler.world.shards.read(0))?.auditedThrough).toBeGreaterThan(START + 150)
  })

  test('lets its lock go, so that the next one finds nobody in its way', async () => {
    let failures = 0
    const recorded = await beginWith((name, second) => {
      if (name !== 'bodies' || second < 20 || failures > 0) return
      failures += 1
      return away()
    })
    const job = await save(recorded, 'job', 'take', {
      schedules: [{ every: 10 }],
      timeout: 60,
      payload: { ms: 10, text: 'x'.repeat(5000) },
      block: { strategy: 'DISCARD' },
    })
    await recorded.scheduler.run(100)
    const known = await statuses(recorded, job, 90)
    expect(failures).toBe(1)
    expect([...known.values()].filter((status) => status === 'DISCARDED')).toEqual([])
    expect(known.get(30)).toBe('SUCCEEDED')
  })

  test('is not lost because its claim was renewed meanwhile', async () => {
    let [stalled, failures] = [0, 0]
    const recorded = await beginWith((name, second, here) => {
      if (name === 'changes' && stalled === 0 && second >= 20) {
        stalled += 1
        return stalls(here, 7)
      }
      if (name !== 'change' || failures > 0 || second < 26) return
      failures += 1
      return away()
    })
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 20 }], timeout: 18, payload: { ms: 100 } })
    await recorded.scheduler.run(150)
    expect([stalled, failures]).toEqual([1, 1])
    expect([...(await statuses(recorded, job, 100)).values()]).toEqual(range(1, 5).map(() => 'SUCCEEDED'))
  })

  test.each(['changes', 'change', 'swap'])('because %s hung meets no other run of its job', async (hangs) => {
    let isStalled = false
    const recorded = await beginWith((name, second, here) => {
      if (name !== hangs || isStalled || second < 20) return
      isStalled = true
      return stalls(here, 40)
    })
    const retry = { attempts: 1, delay: 5, maxDelay: 5 }
    const part = { schedules: [{ every: 20 }], timeout: 20, payload: { ms: 15_000 }, retry }
    const jobs = [
      await save(recorded, 'discard', 'take', { ...part, block: { strategy: 'DISCARD' } }),
      await save(recorded, 'serial', 'take', part),
    ]
    await recorded.scheduler.run(200)
    for (const job of jobs) expect(mostAtOnce(recorded.recording.of(job.id))).toBe(1)
  })
})

describe('a cancel that fails', () => {
  test('is repeated before a newer run takes the lock: a covered run never goes on beside it', async () => {
    let failures = 0
    const recorded = await beginWith((name, second) => {
      if (name !== 'readPages' || failures > 0 || second < 30 || second > 30.3) return
      failures += 1
      return away()
    })
    const block = { strategy: 'COVER' }
    const job = await save(recorded, 'job', 'take', {
      schedules: at(20, 30),
      timeout: 60,
      payload: { ms: 55_000 },
      block,
    })
    await recorded.scheduler.run(250)
    expect(failures).toBe(1)
    const [older, newer] = recorded.recording.of(job.id)
    expect((older.endMs ?? 0) - newer.startMs).toBeLessThanOrEqual(2000)
    expect([...(await statuses(recorded, job, 40)).values()]).toEqual(['CANCELLED', 'SUCCEEDED'])
  })

  test.each(['readPages', 'read', 'change'])(
    'in a stop by schedule (%s) does not free the lock of what goes on',
    async (fails) => {
      let failures = 0
      const recorded = await beginWith((name, second) => {
        if (name !== fails || failures > 0 || second < 15 || second > 15.3) return
        failures += 1
        return away()
      })
      const schedules = [{ cron: '5,25 * * * * *' }, { kind: 'stop', cron: '15 * * * * *' }]
      const job = await save(recorded, 'job', 'take', { schedules, timeout: 40, payload: { ms: 35_000 } })
      await recorded.scheduler.run(55)
      expect(failures).toBe(1)
      expect(mostAtOnce(recorded.recording.of(job.id))).toBe(1)
      expect((await statuses(recorded, job, 50)).get(5)).toBe('CANCELLED')
    },
  )
})

test('a run that is cancelled gives its lock on, and the next one starts within seconds', async () => {
  const recorded = await begin()
  const job = await save(recorded, 'job', 'take', { schedules: at(20, 30), timeout: 60, payload: { ms: 55_000 } })
  await recorded.scheduler.run(35)
  const depth = (await recorded.scheduler.world.shards.read(0))?.depths.get(START + 20) ?? null
  await cancelRun(recorded.scheduler.world.ledger, 0, { runId: idOf(job, 20), depth, trigger: 'SCHEDULE' }, 'by anna')
  await recorded.scheduler.run(45)
  const [, [second, started]] = endsOf(recorded, job)
  expect(second).toBe(30)
  expect(started).toBeLessThanOrEqual(38)
})

describe('a longer timeout', () => {
  const part = { schedules: at(20, 21), timeout: 10, payload: { ms: 9000 } }
  const edit = (recorded: RecordedScheduler, timeout: number, ms: number) =>
    saveBody(
      recorded.scheduler.world,
      body('job', { ...part, timeout, payload: { ms }, target: { type: 'handler', handler: 'take' } }),
      asking,
    )

  test.each([
    { timeout: 60, ms: 50_000 },
    { timeout: 600, ms: 200_000 },
  ])('of $timeout s that is saved while a run waits gives it a claim that lasts', async ({ timeout, ms }) => {
    const recorded = await begin()
    const retry = { attempts: 3, delay: 5, maxDelay: 5 }
    const job = await save(recorded, 'job', 'take', { ...part, retry })
    await recorded.scheduler.run(23)
    await edit(recorded, timeout, ms)
    await recorded.scheduler.run(600)
    expect(endsOf(recorded, job).map(([second]) => second)).toEqual([20, 21])
    expect(await recorded.scheduler.entryOf(job.id, START + 21)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 })
  })
})

describe('a retry does not come before its time', () => {
  const retry = { attempts: 1, delay: 120, maxDelay: 120 }
  const failsAt = (second: number): TestSchedulerOptions => ({
    handlers: () => ({
      odd: (run) => {
        if (run.attempt === 1 && run.instant?.getTime() === (START + second) * 1000) throw new Error('once')
      },
    }),
  })

  test('when another run of the job ends', async () => {
    const recorded = await begin(failsAt(10))
    const block = { strategy: 'CONCURRENT', max: 5 }
    await save(recorded, 'job', 'odd', { schedules: [{ every: 10 }], timeout: 8, block, retry })
    await recorded.scheduler.run(150)
    const [again] = recorded.scheduler.sent.filter(({ attempt }) => attempt === 2)
    expect(again.atMs / 1000 - START).toBeGreaterThanOrEqual(70)
  })

  test('when an older message is delivered once more', async () => {
    const recorded = await begin(failsAt(20))
    const { fast } = recorded.scheduler
    const { send } = fast
    const kept: Message[] = []
    fast.send = (messages) => {
      kept.push(...messages)
      return send.call(fast, messages)
    }
    await save(recorded, 'job', 'odd', { schedules: [{ every: 10 }], timeout: 8, retry })
    await recorded.scheduler.run(22)
    await send.call(fast, [kept[0]])
    await recorded.scheduler.run(60)
    expect(recorded.scheduler.sent.filter(({ attempt }) => attempt === 2)).toEqual([])
  })
})

test('a handler that writes without end and fails keeps what fits, and harms no other', async () => {
  const recorded = await begin({
    handlers: () => ({
      chatty: (run) => {
        for (const n of range(1, 300)) run.log(`${n} ${'é'.repeat(3000)}`)
        throw new Error('z'.repeat(5000))
      },
    }),
  })
  const job = await save(recorded, 'job', 'chatty', { schedules: at(20), timeout: 5 })
  await recorded.scheduler.run(25)
  const detail = await detailOf(recorded, job, 20)
  expect(new TextEncoder().encode(JSON.stringify(detail)).length).toBeLessThan(100_000)
  expect(detail?.log?.length).toBeGreaterThan(5)
  expect(detail?.isLogCut).toBe(true)
})

test('detail that the store refuses keeps no run of the page from being settled', async () => {
  const recorded = await beginWith((name) => (name === 'putDetail' ? away() : undefined))
  const bad = await save(recorded, 'bad', 'flaky', { schedules: at(20), timeout: 5 })
  const good = await save(recorded, 'good', 'take', { schedules: at(20), timeout: 30, payload: { ms: 5000 } })
  await recorded.scheduler.run(40)
  expect((await recorded.scheduler.entryOf(bad.id, START + 20))?.status).toBe('FAILED')
  expect((await recorded.scheduler.entryOf(good.id, START + 20))?.status).toBe('SUCCEEDED')
})

test('a long run goes on where the answer to a renewal of its claim was lost', async () => {
  let lost = 0
  const recorded: RecordedScheduler = await begin({
    seeExecutor: (world) => ({
      ...world,
      ledger: new Proxy(world.ledger, {
        get(ledger, name) {
          const member: unknown = Reflect.get(ledger, name)
          if (typeof member !== 'function') return member
          return async (...parameters: unknown[]) => {
            const result: unknown = await Reflect.apply(member, ledger, parameters)
            const isLost = name === 'swap' && lost === 0 && recorded.scheduler.time.nowMs() > (START + 111) * 1000
            if (!isLost) return result
            lost += 1
            throw new Error('the answer was lost')
          }
        },
      }),
    }),
  })
  const job = await save(recorded, 'job', 'take', { schedules: at(100), timeout: 300, payload: { ms: 60_000 } })
  await recorded.scheduler.run(200)
  expect(lost).toBe(1)
  expect(await recorded.scheduler.entryOf(job.id, START + 100)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 })
  expect(recorded.recording.aborted).toEqual([])
})

test('a dead letter ends the run that cannot be read, and no neighbour that is to be tried again', async () => {
  const recorded = await begin()
  const { fast } = recorded.scheduler
  const { send } = fast
  const broken = ({ body: text, ...rest }: Message) => ({
    ...rest,
    body: text.replace(/("name":"poison",)/, '$1"block":7,'),
  })
  fast.send = (messages) => send.call(fast, messages.map(broken))
  const poison = await save(recorded, 'poison', 'take', { schedules: at(20), timeout: 5 })
  const retry = { attempts: 1, delay: 7200, maxDelay: 7200 }
  const good = await save(recorded, 'good', 'flaky', { schedules: at(20), timeout: 5, retry })
  await recorded.scheduler.run(6 * 540)
  expect((await recorded.scheduler.entryOf(poison.id, START + 20))?.status).toBe('FAILED')
  expect(await recorded.scheduler.entryOf(good.id, START + 20)).toMatchObject({ status: 'QUEUED', attempt: 2 })
  await recorded.scheduler.run(7400)
  expect(await recorded.scheduler.entryOf(good.id, START + 20)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 })
})

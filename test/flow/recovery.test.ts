// Troubles that only showed when many of them came together, each as what an operator would have seen of it.

import { describe, expect, test } from 'vitest'
import { FREE, type Holder } from '../../shared/core/gate/state.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { entryIdOf } from '../../shared/core/run/message.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { auditShard, resendOpen } from '../../shared/flow/audit.ts'
import { startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { ShardMemory } from '../../shared/flow/shard-memory.ts'
import { triggerJob } from '../../shared/flow/trigger-job.ts'
import type { Message } from '../../shared/ports.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { ANNA, asking, body, range } from '../support/job-body.ts'
import { type RecordedScheduler, recordedSchedulersOfThisFile } from '../support/recorded-schedulers.ts'
import { saveBody } from '../support/save.ts'
import { START, type TestScheduler } from '../support/test-scheduler.ts'

const { begin, save, statuses, idOf } = recordedSchedulersOfThisFile()

describe('a stop by schedule', () => {
  const schedules = [{ every: 20 }, { kind: 'stop', every: 30 }]

  test('that cannot be carried out does not start the job in its stead, however often it may be tried', async () => {
    let isDown = false
    const recorded = await begin({
      seeExecutor: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (isDown && name === 'readMany') throw new Error('the store is away')
        }),
    })
    await save(recorded, 'job', 'take', { schedules, retry: { attempts: 3, delay: 1, maxDelay: 2 } })
    await recorded.scheduler.run(29)
    isDown = true
    await recorded.scheduler.run(45)
    isDown = false
    await recorded.scheduler.run(100)
    expect(recorded.scheduler.seconds('job').filter((second) => second % 20 !== 0)).toEqual([])
  })

  test('of a job that something follows starts nothing', async () => {
    const recorded = await begin()
    await save(recorded, 'next', 'take', { schedules: [{ every: 86_400 }] })
    await save(recorded, 'job', 'take', { schedules, then: [{ on: 'success', job: 'default/next' }] })
    await recorded.scheduler.run(200)
    expect(recorded.scheduler.seconds('job')).toEqual(range(20, 200, 20))
    expect(recorded.scheduler.seconds('next')).toEqual(range(20, 200, 20))
  })
})

describe('a stop by schedule that no executor carries out', () => {
  const schedules = [{ every: 20 }, { kind: 'stop', every: 30 }]
  const stopAt = async ({ scheduler }: RecordedScheduler, { id }: StoredJob, second: number) =>
    (await scheduler.entryOf(entryIdOf(id, 'stop'), START + second))?.status

  test('because its message was lost is on record as missed', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'job', 'take', { schedules })
    await recorded.scheduler.run(25)
    recorded.scheduler.isExecuting = false
    await recorded.scheduler.run(31)
    await recorded.scheduler.fast.purge()
    recorded.scheduler.isExecuting = true
    await recorded.scheduler.run(80)
    expect(await stopAt(recorded, job, 30)).toBe('MISSED')
    expect(await stopAt(recorded, job, 60)).toBe('SUCCEEDED')
  })

  test('because its executor died is on record as lost', async () => {
    const recorded = await begin({
      killExecutor: (environment) => (environment === 1 ? { call: 4, when: 'before' } : undefined),
    })
    const job = await save(recorded, 'job', 'take', {
      schedules: [{ every: 7200 }, { kind: 'stop', every: 30 }],
      timeout: 5,
    })
    await recorded.scheduler.run(80)
    expect(await stopAt(recorded, job, 30)).toBe('LOST')
    expect(await stopAt(recorded, job, 60)).toBe('SUCCEEDED')
  })
})

describe('a job that does nothing about missed instants', () => {
  test('runs again soon after the executor of its run died before it gave the lock on', async () => {
    const recorded = await begin()
    const { scheduler } = recorded
    const job = await save(recorded, 'job', 'take', {
      schedules: [{ every: 10 }],
      timeout: 3,
      misfire: { policy: 'DO_NOTHING' },
    })
    await scheduler.run(15)
    const ended: Holder = {
      runId: idOf(job, 10),
      trigger: 'SCHEDULE',
      instant: START + 10,
      nominal: START + 10,
      attempt: 1,
      depth: 0,
      openMs: null,
      deadline: START + 45,
      sentAt: null,
    }
    await scheduler.world.locks.change([
      { jobId: job.id, believed: FREE, decide: () => ({ lock: { ...FREE, holders: [ended] }, result: null }) },
    ])
    await scheduler.run(155)
    // Those that waited while the lock was held are too late for it; from then on every instant runs.
    expect(scheduler.seconds('job').filter((second) => second > 10)).toEqual(range(40, 150, 10))
    const seen = await statuses(recorded, job, 30)
    expect([20, 30].map((second) => seen.get(second))).toEqual(['MISSED', 'MISSED'])
  })
})

describe('a run that failed and is tried again', () => {
  test('waits as long as was drawn at first, also where the answer of the store was lost', async () => {
    const draws = [0.99, 0, 0, 0]
    let swaps = 0
    const recorded = await begin({
      seeExecutor: (world) => ({
        ...world,
        random: () => draws.shift() ?? 0,
        ledger: new Proxy(world.ledger, {
          get(ledger, name) {
            const member: unknown = Reflect.get(ledger, name)
            if (typeof member !== 'function') return member
            return async (...parameters: unknown[]) => {
              const answer: unknown = await Reflect.apply(member, ledger, parameters)
              swaps += name === 'swap' ? 1 : 0
              // The first is the claim, the second the end.
              if (name === 'swap' && swaps === 2) throw new Error('the answer was lost')
              return answer
            }
          },
        }),
      }),
    })
    const job = await save(recorded, 'job', 'flaky', {
      schedules: [{ at: formatInstant(START + 10) }],
      retry: { attempts: 1, delay: 20, maxDelay: 20 },
    })
    await recorded.scheduler.run(60)
    const [first, second] = recorded.recording.of(job.id)
    expect(second.startMs - first.startMs).toBeGreaterThan(19_000)
  })
})

/** Every message that is sent to the fast lane from now on. */
function keepSent({ scheduler }: RecordedScheduler): Message[] {
  const sent: Message[] = []
  const send = scheduler.fast.send.bind(scheduler.fast)
  Object.assign(scheduler.fast, {
    send: (messages: readonly Message[]) => {
      sent.push(...messages)
      return send(messages)
    },
  })
  return sent
}

describe('runs that have their job’s lock and have not started', () => {
  test('are sent again now and then, and not by every copy of a message about another', async () => {
    const recorded = await begin()
    const { scheduler } = recorded
    const sent = keepSent(recorded)
    const block = { strategy: 'CONCURRENT', max: 50 }
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 20 }], block })
    await scheduler.run(25)
    const [ended] = sent
    const holders = range(1, 10).map(
      (second): Holder => ({
        runId: idOf(job, second),
        trigger: 'SCHEDULE',
        instant: START + second,
        nominal: START + second,
        attempt: 2,
        depth: 0,
        openMs: null,
        deadline: START + 60,
        sentAt: START + second,
      }),
    )
    await scheduler.world.locks.change([
      { jobId: job.id, believed: FREE, decide: () => ({ lock: { ...FREE, holders }, result: null }) },
    ])
    const before = sent.length
    const copies = Array.from({ length: 30 }, () => ended)
    await scheduler.fast.send(copies)
    await scheduler.run(28)
    expect(sent.length - before).toBe(copies.length + holders.length)
  })
})

describe('runs that wait in line while an edit makes their job too long for the fast lane', () => {
  test('start one after the other, and do not hand the lock round among them', async () => {
    const recorded = await begin()
    const sent = keepSent(recorded)
    const part = { schedules: [{ every: 10 }], block: { strategy: 'SERIAL' }, payload: { ms: 35_000 } }
    await save(recorded, 'job', 'take', { ...part, timeout: 50 })
    await recorded.scheduler.run(42)
    const job = await save(recorded, 'job', 'take', { ...part, timeout: 70, payload: { ms: 100 } })
    await recorded.scheduler.run(60)
    expect([...(await statuses(recorded, job, 45)).values()]).toEqual(Array(4).fill('SUCCEEDED'))
    expect(sent.length).toBeLessThan(20)
  })
})

describe('a run that waits in line', () => {
  const FAR_FUTURE_MS = 9_000_000_000_000
  const openItems = async ({ scheduler }: RecordedScheduler, runId: string) =>
    (await scheduler.world.open.due(0, FAR_FUTURE_MS, 1000)).filter((open) => open.runId === runId)

  /** The run of second 40 waits behind that of second 20. */
  async function beginInLine() {
    const recorded = await begin()
    const sent = keepSent(recorded)
    const part = { schedules: [{ every: 20 }], block: { strategy: 'SERIAL' }, timeout: 55, payload: { ms: 50_000 } }
    const job = await save(recorded, 'job', 'take', part)
    await recorded.scheduler.run(42)
    expect((await recorded.scheduler.entryOf(job.id, START + 40))?.status).toBe('WAITING')
    return { recorded, sent, job, runId: idOf(job, 40) }
  }

  test('is in the list of open runs once, however often a ticker sends it', async () => {
    const { recorded, sent, runId } = await beginInLine()
    const copies = sent.filter(({ body: text }) => text.includes(`"second":${START + 40}`))
    expect(copies).toHaveLength(1)
    await recorded.scheduler.fast.send(Array.from({ length: 30 }, () => copies[0]))
    await recorded.scheduler.run(44)
    expect(await openItems(recorded, runId)).toHaveLength(1)
  })

  test('is sent once from the list of open runs, however often it stands there', async () => {
    const { recorded, sent, runId } = await beginInLine()
    const { scheduler } = recorded
    const [open] = await openItems(recorded, runId)
    for (const n of range(1, 30)) await scheduler.world.open.put({ ...open, dueMs: open.dueMs - n * 100 })
    const before = sent.length
    expect(await resendOpen(scheduler.world, 0, open.dueMs)).toBe(1)
    expect(sent.slice(before)).toHaveLength(1)
    expect(await openItems(recorded, runId)).toHaveLength(1)
  })
})

describe('a run that is ready to start', () => {
  test('and whose payload takes long to come does not start later than its job wants it', async () => {
    let isSlow = true
    let slow: TestScheduler | null = null
    const recorded = await begin({
      seeExecutor: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (name === 'bodies' && isSlow) await slow?.time.until(slow.time.nowMs() + 12_000)
        }),
    })
    slow = recorded.scheduler
    const payload = { much: 'x'.repeat(5000) }
    const job = await save(recorded, 'job', 'take', {
      schedules: [{ every: 30 }],
      misfire: { policy: 'DO_NOTHING' },
      payload,
    })
    await recorded.scheduler.run(50)
    isSlow = false
    await recorded.scheduler.run(70)
    expect(recorded.scheduler.seconds('job')).toEqual([60])
    expect((await statuses(recorded, job, 60)).get(30)).toBe('MISSED')
  })
})

describe('a run that is due while its job catches up', () => {
  test('starts when nothing is left to catch up, though the last of that ended before this was written', async () => {
    let changes = 0
    let isDown = true
    const recorded = await begin({
      see: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (name !== 'change') return
          changes += 1
          // The first says what is to be caught up; those that say that it is done fail for a while.
          if (changes > 1 && isDown) throw new Error('the store is away')
        }),
    })
    const { scheduler } = recorded
    await save(recorded, 'job', 'take', { schedules: [{ every: 100 }], misfire: { policy: 'CATCH_UP', window: 3600 } })
    await scheduler.run(30)
    scheduler.time.skip(420)
    await scheduler.run(570)
    expect(scheduler.seconds('job')).toEqual([100, 200, 300, 400])
    isDown = false
    await scheduler.run(580)
    expect(scheduler.seconds('job')).toEqual([100, 200, 300, 400, 500])
  })
})

describe('a chain that fell behind', () => {
  test('by minutes gains on the clock, also where most of what it left is too late to start', async () => {
    let isDown = false
    let slow: TestScheduler | null = null
    const { scheduler } = await begin({
      see: (world) => beforeEveryCall(world, async () => slow?.time.until(slow.time.nowMs() + 8)),
    })
    slow = scheduler
    const { fast } = scheduler.world.queues
    const sent = fast.send.bind(fast)
    Object.assign(fast, {
      send: async (messages: Parameters<typeof sent>[0]) => (isDown ? [...messages] : sent(messages)),
    })
    await saveBody(scheduler.world, body('job', { misfire: { policy: 'DO_NOTHING' } }), asking)
    await saveBody(scheduler.world, body('other', { schedules: [{ every: 5 }] }), asking)
    await scheduler.run(20)
    isDown = true
    await scheduler.run(200)
    isDown = false
    await scheduler.run(230)
    const shard = await scheduler.world.shards.read(0)
    expect(shard?.fence).toBeGreaterThanOrEqual(START + 229)
    expect((shard?.fence ?? 0) - (shard?.sentThrough ?? 0)).toBeLessThan(5)
  })
})

describe('a run whose executor is gone', () => {
  test('is sent again by a ticker that has just come, though the queue is busy', async () => {
    const { scheduler } = await begin()
    const { job } = await saveBody(
      scheduler.world,
      body('job', { schedules: [{ every: 60 }], timeout: 5, retry: { attempts: 1 } }),
      asking,
    )
    scheduler.isExecuting = false
    await scheduler.run(61)
    const claim = { status: 'RUNNING', attempt: 1, token: 'gone', deadlineSecond: START + 75 } as const
    await scheduler.world.ledger.swap({ shard: 0, second: START + 60, depth: 0, page: 0 }, [
      { id: job.id, expect: null, next: claim },
    ])
    const queued = Array.from({ length: 40 }, () => ({ body: '{}', delaySeconds: 0 }))
    await scheduler.fast.send(queued)
    scheduler.rig.ticks.kill()
    scheduler.time.skip(60)
    const before = await scheduler.fast.counts()
    const memory = new ShardMemory(scheduler.world, 0)
    const item = await scheduler.world.shards.read(0)
    await memory.drain(START)
    const audited = await auditShard(scheduler.world, memory, {
      ...(item as NonNullable<typeof item>),
      sentThrough: START + 61,
    })
    expect(audited.resent).toBe(1)
    expect((await scheduler.fast.counts()).visible).toBe(before.visible + 1)
  })
})

describe('a stop that cancels what is queued', () => {
  test('holds also for runs that are sent again after it', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 10 }] })
    recorded.scheduler.isExecuting = false
    await recorded.scheduler.run(21)
    await recorded.scheduler.fast.purge()
    await stopJob(
      recorded.scheduler.world,
      job.definition,
      { code: 'BY_HAND', reason: 'enough', queued: 'cancel' },
      asking,
    )
    await recorded.scheduler.run(50)
    recorded.scheduler.isExecuting = true
    await recorded.scheduler.run(80)
    expect(recorded.scheduler.seconds('job')).toEqual([])
    expect([...(await statuses(recorded, job, 60))]).toEqual([
      [10, 'CANCELLED'],
      [20, 'CANCELLED'],
    ])
  })
})

describe('a job that is stopped while it is caught up', () => {
  test('keeps no shard awake, and goes on when it is started', async () => {
    const { scheduler } = await begin()
    const misfire = { policy: 'CATCH_UP', window: 86_400 }
    const { job } = await saveBody(scheduler.world, body('job', { schedules: [{ every: 5 }], misfire }), asking)
    await scheduler.run(30)
    scheduler.time.skip(3600)
    await scheduler.run(3640)
    await stopJob(scheduler.world, job.definition, { code: 'BY_HAND', reason: 'wait' }, asking)
    await scheduler.run(3700)
    const caughtUp = scheduler.sent.filter(({ trigger }) => trigger === 'CATCH_UP').length
    expect((await scheduler.world.shards.read(0))?.sleepUntil).not.toBeNull()
    await startJob(scheduler.world, job.definition, asking)
    await scheduler.run(3800)
    expect(caughtUp).toBeLessThan(715)
    expect(scheduler.sent.filter(({ trigger }) => trigger === 'CATCH_UP').length).toBeGreaterThan(caughtUp)
    expect((await scheduler.world.states.read(job.id)).catchUp).toEqual([])
  })
})

describe('a job that is stopped while a ticker is held up', () => {
  test('is not caught up by that ticker, which planned before the stop', async () => {
    let heldUp: TestScheduler | null = null
    const recorded = await begin({
      see: (world) =>
        beforeEveryCall(world, async (_, name, part) => {
          if (heldUp === null || part !== 'open' || name !== 'due') return
          const { time } = heldUp
          heldUp = null
          await time.until(time.nowMs() + 30_000)
        }),
    })
    const { scheduler } = recorded
    const misfire = { policy: 'CATCH_UP', window: 86_400 }
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 2 }], misfire })
    await scheduler.run(30)
    scheduler.time.skip(3600)
    await scheduler.run(3632)
    heldUp = scheduler
    await scheduler.run(3645)
    expect(heldUp).toBeNull()
    await stopJob(scheduler.world, job.definition, { code: 'BY_HAND', reason: 'wait' }, asking)
    await scheduler.run(3650)
    const { catchUp } = await scheduler.world.states.read(job.id)
    expect(catchUp).toHaveLength(1)
    await scheduler.run(3700)
    expect((await scheduler.world.states.read(job.id)).catchUp).toEqual(catchUp)
  })
})

describe('a job that was stopped while it is caught up and has no instant ahead', () => {
  test('goes on with what it missed when it is started', async () => {
    const { scheduler } = await begin()
    const misfire = { policy: 'CATCH_UP', window: 86_400 }
    const endAt = formatInstant(START + 3605)
    const { job } = await saveBody(scheduler.world, body('job', { schedules: [{ every: 5 }], misfire, endAt }), asking)
    await scheduler.run(30)
    scheduler.time.skip(3600)
    await scheduler.run(3640)
    await stopJob(scheduler.world, job.definition, { code: 'BY_HAND', reason: 'wait' }, asking)
    await scheduler.run(3700)
    expect((await scheduler.world.states.read(job.id)).catchUp).not.toEqual([])
    await startJob(scheduler.world, job.definition, asking)
    await scheduler.run(3900)
    expect((await scheduler.world.states.read(job.id)).catchUp).toEqual([])
    expect(scheduler.sent.filter(({ trigger }) => trigger === 'CATCH_UP').length).toBeGreaterThan(600)
    await expect(startJob(scheduler.world, job.definition, asking)).rejects.toThrow()
  })
})

/** A request by hand with an Idempotency-Key. */
const byKey = (key: string) => ({ by: ANNA, request: { hash: key, bodyHash: '' } })

describe('a run by hand', () => {
  test('is one run however often and in whatever second it is asked for', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 86_400 }] })
    const { runId: first } = await triggerJob(recorded.scheduler.world, job, { ...byKey('a'), payload: { ms: 5 } })
    await recorded.scheduler.run(5)
    expect(await triggerJob(recorded.scheduler.world, job, byKey('a'))).toEqual({ runId: first, isReplay: true })
    const other = await triggerJob(recorded.scheduler.world, job, { ...byKey('b'), instant: START })
    expect(other).toMatchObject({ isReplay: false })
    expect(other.runId).not.toBe(first)
    await recorded.scheduler.run(10)
    expect(recorded.scheduler.sent.map(({ trigger, runId }) => [trigger, runId === first])).toEqual([
      ['MANUAL', true],
      ['MANUAL', false],
    ])
  })

  test('is started though its client stalled for minutes while it put the run, and lost its message', async () => {
    const recorded = await begin()
    const { scheduler } = recorded
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 5 }] })
    const stalling = beforeEveryCall(scheduler.world, async (_, name) => {
      if (name === 'putRun') await scheduler.time.until((START + 150) * 1000)
    })
    const deaf = { send: async (unsent: readonly Message[]) => ({ unsent, refused: [] }) }
    const world = { ...stalling, queues: { fast: deaf, slow: deaf } }
    const asked = triggerJob(world, job, byKey('a'))
    await scheduler.run(160)
    const { runId } = await asked
    await scheduler.run(260)
    expect(scheduler.sent.filter((sent) => sent.runId === runId)).toHaveLength(1)
  })

  test('starts also where its job is stopped', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 86_400 }], status: 'STOPPED' })
    await triggerJob(recorded.scheduler.world, job, byKey('a'))
    await recorded.scheduler.run(3)
    expect(recorded.scheduler.sent).toHaveLength(1)
  })
})

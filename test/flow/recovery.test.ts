// Troubles that only showed when many of them came together, each as what somebody would have seen of it.

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
import { ANNA, asking, body, range } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { type Staged, stagesOfThisFile } from '../support/stages.ts'
import { START, type Town } from '../support/town.ts'
import { beforeEveryCall } from '../support/worlds/every-call.ts'

const { begin, save, statuses, idOf } = stagesOfThisFile()

describe('a stop by schedule', () => {
  const schedules = [{ every: 20 }, { kind: 'stop', every: 30 }]

  test('that cannot be carried out does not start the job in its stead, however often it may be tried', async () => {
    let isDown = false
    const staged = await begin({
      seeExecutor: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (isDown && name === 'readMany') throw new Error('the store is away')
        }),
    })
    await save(staged, 'job', 'take', { schedules, retry: { attempts: 3, delay: 1, maxDelay: 2 } })
    await staged.town.run(29)
    isDown = true
    await staged.town.run(45)
    isDown = false
    await staged.town.run(100)
    expect(staged.town.seconds('job').filter((second) => second % 20 !== 0)).toEqual([])
  })

  test('of a job that something follows starts nothing', async () => {
    const staged = await begin()
    await save(staged, 'next', 'take', { schedules: [{ every: 86_400 }] })
    await save(staged, 'job', 'take', { schedules, then: [{ on: 'success', job: 'default/next' }] })
    await staged.town.run(200)
    expect(staged.town.seconds('job')).toEqual(range(20, 200, 20))
    expect(staged.town.seconds('next')).toEqual(range(20, 200, 20))
  })
})

describe('a stop by schedule that nobody carries out', () => {
  const schedules = [{ every: 20 }, { kind: 'stop', every: 30 }]
  const stopAt = async ({ town }: Staged, { id }: StoredJob, second: number) =>
    (await town.entryOf(entryIdOf(id, 'stop'), START + second))?.status

  test('because its message was lost is on record as missed', async () => {
    const staged = await begin()
    const job = await save(staged, 'job', 'take', { schedules })
    await staged.town.run(25)
    staged.town.isExecuting = false
    await staged.town.run(31)
    await staged.town.fast.purge()
    staged.town.isExecuting = true
    await staged.town.run(80)
    expect(await stopAt(staged, job, 30)).toBe('MISSED')
    expect(await stopAt(staged, job, 60)).toBe('SUCCEEDED')
  })

  test('because its executor died is on record as lost', async () => {
    const staged = await begin({
      killExecutor: (environment) => (environment === 1 ? { call: 4, when: 'before' } : undefined),
    })
    const job = await save(staged, 'job', 'take', {
      schedules: [{ every: 7200 }, { kind: 'stop', every: 30 }],
      timeout: 5,
    })
    await staged.town.run(80)
    expect(await stopAt(staged, job, 30)).toBe('LOST')
    expect(await stopAt(staged, job, 60)).toBe('SUCCEEDED')
  })
})

describe('a job that does nothing about missed instants', () => {
  test('runs again soon after the executor of its run died before it gave the lock on', async () => {
    const staged = await begin()
    const { town } = staged
    const job = await save(staged, 'job', 'take', {
      schedules: [{ every: 10 }],
      timeout: 3,
      misfire: { policy: 'DO_NOTHING' },
    })
    await town.run(15)
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
    await town.world.locks.change([
      { jobId: job.id, believed: FREE, decide: () => ({ lock: { ...FREE, holders: [ended] }, result: null }) },
    ])
    await town.run(155)
    // Those that waited while the lock was held are too late for it; from then on every instant runs.
    expect(town.seconds('job').filter((second) => second > 10)).toEqual(range(40, 150, 10))
    const seen = await statuses(staged, job, 30)
    expect([20, 30].map((second) => seen.get(second))).toEqual(['MISSED', 'MISSED'])
  })
})

describe('a run that failed and is tried again', () => {
  test('waits as long as was drawn at first, also where the answer of the store was lost', async () => {
    const draws = [0.99, 0, 0, 0]
    let swaps = 0
    const staged = await begin({
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
    const job = await save(staged, 'job', 'flaky', {
      schedules: [{ at: formatInstant(START + 10) }],
      retry: { attempts: 1, delay: 20, maxDelay: 20 },
    })
    await staged.town.run(60)
    const [first, second] = staged.stage.of(job.id)
    expect(second.startMs - first.startMs).toBeGreaterThan(19_000)
  })
})

/** Every message that is sent to the fast lane from now on. */
function keepSent({ town }: Staged): Message[] {
  const sent: Message[] = []
  const send = town.fast.send.bind(town.fast)
  Object.assign(town.fast, {
    send: (messages: readonly Message[]) => {
      sent.push(...messages)
      return send(messages)
    },
  })
  return sent
}

describe('runs that have their job’s lock and have not started', () => {
  test('are sent again now and then, and not by every copy of a message about another', async () => {
    const staged = await begin()
    const { town } = staged
    const sent = keepSent(staged)
    const block = { strategy: 'CONCURRENT', max: 50 }
    const job = await save(staged, 'job', 'take', { schedules: [{ every: 20 }], block })
    await town.run(25)
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
    await town.world.locks.change([
      { jobId: job.id, believed: FREE, decide: () => ({ lock: { ...FREE, holders }, result: null }) },
    ])
    const before = sent.length
    const copies = Array.from({ length: 30 }, () => ended)
    await town.fast.send(copies)
    await town.run(28)
    expect(sent.length - before).toBe(copies.length + holders.length)
  })
})

describe('runs that wait in line while an edit makes their job too long for the fast lane', () => {
  test('start one after the other, and do not hand the lock round among them', async () => {
    const staged = await begin()
    const sent = keepSent(staged)
    const part = { schedules: [{ every: 10 }], block: { strategy: 'SERIAL' }, payload: { ms: 35_000 } }
    await save(staged, 'job', 'take', { ...part, timeout: 50 })
    await staged.town.run(42)
    const job = await save(staged, 'job', 'take', { ...part, timeout: 70, payload: { ms: 100 } })
    await staged.town.run(60)
    expect([...(await statuses(staged, job, 45)).values()]).toEqual(Array(4).fill('SUCCEEDED'))
    expect(sent.length).toBeLessThan(20)
  })
})

describe('a run that waits in line', () => {
  const FAR_FUTURE_MS = 9_000_000_000_000
  const openItems = async ({ town }: Staged, runId: string) =>
    (await town.world.open.due(0, FAR_FUTURE_MS, 1000)).filter((open) => open.runId === runId)

  /** The run of second 40 waits behind that of second 20. */
  async function beginInLine() {
    const staged = await begin()
    const sent = keepSent(staged)
    const part = { schedules: [{ every: 20 }], block: { strategy: 'SERIAL' }, timeout: 55, payload: { ms: 50_000 } }
    const job = await save(staged, 'job', 'take', part)
    await staged.town.run(42)
    expect((await staged.town.entryOf(job.id, START + 40))?.status).toBe('WAITING')
    return { staged, sent, job, runId: idOf(job, 40) }
  }

  test('is in the list of open runs once, however often a ticker sends it', async () => {
    const { staged, sent, runId } = await beginInLine()
    const copies = sent.filter(({ body: text }) => text.includes(`"second":${START + 40}`))
    expect(copies).toHaveLength(1)
    await staged.town.fast.send(Array.from({ length: 30 }, () => copies[0]))
    await staged.town.run(44)
    expect(await openItems(staged, runId)).toHaveLength(1)
  })

  test('is sent once from the list of open runs, however often it stands there', async () => {
    const { staged, sent, runId } = await beginInLine()
    const { town } = staged
    const [open] = await openItems(staged, runId)
    for (const n of range(1, 30)) await town.world.open.put({ ...open, dueMs: open.dueMs - n * 100 })
    const before = sent.length
    expect(await resendOpen(town.world, 0, open.dueMs)).toBe(1)
    expect(sent.slice(before)).toHaveLength(1)
    expect(await openItems(staged, runId)).toHaveLength(1)
  })
})

describe('a run that is ready to start', () => {
  test('and whose payload takes long to come does not start later than its job wants it', async () => {
    let isSlow = true
    let slow: Town | null = null
    const staged = await begin({
      seeExecutor: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (name === 'bodies' && isSlow) await slow?.time.until(slow.time.nowMs() + 12_000)
        }),
    })
    slow = staged.town
    const payload = { much: 'x'.repeat(5000) }
    const job = await save(staged, 'job', 'take', {
      schedules: [{ every: 30 }],
      misfire: { policy: 'DO_NOTHING' },
      payload,
    })
    await staged.town.run(50)
    isSlow = false
    await staged.town.run(70)
    expect(staged.town.seconds('job')).toEqual([60])
    expect((await statuses(staged, job, 60)).get(30)).toBe('MISSED')
  })
})

describe('a run that is due while its job catches up', () => {
  test('starts when nothing is left to catch up, though the last of that ended before this was written', async () => {
    let changes = 0
    let isDown = true
    const staged = await begin({
      see: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (name !== 'change') return
          changes += 1
          // The first says what is to be caught up; those that say that it is done fail for a while.
          if (changes > 1 && isDown) throw new Error('the store is away')
        }),
    })
    const { town } = staged
    await save(staged, 'job', 'take', { schedules: [{ every: 100 }], misfire: { policy: 'CATCH_UP', window: 3600 } })
    await town.run(30)
    town.time.skip(420)
    await town.run(570)
    expect(town.seconds('job')).toEqual([100, 200, 300, 400])
    isDown = false
    await town.run(580)
    expect(town.seconds('job')).toEqual([100, 200, 300, 400, 500])
  })
})

describe('a chain that fell behind', () => {
  test('by minutes gains on the clock, also where most of what it left is too late to start', async () => {
    let isDown = false
    let slow: Town | null = null
    const { town } = await begin({
      see: (world) => beforeEveryCall(world, async () => slow?.time.until(slow.time.nowMs() + 8)),
    })
    slow = town
    const { fast } = town.world.queues
    const sent = fast.send.bind(fast)
    Object.assign(fast, {
      send: async (messages: Parameters<typeof sent>[0]) => (isDown ? [...messages] : sent(messages)),
    })
    await saveBody(town.world, body('job', { misfire: { policy: 'DO_NOTHING' } }), asking)
    await saveBody(town.world, body('other', { schedules: [{ every: 5 }] }), asking)
    await town.run(20)
    isDown = true
    await town.run(200)
    isDown = false
    await town.run(230)
    const shard = await town.world.shards.read(0)
    expect(shard?.fence).toBeGreaterThanOrEqual(START + 229)
    expect((shard?.fence ?? 0) - (shard?.sentThrough ?? 0)).toBeLessThan(5)
  })
})

describe('a run whose executor is gone', () => {
  test('is sent again by a ticker that has just come, though the queue is busy', async () => {
    const { town } = await begin()
    const { job } = await saveBody(
      town.world,
      body('job', { schedules: [{ every: 60 }], timeout: 5, retry: { attempts: 1 } }),
      asking,
    )
    town.isExecuting = false
    await town.run(61)
    const claim = { status: 'RUNNING', attempt: 1, token: 'gone', deadlineSecond: START + 75 } as const
    await town.world.ledger.swap({ shard: 0, second: START + 60, depth: 0, page: 0 }, [
      { id: job.id, expect: null, next: claim },
    ])
    const queued = Array.from({ length: 40 }, () => ({ body: '{}', delaySeconds: 0 }))
    await town.fast.send(queued)
    town.rig.ticks.kill()
    town.time.skip(60)
    const before = await town.fast.counts()
    const memory = new ShardMemory(town.world, 0)
    const item = await town.world.shards.read(0)
    await memory.drain(START)
    const audited = await auditShard(town.world, memory, {
      ...(item as NonNullable<typeof item>),
      sentThrough: START + 61,
    })
    expect(audited.resent).toBe(1)
    expect((await town.fast.counts()).visible).toBe(before.visible + 1)
  })
})

describe('a stop that cancels what is queued', () => {
  test('holds also for runs that are sent again after it', async () => {
    const staged = await begin()
    const job = await save(staged, 'job', 'take', { schedules: [{ every: 10 }] })
    staged.town.isExecuting = false
    await staged.town.run(21)
    await staged.town.fast.purge()
    await stopJob(staged.town.world, job.definition, { code: 'BY_HAND', reason: 'enough', queued: 'cancel' }, asking)
    await staged.town.run(50)
    staged.town.isExecuting = true
    await staged.town.run(80)
    expect(staged.town.seconds('job')).toEqual([])
    expect([...(await statuses(staged, job, 60))]).toEqual([
      [10, 'CANCELLED'],
      [20, 'CANCELLED'],
    ])
  })
})

describe('a job that is stopped while it is caught up', () => {
  test('keeps no shard awake, and goes on when it is started', async () => {
    const { town } = await begin()
    const misfire = { policy: 'CATCH_UP', window: 86_400 }
    const { job } = await saveBody(town.world, body('job', { schedules: [{ every: 5 }], misfire }), asking)
    await town.run(30)
    town.time.skip(3600)
    await town.run(3640)
    await stopJob(town.world, job.definition, { code: 'BY_HAND', reason: 'wait' }, asking)
    await town.run(3700)
    const caughtUp = town.sent.filter(({ trigger }) => trigger === 'CATCH_UP').length
    expect((await town.world.shards.read(0))?.sleepUntil).not.toBeNull()
    await startJob(town.world, job.definition, asking)
    await town.run(3800)
    expect(caughtUp).toBeLessThan(715)
    expect(town.sent.filter(({ trigger }) => trigger === 'CATCH_UP').length).toBeGreaterThan(caughtUp)
    expect((await town.world.states.read(job.id)).catchUp).toEqual([])
  })
})

describe('a job that is stopped while a ticker is held up', () => {
  test('is not caught up by that ticker, which planned before the stop', async () => {
    let heldUp: Town | null = null
    const staged = await begin({
      see: (world) =>
        beforeEveryCall(world, async (_, name, part) => {
          if (heldUp === null || part !== 'open' || name !== 'due') return
          const { time } = heldUp
          heldUp = null
          await time.until(time.nowMs() + 30_000)
        }),
    })
    const { town } = staged
    const misfire = { policy: 'CATCH_UP', window: 86_400 }
    const job = await save(staged, 'job', 'take', { schedules: [{ every: 2 }], misfire })
    await town.run(30)
    town.time.skip(3600)
    await town.run(3632)
    heldUp = town
    await town.run(3645)
    expect(heldUp).toBeNull()
    await stopJob(town.world, job.definition, { code: 'BY_HAND', reason: 'wait' }, asking)
    await town.run(3650)
    const { catchUp } = await town.world.states.read(job.id)
    expect(catchUp).toHaveLength(1)
    await town.run(3700)
    expect((await town.world.states.read(job.id)).catchUp).toEqual(catchUp)
  })
})

describe('a job that was stopped while it is caught up and has no instant ahead', () => {
  test('goes on with what it missed when it is started', async () => {
    const { town } = await begin()
    const misfire = { policy: 'CATCH_UP', window: 86_400 }
    const endAt = formatInstant(START + 3605)
    const { job } = await saveBody(town.world, body('job', { schedules: [{ every: 5 }], misfire, endAt }), asking)
    await town.run(30)
    town.time.skip(3600)
    await town.run(3640)
    await stopJob(town.world, job.definition, { code: 'BY_HAND', reason: 'wait' }, asking)
    await town.run(3700)
    expect((await town.world.states.read(job.id)).catchUp).not.toEqual([])
    await startJob(town.world, job.definition, asking)
    await town.run(3900)
    expect((await town.world.states.read(job.id)).catchUp).toEqual([])
    expect(town.sent.filter(({ trigger }) => trigger === 'CATCH_UP').length).toBeGreaterThan(600)
    await expect(startJob(town.world, job.definition, asking)).rejects.toThrow()
  })
})

/** A request by hand with an Idempotency-Key. */
const byKey = (key: string) => ({ by: ANNA, request: { hash: key, bodyHash: '' } })

describe('a run by hand', () => {
  test('is one run however often and in whatever second it is asked for', async () => {
    const staged = await begin()
    const job = await save(staged, 'job', 'take', { schedules: [{ every: 86_400 }] })
    const { runId: first } = await triggerJob(staged.town.world, job, { ...byKey('a'), payload: { ms: 5 } })
    await staged.town.run(5)
    expect(await triggerJob(staged.town.world, job, byKey('a'))).toEqual({ runId: first, isReplay: true })
    const other = await triggerJob(staged.town.world, job, { ...byKey('b'), instant: START })
    expect(other).toMatchObject({ isReplay: false })
    expect(other.runId).not.toBe(first)
    await staged.town.run(10)
    expect(staged.town.sent.map(({ trigger, runId }) => [trigger, runId === first])).toEqual([
      ['MANUAL', true],
      ['MANUAL', false],
    ])
  })

  test('is started though its client stalled for minutes while it put the run, and lost its message', async () => {
    const staged = await begin()
    const { town } = staged
    const job = await save(staged, 'job', 'take', { schedules: [{ every: 5 }] })
    const stalling = beforeEveryCall(town.world, async (_, name) => {
      if (name === 'putRun') await town.time.until((START + 150) * 1000)
    })
    const deaf = { send: async (unsent: readonly Message[]) => ({ unsent, refused: [] }) }
    const world = { ...stalling, queues: { fast: deaf, slow: deaf } }
    const asked = triggerJob(world, job, byKey('a'))
    await town.run(160)
    const { runId } = await asked
    await town.run(260)
    expect(town.sent.filter((sent) => sent.runId === runId)).toHaveLength(1)
  })

  test('starts also where its job is stopped', async () => {
    const staged = await begin()
    const job = await save(staged, 'job', 'take', { schedules: [{ every: 86_400 }], status: 'STOPPED' })
    await triggerJob(staged.town.world, job, byKey('a'))
    await staged.town.run(3)
    expect(staged.town.sent).toHaveLength(1)
  })
})

import { describe, expect, test } from 'vitest'
import { idOfText } from '../../shared/core/job/id.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { isTerminal, type RunStatus } from '../../shared/core/run/status.ts'
import { cancelRun } from '../../shared/flow/execute/cancel.ts'
import { deleteJob, startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import type { Message } from '../../shared/ports.ts'
import { beforeEveryCall } from '../support/backends/every-call.ts'
import { asking, body, range } from '../support/job-body.ts'
import { ALL_TAKEN } from '../support/memory/queue.ts'
import { type RecordedScheduler, recordedSchedulersOfThisFile } from '../support/recorded-schedulers.ts'
import { saveBody } from '../support/save.ts'
import { mostAtOnce } from '../support/sweep.ts'
import { START } from '../support/test-scheduler.ts'

const { begin, save, statuses, detailOf, firstOf, idOf } = recordedSchedulersOfThisFile()

/** Nothing is left behind: no open run, no lock, and every instant has ended. */
async function expectAllOver(
  { scheduler }: RecordedScheduler,
  jobs: readonly StoredJob[],
  known: readonly Map<number, string>[],
) {
  expect(await scheduler.world.open.due(0, 9e12, 1000)).toEqual([])
  for (const job of jobs) expect(await scheduler.world.locks.read(job.id)).toEqual({ holders: [], waiting: [] })
  for (const each of known) expect([...each].filter(([, status]) => !isTerminal(status as RunStatus))).toEqual([])
}

describe('an executor that is killed', () => {
  const points = range(1, 24).flatMap((call) => [
    { call, when: 'before' as const },
    { call, when: 'after' as const },
  ])

  test.each(points)(
    'at call $call, $when its effect: its page’s runs end, no attempt without a cause',
    async (point) => {
      const recorded = await begin({ killExecutor: (n) => (n === 1 ? point : undefined), executors: 2 })
      const schedules = [{ every: 100 }]
      const retry = { attempts: 1, delay: 5, maxDelay: 5 }
      const part = { schedules, timeout: 20, payload: { ms: 600 } }
      const plain = await save(recorded, 'plain', 'take', part)
      const tried = await save(recorded, 'tried', 'take', { ...part, retry })
      const busy = await save(recorded, 'busy', 'take', { ...part, schedules: [{ every: 50 }], retry })
      const next = await save(recorded, 'next', 'take', { schedules: [{ every: 86_400 }] })
      const first = await save(recorded, 'first', 'take', {
        ...part,
        retry,
        then: [{ on: 'success', job: 'default/next' }],
      })
      await recorded.scheduler.run(99)
      await recorded.scheduler.run(399)
      const jobs = [plain, tried, busy, first]
      const known = await Promise.all(jobs.map((job) => statuses(recorded, job, 300)))
      await expectAllOver(recorded, jobs, known)
      // With an attempt to spare nothing is lost; without one at most what the dead executor had claimed.
      for (const each of known.slice(1))
        expect([...each.values()].filter((status) => status !== 'SUCCEEDED')).toEqual([])
      expect([...known[0].values()].filter((status) => status !== 'SUCCEEDED' && status !== 'LOST')).toEqual([])
      expect([...known[0].values()].filter((status) => status === 'LOST').length).toBeLessThanOrEqual(1)
      for (const job of jobs) {
        const starts = recorded.scheduler.sent.filter(({ name }) => name === job.definition.name)
        expect(new Set(starts.map(({ runId, attempt }) => `${runId} ${attempt}`)).size).toBe(starts.length)
      }
      const followers = recorded.scheduler.sent.filter(({ name }) => name === 'next').map(({ runId }) => runId)
      expect(followers.sort()).toEqual(
        [100, 200, 300].map((second) => `${next.id}.${START + second}.d${idOfText(idOf(first, second))}`).sort(),
      )
    },
  )

  test('in the middle of a long run is replaced when its beats have stopped, long before the timeout', async () => {
    const recorded = await begin()
    const retry = { attempts: 1, delay: 5, maxDelay: 5 }
    const schedules = [{ every: 2000 }]
    // A chain that is awake looks every ten seconds; while the shard sleeps the minute rule does.
    await save(recorded, 'wakes', 'take', { schedules: [{ every: 60 }] })
    const job = await save(recorded, 'long', 'take', { schedules, timeout: 800, payload: { ms: 60_000 }, retry })
    await recorded.scheduler.run(2030)
    recorded.scheduler.rig.executors.slow.kill()
    await recorded.scheduler.run(2160)
    const starts = recorded.scheduler.sent.filter(({ name }) => name === 'long')
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(starts[1].atMs / 1000 - START).toBeLessThan(2030 + 60)
    expect(await recorded.scheduler.entryOf(job.id, START + 2000)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 })
  })

  test('leaves a run without retries LOST, with the reason, and the job goes on', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'once', 'take', { schedules: [{ every: 10 }], timeout: 8, payload: { ms: 5000 } })
    await recorded.scheduler.run(22)
    recorded.scheduler.rig.executors.fast.kill()
    await recorded.scheduler.run(90)
    const known = await statuses(recorded, job, 50)
    expect([...known]).toEqual([10, 20, 30, 40, 50].map((second) => [second, second === 20 ? 'LOST' : 'SUCCEEDED']))
    expect((await detailOf(recorded, job, 20))?.reason).toBe('its executor is gone, and no attempt is left')
    expect(mostAtOnce(recorded.recording.of(job.id).filter(({ second }) => second !== START + 20))).toBe(1)
    const failures = await recorded.scheduler.world.ledger.recent(0, Math.floor(START / 3600), 'failed')
    expect(failures.map(({ runId }) => runId)).toEqual([idOf(job, 20)])
  })
})

describe('a zombie', () => {
  test.each(range(3, 12))(
    'that wakes up at call %d after its run was taken over writes nothing any more',
    async (stalls) => {
      const recorded: RecordedScheduler = await begin({
        seeExecutor: (world, number) =>
          number !== 1
            ? world
            : beforeEveryCall(world, async (call) => {
                if (call === stalls) await recorded.scheduler.time.until(recorded.scheduler.time.nowMs() + 60_000)
              }),
      })
      const retry = { attempts: 1, delay: 5, maxDelay: 5 }
      const job = await save(recorded, 'job', 'take', {
        schedules: [{ every: 100 }],
        timeout: 10,
        payload: { ms: 500 },
        retry,
      })
      await recorded.scheduler.run(290)
      const known = await statuses(recorded, job, 200)
      expect([...known.values()]).toEqual(['SUCCEEDED', 'SUCCEEDED'])
      const starts = recorded.scheduler.sent.map(({ runId, attempt }) => `${runId} ${attempt}`)
      expect(new Set(starts).size).toBe(starts.length)
      await expectAllOver(recorded, [job], [known])
    },
  )
})

describe('a queue', () => {
  const every10 = { schedules: [{ every: 10 }], timeout: 4 }

  test('that delivers everything ten times starts everything once', async () => {
    const recorded = await begin()
    const { fast } = recorded.scheduler
    const { send } = fast
    fast.send = async (messages) =>
      send.call(
        fast,
        messages.flatMap((each) => Array.from({ length: 10 }, () => each)),
      )
    const jobs = [await save(recorded, 'rare', 'take', every10), await save(recorded, 'dense', 'take', { timeout: 4 })]
    await recorded.scheduler.run(40)
    expect(recorded.scheduler.seconds('rare')).toEqual([10, 20, 30, 40])
    expect(recorded.scheduler.seconds('dense')).toEqual(range(firstOf(jobs[1]), 40))
  })

  test('that turns the order round keeps SERIAL runs apart and starts all of them', async () => {
    const recorded = await begin()
    const { fast } = recorded.scheduler
    const { send } = fast
    const held: Message[] = []
    fast.send = async (messages) => {
      // What a ticker sends comes four at a time and the wrong way round; who was given the lock is not held up.
      const isOfTicker = ({ body: text }: Message) => !text.includes('openMs')
      held.push(...messages.filter(isOfTicker))
      await send.call(
        fast,
        messages.filter((each) => !isOfTicker(each)),
      )
      return held.length < 4 ? ALL_TAKEN : send.call(fast, held.splice(0).reverse())
    }
    const job = await save(recorded, 'dense', 'take', { timeout: 4, payload: { ms: 300 } })
    await recorded.scheduler.run(60)
    const spans = recorded.recording.of(job.id)
    expect(mostAtOnce(spans)).toBe(1)
    expect(recorded.scheduler.seconds('dense').filter((second) => second <= 40)).toEqual(range(firstOf(job), 40))
  })

  test('that delivers an hour late starts what may still start, and says why of the rest', async () => {
    const recorded = await begin()
    const { fast } = recorded.scheduler
    const { send } = fast
    const late: Message[] = []
    let isHeld = true
    fast.send = async (messages) => {
      if (!isHeld) return send.call(fast, messages)
      late.push(...messages)
      return ALL_TAKEN
    }
    // The audit would send everything again, and must find it in the queue.
    const { counts } = fast
    fast.counts = async () => (isHeld ? { visible: 1, inFlight: 0, delayed: 0 } : counts.call(fast))
    const jobs = await Promise.all([
      save(recorded, 'usual', 'take', { schedules: [{ every: 86_400 }, { at: '2027-01-15T08:00:10Z' }], timeout: 5 }),
      save(recorded, 'nothing', 'take', {
        schedules: [{ at: '2027-01-15T08:00:10Z' }],
        misfire: { policy: 'DO_NOTHING' },
      }),
      save(recorded, 'fresh', 'take', { schedules: [{ at: '2027-01-15T08:00:10Z' }], maxLateness: 60 }),
      save(recorded, 'stopped', 'take', { schedules: [{ every: 86_400 }, { at: '2027-01-15T08:00:10Z' }], timeout: 5 }),
    ])
    await recorded.scheduler.run(20)
    await stopJob(
      recorded.scheduler.world,
      jobs[3].definition,
      { code: 'BY_HAND', reason: 'r', queued: 'cancel' },
      asking,
    )
    recorded.scheduler.time.skip(3600)
    isHeld = false
    await send.call(fast, late)
    await recorded.scheduler.run(3680)
    const [usual, nothing, fresh, stopped] = await Promise.all(
      jobs.map((job) => recorded.scheduler.entryOf(job.id, START + 10)),
    )
    expect(usual?.status).toBe('SUCCEEDED')
    expect(nothing?.status).toBe('MISSED')
    expect(['EXPIRED', 'MISSED']).toContain(fresh?.status)
    expect(stopped?.status).toBe('CANCELLED')
    expect(recorded.scheduler.seconds('usual')).toEqual([10])
  })
})

describe('a message that nobody can carry out', () => {
  test('ends among the dead letters and as a failed run with its reason, and harms no other of its page', async () => {
    const recorded = await begin()
    const { fast } = recorded.scheduler
    const { send } = fast
    // Tickets of one job come out broken, as from a ticker that is newer than the executors.
    fast.send = (messages) =>
      send.call(
        fast,
        messages.map(({ body: text, ...rest }) => ({
          ...rest,
          body: text.replace(/("name":"poison",)/, '$1"block":7,'),
        })),
      )
    const schedules = [{ every: 20_000 }]
    const good = await save(recorded, 'good', 'take', { schedules, timeout: 5 })
    const poison = await save(recorded, 'poison', 'take', { schedules, timeout: 5 })
    await recorded.scheduler.run(3)
    recorded.scheduler.time.skip(20_000 - 100)
    await recorded.scheduler.run(20_000 + 10)
    expect(await recorded.scheduler.entryOf(good.id, START + 20_000)).toMatchObject({
      status: 'SUCCEEDED',
      startOffsetMs: 0,
    })
    await recorded.scheduler.run(20_000 + 6 * 540)
    expect((await recorded.scheduler.entryOf(poison.id, START + 20_000))?.status).toBe('FAILED')
    expect((await detailOf(recorded, poison, 20_000))?.reason).toContain('its message failed every time it came')
    const { visible, inFlight } = await recorded.scheduler.dead.counts()
    expect(visible + inFlight).toBeGreaterThanOrEqual(1)
    expect(recorded.scheduler.seconds('good')).toEqual([20_000])
  })

  test.each([' ', 'no json', '{"type":"page"}', '{"type":"run","shard":0}', '[]'])(
    'of which nothing can be read stays among the dead letters: %j',
    async (text) => {
      const recorded = await begin()
      await recorded.scheduler.fast.send([{ body: text }])
      recorded.scheduler.time.skip(10)
      for (const minutes of range(1, 60, 9)) await recorded.scheduler.run(minutes * 60)
      const { visible, inFlight } = await recorded.scheduler.dead.counts()
      expect(visible + inFlight).toBe(1)
      expect(recorded.scheduler.lines.some((line) => line.includes('could not be carried out'))).toBe(true)
    },
  )
})

describe('a store that fails', () => {
  test('between claim and start gives the runs back, and they run', async () => {
    let isDown = false
    const recorded = await begin({
      seeExecutor: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (isDown && name === 'changes') throw new Error('the store is away')
        }),
    })
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 10 }], timeout: 4 })
    await recorded.scheduler.run(9)
    isDown = true
    await recorded.scheduler.run(12)
    expect((await recorded.scheduler.entryOf(job.id, START + 10))?.status).toBe('QUEUED')
    isDown = false
    await recorded.scheduler.run(70)
    expect(await recorded.scheduler.entryOf(job.id, START + 10)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 })
  })

  test('for some seconds when runs end does not lose them', async () => {
    let isDown = false
    const recorded = await begin({
      seeExecutor: (world) =>
        beforeEveryCall(world, async (_, name) => {
          if (isDown && name === 'swap') throw new Error('the store is away')
        }),
    })
    const job = await save(recorded, 'job', 'take', { schedules: [{ every: 100 }], timeout: 9, payload: { ms: 1000 } })
    await recorded.scheduler.time.run((START + 100) * 1000 + 500)
    isDown = true
    await recorded.scheduler.run(105)
    isDown = false
    await recorded.scheduler.run(110)
    expect(await recorded.scheduler.entryOf(job.id, START + 100)).toMatchObject({
      status: 'SUCCEEDED',
      attempt: 1,
      durationMs: 1000,
    })
  })
})

describe('stops, edits and deletes in the life of a run', () => {
  /** Moments around the instant 10, in milliseconds: before it is planned, planned, claimed, running, ended. */
  const moments = [-2900, -1500, -900, -100, 0, 50, 500, 1500, 2600]
  const part = { schedules: [{ every: 10 }], timeout: 4, payload: { ms: 2000 } }

  test.each(moments)(
    '%d ms from its instant, a stop or a delete lets what was due before it run, and nothing after',
    async (ms) => {
      const recorded = await begin()
      const stopped = await save(recorded, 'stopped', 'take', part)
      const deleted = await save(recorded, 'deleted', 'take', part)
      await recorded.scheduler.time.run((START + 10) * 1000 + ms)
      const { job: stop } = await stopJob(
        recorded.scheduler.world,
        stopped.definition,
        { code: 'BY_HAND', reason: 'r' },
        asking,
      )
      const { job: gone } = await deleteJob(recorded.scheduler.world, deleted.definition, asking)
      await recorded.scheduler.run(40)
      for (const [job, now] of [
        [stopped, stop],
        [deleted, gone],
      ]) {
        const from = now.versions[1].activeFrom - START
        expect(recorded.scheduler.seconds(job.definition.name)).toEqual([10, 20].filter((second) => second < from))
      }
      expect(from(stop)).toBeLessThanOrEqual(20)
    },
  )

  const from = (job: StoredJob) => job.versions[1].activeFrom - START

  test.each(moments)(
    '%d ms from its instant, an edit holds from its time on, with the payload of the claim',
    async (ms) => {
      const recorded = await begin()
      await save(recorded, 'edited', 'take', { ...part, history: { keepDetail: true } })
      await recorded.scheduler.time.run((START + 10) * 1000 + ms)
      const { job } = await saveBody(
        recorded.scheduler.world,
        body('edited', {
          ...part,
          schedules: [{ every: 15 }],
          payload: { ms: 100 },
          target: { type: 'handler', handler: 'take' },
          history: { keepDetail: true },
        }),
        asking,
      )
      await recorded.scheduler.run(50)
      const activeFrom = from(job)
      const expected = [
        ...[10, 20].filter((second) => second < activeFrom),
        ...[15, 30, 45].filter((s) => s >= activeFrom),
      ]
      expect(recorded.scheduler.seconds('edited')).toEqual(expected)
      expect((await detailOf(recorded, job, 30))?.output).toEqual({ took: 100 })
    },
  )

  test('a stop that cancels what is queued ends a run that waits, and not the one that runs', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'dense', 'take', { timeout: 30, payload: { ms: 8000 } })
    await recorded.scheduler.run(10)
    await stopJob(
      recorded.scheduler.world,
      job.definition,
      { code: 'BY_HAND', reason: 'enough', queued: 'cancel' },
      asking,
    )
    await recorded.scheduler.run(80)
    const known = [...(await statuses(recorded, job, 12)).values()]
    expect(known[0]).toBe('SUCCEEDED')
    expect(new Set(known.slice(1))).toEqual(new Set(['CANCELLED']))
    expect((await detailOf(recorded, job, firstOf(job) + 2))?.reason).toBe('its job was stopped: enough')
  })

  test('a job that is started again runs from then on', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'again', 'take', part)
    await recorded.scheduler.run(12)
    await stopJob(recorded.scheduler.world, job.definition, { code: 'BY_HAND', reason: 'r' }, asking)
    await recorded.scheduler.run(32)
    await startJob(recorded.scheduler.world, job.definition, asking)
    await recorded.scheduler.run(52)
    expect(recorded.scheduler.seconds('again')).toEqual([10, 40, 50])
  })

  test('a stop by schedule ends what runs and what waits, a restart runs instead', async () => {
    const recorded = await begin()
    const schedules = [
      { cron: '0,1,2 * * * * *' },
      { kind: 'stop', cron: '10 * * * * *' },
      { kind: 'restart', cron: '30 * * * * *' },
    ]
    const job = await save(recorded, 'kinds', 'take', { schedules, timeout: 55, payload: { ms: 50_000 } })
    await recorded.scheduler.run(75)
    const [runs, second, third] = await Promise.all(
      [60, 61, 62].map((each) => recorded.scheduler.entryOf(job.id, START + each)),
    )
    expect([runs?.status, second?.status, third?.status]).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
    const abort = recorded.recording.aborted.find(({ runId }) => runId === idOf(job, 60))
    expect((abort?.atMs ?? 0) - (START + 70) * 1000).toBeLessThanOrEqual(2000)
    await recorded.scheduler.run(92)
    expect((await recorded.scheduler.entryOf(job.id, START + 90))?.status).toBe('RUNNING')
    expect(recorded.scheduler.sent.at(-1)).toMatchObject({ trigger: 'RESTART', second: START + 90 })
  })

  test('a stop by schedule ends a run that time keeps apart and that has no lock', async () => {
    const recorded = await begin()
    const schedules = [{ cron: '0 * * * * *' }, { kind: 'stop', cron: '2 * * * * *' }]
    const job = await save(recorded, 'apart', 'take', { schedules, timeout: 7, payload: { ms: 6500 } })
    await recorded.scheduler.run(61)
    expect(await recorded.scheduler.world.locks.read(job.id)).toEqual({ holders: [], waiting: [] })
    await recorded.scheduler.run(80)
    expect((await recorded.scheduler.entryOf(job.id, START + 60))?.status).toBe('CANCELLED')
    expect(recorded.recording.aborted[0].atMs - (START + 62) * 1000).toBeLessThanOrEqual(2000)
  })

  test('a cancel reaches the handler within two seconds, and what it says late is not taken', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'deaf', 'ignore', {
      schedules: [{ every: 100 }],
      timeout: 30,
      payload: { ms: 9000 },
    })
    await recorded.scheduler.run(102)
    const depth = (await recorded.scheduler.world.shards.read(0))?.depths.get(START + 100) ?? null
    const run = { runId: idOf(job, 100), depth, trigger: 'SCHEDULE' } as const
    expect(await cancelRun(recorded.scheduler.world.ledger, 0, run, 'asked by anna')).toBe('cancelled')
    const cancelledMs = recorded.scheduler.time.nowMs()
    await recorded.scheduler.run(120)
    expect(recorded.recording.aborted[0].atMs - cancelledMs).toBeLessThanOrEqual(2000)
    expect(await recorded.scheduler.entryOf(job.id, START + 100)).toMatchObject({ status: 'CANCELLED', durationMs: 0 })
    expect((await detailOf(recorded, job, 100))?.reason).toBe('asked by anna')
    expect(await cancelRun(recorded.scheduler.world.ledger, 0, run, 'again')).toBe('ended')
  })
})

import { describe, expect, test } from 'vitest'
import { defineHandlers } from '../../shared/core/handlers.ts'
import { idOfText } from '../../shared/core/job/id.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { ticketJobOf, writeTicketJob } from '../../shared/core/run/message.ts'
import { findJob } from '../../shared/flow/find-job.ts'
import { JobDirectory } from '../../shared/flow/job-directory.ts'
import { stopJob } from '../../shared/flow/manage-jobs.ts'
import { putStandalone } from '../../shared/flow/put-standalone.ts'
import { saveHandlerJobs } from '../../shared/flow/save-handler-jobs.ts'
import { asking, range } from '../support/job-body.ts'
import { type RecordedScheduler, recordedSchedulersOfThisFile } from '../support/recorded-schedulers.ts'
import { mostAtOnce } from '../support/sweep.ts'
import { START } from '../support/test-scheduler.ts'

const { begin, save, statuses, detailOf, firstOf, idOf } = recordedSchedulersOfThisFile()

/** Puts a run by hand, as the API will. */
async function trigger({ scheduler }: RecordedScheduler, job: StoredJob, suffix: string): Promise<string> {
  const second = Math.floor(scheduler.time.nowMs() / 1000)
  const message = await putStandalone(scheduler.world, {
    shard: 0,
    id: { jobId: job.id, second, suffix },
    trigger: 'MANUAL',
    instant: null,
    nominal: null,
    lane: 'fast',
    changesReadAtMs: scheduler.time.nowMs(),
    ticket: writeTicketJob(ticketJobOf(job)),
  })
  if (message !== null) await scheduler.fast.send([message])
  return `${job.id}.${second}.${suffix}`
}

const entryOfRun = async ({ scheduler }: RecordedScheduler, job: StoredJob, second: number, suffix: string) =>
  (await scheduler.world.ledger.readRun({ jobId: job.id, second, suffix }))?.entry

describe('then', () => {
  const schedules = [{ every: 100 }]
  const never = { schedules: [{ every: 86_400 }] }
  const suffixOf = (runId: string) => `d${idOfText(runId)}`

  test('triggers what follows a success and what follows a failure, once each', async () => {
    const recorded = await begin()
    const next = await save(recorded, 'next', 'take', never)
    const repair = await save(recorded, 'repair', 'take', never)
    const then = [
      { on: 'success', job: 'default/next' },
      { on: 'failure', job: 'default/repair' },
    ]
    const good = await save(recorded, 'good', 'take', { schedules, then, timeout: 5 })
    const bad = await save(recorded, 'bad', 'flaky', { schedules, then, timeout: 5 })
    await recorded.scheduler.run(150)
    expect(recorded.scheduler.sent.filter(({ name }) => name === 'next').map(({ runId }) => runId)).toEqual([
      `${next.id}.${START + 100}.${suffixOf(idOf(good, 100))}`,
    ])
    const [repaired] = recorded.scheduler.sent.filter(({ name }) => name === 'repair')
    expect(repaired).toMatchObject({
      runId: `${repair.id}.${START + 100}.${suffixOf(idOf(bad, 100))}`,
      trigger: 'DEPENDENCY',
    })
    expect(await recorded.scheduler.world.open.due(0, 9e12, 10)).toEqual([])
  })

  test('of a stopped job is recorded as skipped, and one that is gone is warned of', async () => {
    const recorded = await begin()
    const next = await save(recorded, 'next', 'take', never)
    await stopJob(recorded.scheduler.world, next.definition, { code: 'BY_HAND', reason: 'r' }, asking)
    const then = ['next', 'gone'].map((name) => ({ on: 'success', job: `default/${name}` }))
    const good = await save(recorded, 'good', 'take', { schedules, then, timeout: 5 })
    await recorded.scheduler.run(150)
    const entry = await entryOfRun(recorded, next, START + 100, suffixOf(idOf(good, 100)))
    expect(entry?.status).toBe('SKIPPED')
    expect(recorded.scheduler.warnings().some((line) => line.includes('default/gone'))).toBe(true)
    expect(recorded.scheduler.seconds('next')).toEqual([])
  })
})

describe('after', () => {
  const soon = { schedules: [{ every: 10 }], timeout: 5 }

  test('starts a run only while the job it comes after has succeeded lately', async () => {
    const recorded = await begin()
    const load = await save(recorded, 'load', 'take', { ...soon, schedules: [{ every: 30 }] })
    const report = await save(recorded, 'report', 'take', {
      ...soon,
      after: [{ job: 'default/load', within: 12 }],
    })
    await recorded.scheduler.run(75)
    const known = await statuses(recorded, report, 70)
    // Whether the runs of one second find each other depends on which ends first; a second later it is certain.
    const certain = [...known].filter(([second]) => second % 30 !== 0)
    expect(certain).toEqual([
      [10, 'SKIPPED'],
      [20, 'SKIPPED'],
      [40, 'SUCCEEDED'],
      [50, 'SKIPPED'],
      [70, 'SUCCEEDED'],
    ])
    expect((await detailOf(recorded, report, 20))?.reason).toBe('default/load has not succeeded in the last 12 s')
    expect((await detailOf(recorded, report, 50))?.reason).toBe('default/load has not succeeded in the last 12 s')
    expect(recorded.scheduler.seconds('load')).toEqual([30, 60])
    expect(firstOf(load)).toBeLessThan(30)
  })
})

describe('skipIfSuccessful', () => {
  test('skips an instant when a run by hand has succeeded since the one before', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'daily', 'take', {
      schedules: [{ every: 100 }],
      timeout: 5,
      skipIfSuccessful: true,
    })
    await recorded.scheduler.run(150)
    await trigger(recorded, job, 'm1')
    await recorded.scheduler.run(320)
    expect([...(await statuses(recorded, job, 320))].filter(([second]) => second % 100 === 0)).toEqual([
      [100, 'SUCCEEDED'],
      [200, 'SKIPPED'],
      [300, 'SUCCEEDED'],
    ])
    expect(recorded.scheduler.sent.filter(({ trigger: by }) => by === 'MANUAL')).toHaveLength(1)
  })
})

describe('a run by hand', () => {
  test('is started once however often it is put, and waits while another of its job runs', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'busy', 'take', { schedules: [{ every: 20 }], timeout: 9, payload: { ms: 5000 } })
    await recorded.scheduler.run(21)
    const runId = await trigger(recorded, job, 'm1')
    await trigger(recorded, job, 'm1')
    await recorded.scheduler.run(50)
    const [span] = recorded.recording.of(job.id).filter((each) => each.runId === runId)
    expect(span.startMs).toBeGreaterThanOrEqual((START + 25) * 1000)
    expect(recorded.scheduler.sent.filter((each) => each.runId === runId)).toHaveLength(1)
    expect(mostAtOnce(recorded.recording.of(job.id))).toBe(1)
    expect((await entryOfRun(recorded, job, START + 21, 'm1'))?.status).toBe('SUCCEEDED')
  })

  test('keeps clear of scheduled runs that have no lock', async () => {
    const recorded = await begin()
    const job = await save(recorded, 'rare', 'take', {
      schedules: [{ every: 300 }],
      timeout: 60,
      payload: { ms: 50_000 },
    })
    await recorded.scheduler.run(250)
    // Within sixty-five seconds a scheduled run is due, which might meet it.
    await trigger(recorded, job, 'm1')
    await recorded.scheduler.run(450)
    const spans = recorded.recording.of(job.id)
    expect(spans).toHaveLength(2)
    expect(mostAtOnce(spans)).toBe(1)
    expect(spans.map(({ startMs }) => startMs / 1000 - START)).toEqual([300, 371])
  })
})

describe('lanes', () => {
  /** The seconds in which runs were sent to the slow lane, from now on. */
  function slowSeconds({ scheduler }: RecordedScheduler): readonly number[] {
    const seconds: number[] = []
    const { send } = scheduler.slow
    scheduler.slow.send = (messages) => {
      seconds.push(...messages.map(() => Math.floor(scheduler.time.nowMs() / 1000) - START))
      return send.call(scheduler.slow, messages)
    }
    return seconds
  }

  test('a job whose runs are long moves to the slow lane and comes back when they are short again', async () => {
    const recorded = await begin()
    const slow = slowSeconds(recorded)
    const part = { schedules: [{ every: 2 }], timeout: 2 }
    const job = await save(recorded, 'growing', 'take', { ...part, payload: { ms: 700 } })
    await recorded.scheduler.run(60)
    // Eleven long runs at every other second, and the ticker knows within a second or two.
    expect(slow[0]).toBeGreaterThan(firstOf(job) + 20)
    expect(slow[0]).toBeLessThan(firstOf(job) + 28)
    await save(recorded, 'growing', 'take', { ...part, payload: { ms: 10 } })
    await recorded.scheduler.run(240)
    expect(Math.max(...slow)).toBeGreaterThanOrEqual(118)
    expect(Math.max(...slow)).toBeLessThan(124)
    const seconds = recorded.scheduler.seconds('growing')
    expect(seconds.filter((second) => second >= 130 && second <= 238)).toEqual(range(130, 238, 2))
    expect(new Set(seconds).size).toBe(seconds.length)
  })

  test('what a lane is, a ticker that begins anew knows too', async () => {
    const recorded = await begin()
    const slow = slowSeconds(recorded)
    await save(recorded, 'growing', 'take', { schedules: [{ every: 2 }], timeout: 2, payload: { ms: 700 } })
    await recorded.scheduler.run(40)
    recorded.scheduler.rig.ticks.kill()
    await recorded.scheduler.run(70)
    expect(slow.filter((second) => second >= 52 && second <= 70).length).toBeGreaterThanOrEqual(9)
  })
})

test('a job whose schedule stands beside its handler is saved at the start, says so, and runs', async () => {
  const beside = { cleanup: { schedule: '*/10 * * * * *', zone: 'UTC', timeout: 3, run: () => null } }
  const recorded = await begin({ handlers: () => beside })
  const { world } = recorded.scheduler
  const directory = new JobDirectory(world, world.shardCount)
  expect(await saveHandlerJobs(world, directory, defineHandlers(beside))).toEqual({ saved: 1, deleted: 0, refused: [] })
  const job = await findJob(world, { namespace: 'default', name: 'cleanup' })
  expect(job).toMatchObject({ managedBy: 'code', definition: { timeout: 3 } })
  await recorded.scheduler.run(35)
  expect(recorded.scheduler.seconds('cleanup')).toEqual([10, 20, 30])
})

describe('what executors say', () => {
  test('is how late runs started and how they ended', async () => {
    const recorded = await begin()
    await save(recorded, 'good', 'take', { schedules: [{ every: 10 }], timeout: 5, payload: { ms: 300 } })
    await save(recorded, 'bad', 'flaky', { schedules: [{ every: 10 }], timeout: 5, retry: { attempts: 1, delay: 2 } })
    await recorded.scheduler.run(16)
    const metrics = recorded.scheduler.lines
      .filter((line) => line.includes('"succeeded"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(metrics[0]).toMatchObject({ stack: 'local', succeeded: 1, startLateness: [0, 0] })
    // Another attempt is not late for anything.
    expect(metrics[1]).toMatchObject({ succeeded: 1 })
    expect(metrics[1]).not.toHaveProperty('startLateness')
  })

  test('a handler’s own lines are kept with a run that has a record, and always written out', async () => {
    const recorded = await begin({
      handlers: () => ({
        talks: (run) => {
          run.log('one')
          run.log('two')
          return { done: true }
        },
      }),
    })
    const job = await save(recorded, 'talks', 'talks', { schedules: [{ every: 10 }], history: { keepDetail: true } })
    await recorded.scheduler.run(12)
    expect(await detailOf(recorded, job, 10)).toMatchObject({
      log: [{ line: 'one' }, { line: 'two' }],
      output: { done: true },
      executor: 'scheduler',
    })
    expect(recorded.scheduler.lines.filter((line) => line.includes('"line":"two"'))).toHaveLength(1)
  })
})

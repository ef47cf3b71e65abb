import { expect, test } from 'vitest'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import type { OutcomeEntry } from '../../shared/core/pages/entry.ts'
import { pageKeyOfJob } from '../../shared/core/pages/page.ts'
import { patchJob } from '../../shared/flow/manage-jobs.ts'
import { cancelRun } from '../../shared/flow/runs/cancel-run.ts'
import { type FoundRun, findRun } from '../../shared/flow/runs/find-run.ts'
import { payloadOf, retryRun } from '../../shared/flow/runs/retry-run.ts'
import { statusOfRun } from '../../shared/flow/runs/view.ts'
import { triggerJob } from '../../shared/flow/trigger-job.ts'
import type { Message } from '../../shared/ports.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { ANNA, asking, body } from '../support/job-body.ts'
import { ALL_TAKEN } from '../support/memory/queue.ts'
import { saveBody } from '../support/save.ts'

interface Scene {
  readonly world: World
  readonly job: StoredJob
  /** The first instant of the job, whose second is opened and whose run no executor has claimed. */
  readonly first: number
}

/** A job of every ten seconds with a few instants behind it. */
async function begin(make: MakeWorld): Promise<Scene> {
  const real = await make(1, { losesEvery: 10 })
  let passedMs = 0
  const world: World = { ...real, clock: { nowMs: () => real.clock.nowMs() + passedMs } }
  const now = Math.floor(world.clock.nowMs() / 1000)
  await world.shards.make(1, now - 1)
  const part = { schedules: [{ every: 10 }], payload: { region: 'eu' } }
  const { job, activeFrom } = await saveBody(world, body('job', part), asking)
  const first = Math.ceil(activeFrom / 10) * 10
  const seen = await world.shards.read(0)
  if (seen === null) throw new Error('no shard')
  const taken = await world.shards.takeOver(0, seen, 'x', now)
  if (taken === null) throw new Error('not taken')
  const depths = new Map(Array.from({ length: 40 }, (_, n) => [activeFrom + n, 0]))
  const write = { epoch: 1, previousFence: taken.fence, fence: activeFrom + 39, link: 'y', leaseUntil: now }
  await world.shards.fence(0, { ...write, sentThrough: taken.sentThrough, depths, backlog: [] })
  passedMs = 60_000
  return { world, job, first }
}

const idOf = ({ id }: StoredJob, second: number, suffix = '') => `${id}.${second}${suffix}`
const asked = { by: ANNA, requestId: 'req_1' }

const find = async (world: World, runId: string): Promise<FoundRun> => {
  const run = await findRun(world, runId)
  if (run === null) throw new Error(`${runId} is not there`)
  return run
}

const settle = (world: World, { id }: StoredJob, second: number, status: OutcomeEntry['status']) =>
  world.ledger.swap(pageKeyOfJob(0, { jobId: id, second }, 0), [
    { id, expect: null, next: { status, attempt: 1, startOffsetMs: 5, durationMs: 10 } },
  ])

inEachBackend('a run that is cancelled', (make) => {
  test('never starts, says by whom, and stands in the audit', async () => {
    const { world, job, first } = await begin(make)
    const cancelled = await cancelRun(world, await find(world, idOf(job, first)), asked)
    expect(statusOfRun(cancelled)).toBe('CANCELLED')
    expect(cancelled.detail).toMatchObject({ reason: 'cancelled by anna' })
    const day = Math.floor(world.clock.nowMs() / 86_400_000)
    const entries = await world.audit.ofDay('default', day, 0, world.clock.nowMs() + 1000)
    expect(entries.find(({ action }) => action === 'run.cancel')).toMatchObject({
      target: idOf(job, first),
      by: ANNA,
      requestId: 'req_1',
    })
  })

  test('must have been due: a second at which the job had no instant has no run, and gets none', async () => {
    const { world, job, first } = await begin(make)
    expect(await findRun(world, idOf(job, first + 1))).toBeNull()
    const [{ entries }] = await world.ledger.readPages([pageKeyOfJob(0, { jobId: job.id, second: first + 1 }, 0)])
    expect(entries.size).toBe(0)
  })

  test('must have been due by now: an instant that has not come has no run', async () => {
    const { world, job, first } = await begin(make)
    expect(await findRun(world, idOf(job, first + 86_400))).toBeNull()
  })

  test('has one spelling of its id', async () => {
    const { world, job, first } = await begin(make)
    const spellings = [`0${first}`, `${first}.x`, `${first}.missed`, `${first}.missed-stops`, `${first}.`, `${first} `]
    for (const spelling of spellings) expect(await findRun(world, `${job.id}.${spelling}`), spelling).toBeNull()
    expect(await findRun(world, `AAAAAAAAAAA.${first}`)).toBeNull()
  })

  test('must not have ended, and one that ended meanwhile says how', async () => {
    const { world, job, first } = await begin(make)
    await settle(world, job, first, 'SUCCEEDED')
    const ended = { code: 'run-ended', message: expect.stringContaining('has ended as SUCCEEDED') }
    await expect(cancelRun(world, await find(world, idOf(job, first)), asked)).rejects.toMatchObject(ended)
    const stale = await find(world, idOf(job, first + 10))
    await settle(world, job, first + 10, 'SUCCEEDED')
    await expect(cancelRun(world, stale, asked)).rejects.toMatchObject(ended)
  })

  test('may be of an instant that was missed: then it has ended, with the reason', async () => {
    const { world, job, first } = await begin(make)
    const [from, to] = [first + 40, first + 50]
    await world.ledger.putMissed({ jobId: job.id, of: 'starts', from, to, count: 2, reason: 'away' })
    const run = await find(world, idOf(job, first + 40))
    expect([statusOfRun(run), run.detail.reason]).toEqual(['MISSED', 'away'])
    await expect(cancelRun(world, run, asked)).rejects.toMatchObject({ code: 'run-ended' })
  })
})

inEachBackend('a run that is retried', (make) => {
  function withQueues(world: World) {
    const sent: Message[] = []
    const send = async (messages: readonly Message[]) => {
      sent.push(...messages)
      return ALL_TAKEN
    }
    return { sent, world: { ...world, queues: { fast: { send }, slow: { send } } } }
  }

  test('is a new run for the same instant, with the payload it had, and follows from the first', async () => {
    const scene = await begin(make)
    const { world, sent } = withQueues(scene.world)
    const { first } = scene
    await settle(scene.world, scene.job, first, 'FAILED')
    const edit = { payload: { region: 'us' } }
    const { job } = await patchJob(world, scene.job.definition, edit, asking)
    const failed = await find(scene.world, idOf(job, first))
    const { runId } = await retryRun(world, failed, job, { ...asked, request: null })
    const retried = await find(scene.world, runId)
    expect(retried).toMatchObject({ trigger: 'MANUAL', instant: first, version: 2 })
    expect(retried.detail).toMatchObject({
      payload: { region: 'eu' },
      root: failed.runId,
      cause: { retryOf: failed.runId, run: null, operation: null, by: ANNA },
    })
    expect(await world.ledger.chainOf(failed.runId)).toEqual([runId])
    expect(sent).toHaveLength(1)
  })

  test('must have ended', async () => {
    const scene = await begin(make)
    const { world } = withQueues(scene.world)
    const open = await find(scene.world, idOf(scene.job, scene.first))
    await expect(retryRun(world, open, scene.job, { ...asked, request: null })).rejects.toMatchObject({
      code: 'run-open',
    })
  })

  test('has the large payload of the version that it ran with', async () => {
    const scene = await begin(make)
    const payload = { text: 'x'.repeat(5000) }
    const { job } = await patchJob(scene.world, scene.job.definition, { payload }, asking)
    await patchJob(scene.world, job.definition, { payload: {} }, asking)
    const id = { jobId: job.id, second: scene.first, suffix: '' }
    expect(await payloadOf(scene.world.jobs, { id, version: 2, detail: {} })).toEqual(payload)
    expect(await payloadOf(scene.world.jobs, { id, version: 1, detail: {} })).toEqual({ region: 'eu' })
    expect(await payloadOf(scene.world.jobs, { id, version: 99, detail: {} })).toBeUndefined()
  })

  test('by hand for an instant that has not come is refused', async () => {
    const scene = await begin(make)
    const { world } = withQueues(scene.world)
    const ahead = Math.floor(world.clock.nowMs() / 1000) + 120
    await expect(triggerJob(world, scene.job, { ...asked, request: null, instant: ahead })).rejects.toMatchObject({
      faults: [{ path: '/instant', code: 'run.instant-ahead' }],
    })
  })
})

import { expect, test } from 'vitest'
import { TooManyEdits } from '../../shared/core/job/edit.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import { isDeleted, statusAt } from '../../shared/core/job/stored.ts'
import { deleteJob, patchJob, startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { Refusal } from '../../shared/flow/refusals.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { ANNA, asking, body } from '../support/job-body.ts'
import { saveAll, saveBody } from '../support/save.ts'

async function begin(make: MakeWorld, losesEvery = 10): Promise<World> {
  const world = await make(1, { losesEvery })
  await world.shards.make(1, Math.floor(world.clock.nowMs() / 1000) - 1)
  return world
}

const named = (name: string) => ({ namespace: 'default', name })
const BY_HAND = { code: 'BY_HAND', reason: 'enough' } as const

inEachBackend('a name whose job was deleted', (make) => {
  test('is free for a request that creates only', async () => {
    const world = await begin(make)
    await saveBody(world, body('reborn'), { ...asking, ifVersion: 0 })
    await expect(saveBody(world, body('reborn'), { ...asking, ifVersion: 0 })).rejects.toMatchObject({ code: 'exists' })
    await deleteJob(world, named('reborn'), asking)
    const { job, result } = await saveBody(world, body('reborn'), { ...asking, ifVersion: 0 })
    expect([result, job.version]).toEqual(['CREATED', 3])
  })

  test('is not revived by a request that knows the version of its tombstone', async () => {
    const world = await begin(make)
    await saveBody(world, body('gone'), asking)
    await deleteJob(world, named('gone'), asking)
    for (const ifVersion of [1, 2]) {
      await expect(saveBody(world, body('gone'), { ...asking, ifVersion })).rejects.toMatchObject({
        code: 'stale-version',
        currentVersion: 0,
      })
    }
    const tombstone = await world.jobs.read(jobIdOf('default', 'gone'))
    expect(tombstone !== null && isDeleted(tombstone)).toBe(true)
  })
})

inEachBackend('a hundred requests at once for one job', (make) => {
  test('are each carried out or told to come again, and none fails for a reason of its own', async () => {
    const world = await begin(make)
    const bodies = Array.from({ length: 100 }, (_, priority) => body('wanted', { priority }))
    const outcomes = await saveAll(world, bodies, asking)
    const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []))
    for (const error of errors) {
      expect(error instanceof TooManyEdits || error instanceof Refusal, String(error)).toBe(true)
      if (error instanceof Refusal) expect(error).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 1 })
    }
    const job = await world.jobs.read(jobIdOf('default', 'wanted'))
    expect(job?.version).toBe(100 - errors.length)
  }, 60_000)
})

inEachBackend('a job that was edited twenty times within seconds', (make) => {
  async function edited(world: World): Promise<void> {
    for (let priority = 1; priority <= 20; priority++) await saveBody(world, body('busy', { priority }), asking)
  }

  test('is edited again half a minute later, and stopped and deleted at once', async () => {
    const world = await begin(make)
    await edited(world)
    const again = saveBody(world, body('busy', { priority: 21 }), asking)
    await expect(again).rejects.toMatchObject({ name: 'TooManyEdits', retryAfterSeconds: 30 })
    const { job } = await stopJob(world, named('busy'), BY_HAND, asking)
    expect(statusAt(job, job.versions[job.versions.length - 1].activeFrom)).toBe('STOPPED')
    const { job: longer } = await stopJob(world, named('busy'), { ...BY_HAND, reason: 'still' }, asking)
    expect(longer.stopped?.reason).toBe('still')
    expect((await deleteJob(world, named('busy'), asking)).result).toBe('DELETED')
  }, 60_000)

  test('is stopped as often as an operator wants, and keeps no more versions for it', async () => {
    const world = await begin(make)
    await edited(world)
    for (let stop = 1; stop <= 25; stop++) await stopJob(world, named('busy'), BY_HAND, asking)
    expect((await world.jobs.read(jobIdOf('default', 'busy')))?.versions.length).toBeLessThanOrEqual(22)
  }, 60_000)
})

inEachBackend('two patches of different fields at once', (make) => {
  test('both hold', async () => {
    const world = await begin(make)
    await saveBody(world, body('patched'), asking)
    await Promise.all([
      patchJob(world.again(), named('patched'), { priority: 7 }, asking),
      patchJob(world.again(), named('patched'), { description: 'patched' }, asking),
      patchJob(world.again(), named('patched'), { timeout: '2m' }, asking),
    ])
    expect((await world.jobs.read(jobIdOf('default', 'patched')))?.definition).toMatchObject({
      priority: 7,
      description: 'patched',
      timeout: 120,
    })
  })

  test('and a patch to null brings a default back', async () => {
    const world = await begin(make)
    await saveBody(world, body('patched', { priority: 7, timeout: 5, tags: { a: 'b' } }), asking)
    const { job } = await patchJob(world, named('patched'), { priority: null, timeout: null }, asking)
    expect(job.definition).toMatchObject({ priority: 0, timeout: 60, tags: { a: 'b' } })
  })

  test('and a patch leaves a stop in force', async () => {
    const world = await begin(make)
    await saveBody(world, body('patched'), asking)
    await stopJob(world, named('patched'), BY_HAND, asking)
    const { job } = await patchJob(world, named('patched'), { priority: 7 }, asking)
    expect(job).toMatchObject({ stopped: { reason: 'enough' }, definition: { status: 'STOPPED', priority: 7 } })
  })
})

inEachBackend('what is kept of a job', (make) => {
  test('says to the millisecond when it was made and changed, and all about a stop', async () => {
    const world = await begin(make)
    const atMs = world.clock.nowMs()
    const clock = { nowMs: () => atMs }
    const { job } = await saveBody({ ...world, clock }, body('kept'), asking)
    expect(job).toMatchObject({ createdAtMs: atMs, updatedAtMs: atMs })
    const until = Math.floor(atMs / 1000) + 600
    const stop = { ...BY_HAND, until, queued: 'cancel', operation: 'op_1' } as const
    const { job: stopped, activeFrom } = await stopJob(world, named('kept'), stop, asking)
    expect(stopped.stopped).toEqual({ ...stop, by: ANNA, atMs: stopped.updatedAtMs, from: activeFrom })
    expect(stopped.createdAtMs).toBe(atMs)
    expect(await world.again().jobs.read(job.id)).toEqual(stopped)
  })

  test('has every definition as it was saved, with who saved it and what differs', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('told', { payload: { text: 'x'.repeat(3000) } }), asking)
    await saveBody(world, body('told', { priority: 4 }), asking)
    await stopJob(world, named('told'), BY_HAND, asking)
    const { job: started } = await startJob(world, named('told'), asking)
    await saveBody(world, body('told', { priority: 4 }), asking)
    const { jobs } = world.again()
    const all = await jobs.definitions(job.id, null, 10)
    expect(all.map(({ version, status, by }) => [version, status, by.name])).toEqual([
      [4, 'RUNNING', 'anna'],
      [3, 'STOPPED', 'anna'],
      [2, 'RUNNING', 'anna'],
      [1, 'RUNNING', 'anna'],
    ])
    expect(all[2].changes.map(({ path }) => path)).toContain('/priority')
    expect(all[0]).toMatchObject({ activeFrom: started.versions.at(-1)?.activeFrom, atMs: started.updatedAtMs })
    expect((await jobs.definitions(job.id, 3, 1)).map(({ version }) => version)).toEqual([2])
    expect(await jobs.definition(job.id, 1)).toMatchObject({
      bodyVersion: 1,
      definition: { payload: null, priority: 0 },
    })
    expect(await jobs.definition(job.id, 9)).toBeNull()
    expect(await jobs.definitions(job.id, 1, 5)).toEqual([])
  })
})

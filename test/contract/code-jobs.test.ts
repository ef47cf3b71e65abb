// Jobs that stand beside the code, and who may change them.

import { expect, test } from 'vitest'
import { CODE } from '../../shared/core/actor.ts'
import { defineHandlers, type HandlerSet } from '../../shared/core/handlers.ts'
import { findJob } from '../../shared/flow/find-job.ts'
import { JobDirectory } from '../../shared/flow/job-directory.ts'
import { deleteJob, patchJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { saveHandlerJobs } from '../../shared/flow/save-handler-jobs.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { asking, body } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'

const scheduled = (schedule: string) => ({ schedule, run: () => null })
const named = (name: string) => ({ namespace: 'default', name })

async function begin(make: MakeWorld): Promise<World> {
  const world = await make(2, { losesEvery: 5 })
  await world.shards.make(2, Math.floor(world.clock.nowMs() / 1000) - 1)
  return world
}

const deploy = (world: World, handlers: HandlerSet) =>
  saveHandlerJobs(world, new JobDirectory(world, world.shardCount), defineHandlers(handlers))

inEachBackend('a deployment', (make) => {
  test('saves the jobs of its code, and deletes those that the code no longer has', async () => {
    const world = await begin(make)
    await saveBody(world, body('by-hand'), asking)
    const first = { stays: scheduled('0 3 * * *'), goes: scheduled('0 4 * * *') }
    expect(await deploy(world, first)).toEqual({ saved: 2, deleted: 0, refused: [] })
    expect(await deploy(world, { stays: scheduled('0 5 * * *') })).toEqual({ saved: 1, deleted: 1, refused: [] })
    expect(await findJob(world, named('goes'))).toBeNull()
    expect(await findJob(world, named('stays'))).toMatchObject({
      managedBy: 'code',
      version: 2,
      definition: { schedules: [{ cron: '0 5 * * *' }] },
    })
    expect(await findJob(world, named('by-hand'))).toMatchObject({ managedBy: null, version: 1 })
  })

  test('of the same code writes nothing', async () => {
    const world = await begin(make)
    await deploy(world, { stays: scheduled('0 3 * * *') })
    await deploy(world, { stays: scheduled('0 3 * * *') })
    expect((await findJob(world, named('stays')))?.version).toBe(1)
  })

  test('takes over a job of that name that nothing looks after, and leaves one that another file does', async () => {
    const world = await begin(make)
    await saveBody(world, body('free'), asking)
    await saveBody(world, body('taken'), { ...asking, manager: 'apply:repo' })
    const { saved, refused } = await deploy(world, { free: scheduled('0 3 * * *'), taken: scheduled('0 3 * * *') })
    expect(saved).toBe(1)
    expect(refused).toEqual([{ job: 'default/taken', reason: expect.stringContaining('is managed by apply:repo') }])
    expect((await findJob(world, named('free')))?.managedBy).toBe('code')
    expect((await findJob(world, named('taken')))?.managedBy).toBe('apply:repo')
  })
})

inEachBackend('a job that code looks after', (make) => {
  test('is not edited or deleted by hand, unless that is forced, and stays the code’s', async () => {
    const world = await begin(make)
    await deploy(world, { mine: scheduled('0 3 * * *') })
    const managed = { code: 'managed', message: expect.stringContaining('is managed by code') }
    await expect(saveBody(world, body('mine'), asking)).rejects.toMatchObject(managed)
    await expect(patchJob(world, named('mine'), { priority: 5 }, asking)).rejects.toMatchObject(managed)
    await expect(deleteJob(world, named('mine'), asking)).rejects.toMatchObject(managed)
    const { job } = await patchJob(world, named('mine'), { priority: 5 }, { ...asking, isForced: true })
    expect(job).toMatchObject({ managedBy: 'code', definition: { priority: 5 } })
    await deploy(world, { mine: scheduled('0 3 * * *') })
    expect((await findJob(world, named('mine')))?.definition.priority).toBe(0)
  })

  test('is stopped by hand, and stays stopped after the next deployment', async () => {
    const world = await begin(make)
    await deploy(world, { mine: scheduled('0 3 * * *') })
    await stopJob(world, named('mine'), { code: 'BY_HAND', reason: 'incident' }, asking)
    await deploy(world, { mine: scheduled('0 5 * * *') })
    expect(await findJob(world, named('mine'))).toMatchObject({ managedBy: 'code', stopped: { reason: 'incident' } })
  })

  test('whose name is saved anew after it was deleted belongs to the client that saves it', async () => {
    const world = await begin(make)
    await deploy(world, { mine: scheduled('0 3 * * *') })
    await deleteJob(world, named('mine'), { by: CODE, manager: 'code' })
    expect((await saveBody(world, body('mine'), asking)).job.managedBy).toBeNull()
  })
})

// Jobs that come to an end: what ends them, what brings them back, and what takes them away.

import { describe, expect, test } from 'vitest'
import { isDeleted, type StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { findJob } from '../../shared/flow/find-job.ts'
import { patchJob, startJob } from '../../shared/flow/manage-jobs.ts'
import { asking, body } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'
import { START, type TestScheduler } from '../support/test-scheduler.ts'
import { schedulersOfThisFile } from '../support/test-schedulers.ts'

const begin = schedulersOfThisFile()

const at = (second: number) => ({ at: formatInstant(START + second) })
const named = (name: string) => ({ namespace: 'default', name })
const read = (scheduler: TestScheduler, { id }: StoredJob) => scheduler.world.jobs.read(id)

describe('a one-time job that has run', () => {
  test('runs again when it is saved with another time', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('once', { schedules: [at(10)], timeout: 5 }), asking)
    await scheduler.run(30)
    expect((await read(scheduler, job))?.stopped).toMatchObject({ code: 'NO_INSTANT_LEFT' })
    const { job: again } = await saveBody(scheduler.world, body('once', { schedules: [at(50)], timeout: 5 }), asking)
    expect(again).toMatchObject({ stopped: null, definition: { status: 'RUNNING' } })
    await scheduler.run(80)
    expect(scheduler.seconds('once')).toEqual([10, 50])
  })

  test('runs again when it is patched with another time', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    await saveBody(scheduler.world, body('once', { schedules: [at(10)], timeout: 5 }), asking)
    await scheduler.run(30)
    await patchJob(scheduler.world, named('once'), { schedules: [at(50)] }, asking)
    await scheduler.run(80)
    expect(scheduler.seconds('once')).toEqual([10, 50])
  })

  test('stays at its end when it is saved as it was, and then writes nothing', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    await saveBody(scheduler.world, body('once', { schedules: [at(10)], timeout: 5 }), asking)
    await scheduler.run(30)
    const { result, job } = await saveBody(scheduler.world, body('once', { schedules: [at(10)], timeout: 5 }), asking)
    expect([result, job.stopped?.code]).toEqual(['UNCHANGED', 'NO_INSTANT_LEFT'])
    const { result: edited, job: after } = await patchJob(scheduler.world, named('once'), { priority: 3 }, asking)
    expect([edited, after.stopped?.code]).toEqual(['UPDATED', 'NO_INSTANT_LEFT'])
    await scheduler.run(60)
    expect(scheduler.seconds('once')).toEqual([10])
  })

  test('is not started, because nothing would come of it', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    const { job } = await saveBody(scheduler.world, body('once', { schedules: [at(10)], timeout: 5 }), asking)
    await scheduler.run(30)
    await expect(startJob(scheduler.world, named('once'), asking)).rejects.toMatchObject({
      code: 'schedule.never-fires',
    })
    const running = body('once', { schedules: [at(10)], timeout: 5, status: 'RUNNING' })
    await expect(saveBody(scheduler.world, running, asking)).rejects.toMatchObject({ code: 'schedule.never-fires' })
    expect((await read(scheduler, job))?.stopped).toMatchObject({ code: 'NO_INSTANT_LEFT' })
  })
})

describe('a job that is to be deleted after its end', () => {
  const HOUR = 3600

  test('is deleted then, where its shard is awake', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    await saveBody(scheduler.world, body('wakes', { schedules: [{ every: 60 }] }), asking)
    const { job } = await saveBody(scheduler.world, body('once', { schedules: [at(10)], deleteAfter: HOUR }), asking)
    await scheduler.run(HOUR)
    expect(await findJob(scheduler.world, named('once'))).not.toBeNull()
    await scheduler.run(HOUR + 60)
    const gone = await read(scheduler, job)
    expect(gone !== null && isDeleted(gone)).toBe(true)
    expect(scheduler.seconds('once')).toEqual([10])
    expect(scheduler.warnings().filter((line) => line.includes('was not dealt with'))).toEqual([])
  }, 60_000)

  test('is deleted then, where its shard sleeps', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    await saveBody(scheduler.world, body('once', { schedules: [at(10)], deleteAfter: '2h' }), asking)
    await scheduler.run(2 * HOUR - 400)
    expect((await scheduler.world.shards.read(0))?.sleepUntil).not.toBeNull()
    expect(await findJob(scheduler.world, named('once'))).not.toBeNull()
    await scheduler.run(2 * HOUR + 60)
    expect(await findJob(scheduler.world, named('once'))).toBeNull()
    await scheduler.run(2 * HOUR + 600)
    expect((await scheduler.world.shards.read(0))?.sleepUntil).not.toBeNull()
    expect(scheduler.warnings().filter((line) => line.includes('was not dealt with'))).toEqual([])
  }, 60_000)

  test('is deleted then, where its shard sleeps and no ticker remembers it', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    await saveBody(scheduler.world, body('once', { schedules: [at(10)], deleteAfter: HOUR }), asking)
    const part = { schedules: [{ every: 10 }], maxRuns: 2, deleteAfter: HOUR }
    await saveBody(scheduler.world, body('twice', part), asking)
    await scheduler.run(1000)
    scheduler.rig.ticks.kill()
    await scheduler.run(HOUR + 200)
    expect(await findJob(scheduler.world, named('once'))).toBeNull()
    expect(await findJob(scheduler.world, named('twice'))).toBeNull()
  }, 60_000)

  test('is deleted also where it had many instants', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    const part = { schedules: [{ every: 10 }], maxRuns: 2, deleteAfter: HOUR }
    const { job } = await saveBody(scheduler.world, body('twice', part), asking)
    await scheduler.run(HOUR + 100)
    expect(scheduler.seconds('twice')).toEqual([10, 20])
    const gone = await read(scheduler, job)
    expect(gone !== null && isDeleted(gone)).toBe(true)
  }, 60_000)

  test('stays where it was given another time meanwhile', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    await saveBody(scheduler.world, body('once', { schedules: [at(10)], deleteAfter: HOUR }), asking)
    await scheduler.run(1000)
    await patchJob(scheduler.world, named('once'), { schedules: [at(HOUR + 600)] }, asking)
    await scheduler.run(HOUR + 300)
    expect(await findJob(scheduler.world, named('once'))).not.toBeNull()
    await scheduler.run(HOUR + 700)
    expect(scheduler.seconds('once')).toEqual([10, HOUR + 600])
    await scheduler.run(2 * HOUR + 900)
    expect(await findJob(scheduler.world, named('once'))).toBeNull()
  }, 60_000)

  test('is deleted also where a deployment looks after it', async () => {
    const scheduler = begin()
    await scheduler.run(1)
    const once = body('once', { schedules: [at(10)], deleteAfter: HOUR })
    await saveBody(scheduler.world, once, { ...asking, manager: 'apply:repo' })
    await scheduler.run(HOUR + 300)
    expect(await findJob(scheduler.world, named('once'))).toBeNull()
  }, 60_000)
})

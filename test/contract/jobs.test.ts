import { expect, test } from 'vitest'
import { CODE } from '../../shared/core/actor.ts'
import { hashOfId, jobIdOf, shardOf } from '../../shared/core/job/id.ts'
import { isDeleted, type StoredJob } from '../../shared/core/job/stored.ts'
import { nextDue } from '../../shared/core/planner/due.ts'
import { Snapshot } from '../../shared/core/planner/snapshot.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { NEVER } from '../../shared/core/time/instants.ts'
import { deleteJob, patchJob, rescheduleJob, startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { nowOf } from '../../shared/flow/tick-world.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { before } from '../support/backends/before.ts'
import { ANNA, asking, body as jobBody } from '../support/job-body.ts'
import { putDocument } from '../support/put-document.ts'
import { saveBody } from '../support/save.ts'

/** Every ten seconds. */
const body = (name: string, part: object = {}) => jobBody(name, { schedules: [{ every: 10 }], ...part })
const idOf = (name: string) => jobIdOf('default', name)
const shardOfJob = (world: World, id: string) => shardOf(hashOfId(id), world.shardCount)

async function begin(make: MakeWorld, shardCount = 4, losesEvery = 1): Promise<World> {
  const world = await make(shardCount, { losesEvery })
  await world.shards.make(shardCount, nowOf(world) - 1)
  return world
}

const read = async (world: World, name: string): Promise<StoredJob> => {
  const job = await world.jobs.read(idOf(name))
  if (job === null) throw new Error(`${name} is not there`)
  return job
}

async function loaded(bunches: AsyncIterable<StoredJob[]>): Promise<StoredJob[]> {
  const jobs: StoredJob[] = []
  for await (const bunch of bunches) jobs.push(...bunch)
  return jobs
}

inEachBackend('a job', (make) => {
  test('is saved by its name, read back whole, and active two seconds later', async () => {
    const world = await begin(make)
    const all = body('report', {
      description: 'what it does',
      tags: { team: 'billing' },
      schedules: [
        { cron: '0 0 9 * * 1-5', zone: 'Europe/Brussels' },
        { kind: 'stop', cron: '0 18 * * *' },
      ],
      misfire: { policy: 'CATCH_UP', window: 3600 },
      block: { strategy: 'CONCURRENT', max: 3 },
      retry: { attempts: 2 },
      priority: 5,
      payload: { to: ['a', 'b'] },
    })
    const { job, result } = await saveBody(world, all, asking)
    expect(result).toBe('CREATED')
    const found = await read(world, 'report')
    expect(found).toEqual(job)
    expect(found).toMatchObject({
      id: idOf('report'),
      version: 1,
      isOnce: false,
      stopped: null,
      managedBy: null,
      bodyVersion: null,
    })
    expect(found.definition).toMatchObject({ ...all, retry: { attempts: 2, delay: 5, maxDelay: 300 } })
    expect(found.versions).toHaveLength(1)
    expect(found.versions[0].activeFrom - Math.floor(found.updatedAtMs / 1000)).toBe(2)
  })

  test('that is saved again is another version of the same job, and the older one stays known', async () => {
    const world = await begin(make)
    await saveBody(world, body('twice'), asking)
    const edit = body('twice', { schedules: [{ every: 20 }], description: 'slower' })
    const { job, result } = await saveBody(world, edit, asking)
    expect(result).toBe('UPDATED')
    expect(await read(world, 'twice')).toEqual(job)
    expect(job.versions.map(({ version }) => version)).toEqual([1, 2])
    expect(await world.jobs.versions(job.id)).toEqual(job.versions)
  })

  test('loses a field that is saved without it', async () => {
    const world = await begin(make)
    await saveBody(world, body('fields', { tags: { a: 'b' }, timeout: 30 }), asking)
    await saveBody(world, body('fields'), asking)
    expect((await read(world, 'fields')).definition).toMatchObject({ tags: {}, timeout: 60 })
  })

  test('is patched field by field, and a patch of an older version is refused', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('patched', { description: 'old' }), asking)
    const { job: after } = await patchJob(world, job.definition, { description: 'new' }, { ...asking, ifVersion: 1 })
    expect(after.definition).toEqual({ ...job.definition, description: 'new' })
    await expect(patchJob(world, job.definition, { description: 'x' }, { ...asking, ifVersion: 1 })).rejects.toThrow(
      'the job has version 2, not 1',
    )
    const { job: kept } = await patchJob(world, job.definition, { name: 'other' }, asking)
    expect(kept.definition.name).toBe('patched')
    await expect(patchJob(world, { namespace: 'default', name: 'nobody' }, {}, asking)).rejects.toThrow(
      'there is no job',
    )
  })

  test('is never half saved: of many who save it at once each is a version of its own', async () => {
    const world = await begin(make)
    const savers = Array.from({ length: 5 }, (_, n) =>
      saveBody({ ...world.again() }, body('raced', { priority: n }), asking),
    )
    const saved = await Promise.all(savers)
    expect(saved.map(({ job }) => job.version).sort()).toEqual([1, 2, 3, 4, 5])
    expect(saved.filter(({ result }) => result === 'CREATED')).toHaveLength(1)
    const changes = await world.jobs.changes(shardOfJob(world, idOf('raced')), 0)
    expect(changes.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5])
  })

  test('that is stopped says why, keeps its definition, and starts again', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('stopped'), asking)
    const until = nowOf(world) + 3600
    const { job: stopped } = await stopJob(
      world,
      job.definition,
      { code: 'BY_HAND', reason: 'too loud', until },
      asking,
    )
    expect(stopped).toMatchObject({ version: 2, stopped: { code: 'BY_HAND', reason: 'too loud', by: ANNA, until } })
    expect(await read(world, 'stopped')).toEqual(stopped)
    expect(nextDue(stopped, stopped.versions[1].activeFrom)).toBeGreaterThanOrEqual(until)
    const { job: again } = await startJob(world, job.definition, asking)
    expect(await read(world, 'stopped')).toEqual(again)
    expect(again).toMatchObject({ version: 3, stopped: null })
    expect(again.definition).toEqual(job.definition)
  })

  test('stays stopped when a deploy saves it again without a word about its status', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('paused'), asking)
    await stopJob(world, job.definition, { code: 'BY_HAND', reason: 'incident' }, asking)
    const { job: saved } = await saveBody(world, body('paused', { priority: 9 }), { by: CODE, manager: 'code' })
    expect(saved).toMatchObject({ stopped: { reason: 'incident', by: ANNA }, managedBy: 'code' })
    const running = body('paused', { status: 'RUNNING' })
    const { job: started } = await saveBody(world, running, { ...asking, isForced: true })
    expect(started.stopped).toBeNull()
  })

  test('that is deleted leaves a tombstone, and its name goes on with the numbers', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('gone'), asking)
    await deleteJob(world, job.definition, asking)
    expect(isDeleted(await read(world, 'gone'))).toBe(true)
    await expect(deleteJob(world, job.definition, asking)).rejects.toThrow('there is no job')
    await expect(stopJob(world, job.definition, { code: 'BY_HAND', reason: '' }, asking)).rejects.toThrow(
      'there is no job',
    )
    const { job: again, result } = await saveBody(world, body('gone'), asking)
    expect(result).toBe('CREATED')
    expect(again.version).toBe(3)
    expect(again.versions.map(({ status }) => status)).toEqual(['RUNNING', 'DELETED', 'RUNNING'])
    expect(await read(world, 'gone')).toEqual(again)
  })

  test('keeps a large payload apart, and reads it only when asked', async () => {
    const world = await begin(make)
    const payload = { text: 'x'.repeat(5000) }
    const { job } = await saveBody(world, body('large', { payload }), asking)
    expect((await read(world, 'large')).definition.payload).toEqual(payload)
    const [lean] = await world.jobs.readMany([job.id])
    expect(lean).toMatchObject({ bodyVersion: 1, definition: { payload: null } })
    expect(await world.jobs.bodies([{ jobId: job.id, version: 1 }])).toEqual([payload])
    await patchJob(world, job.definition, { description: 'same payload' }, asking)
    expect((await world.jobs.readMany([job.id]))[0].bodyVersion).toBe(1)
    await patchJob(world, job.definition, { payload: { text: 'y'.repeat(3000) } }, asking)
    expect((await world.jobs.readMany([job.id]))[0].bodyVersion).toBe(3)
    await patchJob(world, job.definition, { payload: { small: true } }, asking)
    expect(await read(world, 'large')).toMatchObject({ bodyVersion: null, definition: { payload: { small: true } } })
  })

  test('takes over the schedules of a template and the dates of calendars as they were when it was saved', async () => {
    const world = await begin(make)
    const dates = ['2030-12-25', '01-01']
    await putDocument(world, 'calendar', 'holidays', { dates })
    await putDocument(world, 'template', 'hourly', { schedules: [{ cron: '0 * * * *' }] })
    const part = { schedules: [], template: 'default/hourly', calendars: ['default/holidays'] }
    const { job } = await saveBody(world, body('planned', part), asking)
    await putDocument(world, 'calendar', 'holidays', { dates: [] }, { expectedVersion: 1 })
    const found = await read({ ...world.again() }, 'planned')
    expect(found).toEqual(job)
    expect(found.versions[0].timing).toMatchObject({ schedules: [{ cron: '0 * * * *' }], calendars: [{ dates }] })
    const { job: stopped } = await stopJob(world, job.definition, { code: 'BY_HAND', reason: 'x' }, asking)
    expect(stopped.versions[1].timing).toEqual(found.versions[0].timing)
    await expect(saveBody(world, body('lost', { template: 'default/nope' }), asking)).rejects.toThrow(
      'there is no template',
    )
  })

  test('is rescheduled: its next instant moves, and only that one', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('moved', { schedules: [{ every: 3600 }] }), asking)
    const at = nowOf(world) + 7
    const { job: moved } = await rescheduleJob(world, job.definition, at, asking)
    const newest = moved.versions[1]
    expect(newest.moves).toEqual([{ from: nextDue(job, newest.activeFrom - 1), to: at }])
    expect(nextDue(moved, newest.activeFrom - 1)).toBe(at)
    expect(await read(world, 'moved')).toEqual(moved)
  })

  test('that would never fire is refused before anything is written', async () => {
    const world = await begin(make)
    await expect(saveBody(world, body('never', { schedules: [{ cron: '0 0 30 2 *' }] }), asking)).rejects.toThrow()
    expect(await world.jobs.read(idOf('never'))).toBeNull()
    expect(await world.jobs.changes(shardOfJob(world, idOf('never')), 0)).toEqual([])
  })

  test('is not saved while the item of its shard is missing', async () => {
    const world = await make()
    await expect(saveBody(world, body('early'), asking)).rejects.toThrow('is missing')
  })

  test('that becomes active behind the fence says from when on that is sure', async () => {
    const world = await begin(make, 1)
    const seen = await world.shards.read(0)
    if (seen === null) throw new Error('no shard')
    const far = nowOf(world) + 100
    const { shards } = world
    const racing: World = {
      ...world,
      // The fence passes activeFrom after the job was stamped and before the commit is known.
      jobs: before(world.jobs, 'commit', async () => {
        const taken = await shards.takeOver(0, seen, 'x', far)
        if (taken === null) throw new Error('not taken')
        const { fence: previousFence, sentThrough } = taken
        const depths = new Map([[far, 0]])
        await shards.fence(0, {
          epoch: 1,
          previousFence,
          fence: far,
          link: 'y',
          leaseUntil: far,
          sentThrough,
          depths,
          backlog: [],
        })
      }),
    }
    const { job } = await saveBody(racing, body('unsure'), asking)
    expect(job.versions[0].sureFrom).toBe(far + 2)
    expect((await read(world, 'unsure')).versions[0].sureFrom).toBe(far + 2)
    expect((await world.jobs.versions(job.id))[0].sureFrom).toBe(far + 2)
  })
})

inEachBackend('a schedule', (make) => {
  test('pause and resume schedule: paused it is due for nothing, resumed it is due again', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('paused', { schedules: [{ every: 1 }] }), asking)
    const { job: paused } = await stopJob(world, job.definition, { code: 'BY_HAND', reason: 'pause' }, asking)
    const pausedFrom = paused.versions[1].activeFrom
    const dueAfterPause = async () => {
      const snapshot = new Snapshot()
      snapshot.apply(await world.again().jobs.readMany([job.id]))
      return snapshot.due(pausedFrom, pausedFrom + 100).length
    }
    expect(await dueAfterPause()).toBe(0)
    const { job: resumed } = await startJob(world, job.definition, asking)
    expect(await dueAfterPause()).toBe(pausedFrom + 100 - resumed.versions[resumed.versions.length - 1].activeFrom)
  })
})

inEachBackend('a one-time job', (make) => {
  const at = (second: number) => ({ at: formatInstant(second) })

  test('lies apart from the others and has a pointer in its minute', async () => {
    const world = await begin(make, 1)
    const second = nowOf(world) + 5000
    const { job } = await saveBody(world, body('once', { schedules: [at(second)] }), asking)
    expect(job.isOnce).toBe(true)
    expect(await world.jobs.pointers(0, Math.floor(second / 60))).toEqual([{ shard: 0, second, jobId: job.id }])
    expect(await loaded(world.jobs.loadOnce(0))).toEqual([job])
    expect(await loaded(world.jobs.load(0))).toEqual([])
    expect(await read(world, 'once')).toEqual(job)
  })

  test('that is moved has a pointer at its new time too, and the job says which holds', async () => {
    const world = await begin(make, 1)
    const first = nowOf(world) + 5000
    await saveBody(world, body('once', { schedules: [at(first)] }), asking)
    const { job: moved } = await saveBody(world, body('once', { schedules: [at(first + 4000)] }), asking)
    expect(await world.jobs.pointers(0, Math.floor(first / 60))).toHaveLength(1)
    expect(nextDue(moved, 0)).toBe(first + 4000)
    expect(await world.jobs.pointers(0, Math.floor((first + 4000) / 60))).toHaveLength(1)
  })

  test('whose time has just passed fires now; one long past is refused', async () => {
    const world = await begin(make, 1)
    const { job } = await saveBody(world, body('late', { schedules: [at(nowOf(world) - 30)] }), asking)
    expect(nextDue(job, 0)).toBe(job.versions[0].activeFrom)
    await expect(saveBody(world, body('later', { schedules: [at(nowOf(world) - 100)] }), asking)).rejects.toThrow(
      'is in the past',
    )
  })

  test('that becomes recurring moves over to the others, with its past', async () => {
    const world = await begin(make, 1)
    await saveBody(world, body('grown', { schedules: [at(nowOf(world) + 500)] }), asking)
    const { job } = await saveBody(world, body('grown'), asking)
    expect(job).toMatchObject({ isOnce: false, version: 2 })
    expect(await loaded(world.jobs.loadOnce(0))).toEqual([])
    expect(await read(world, 'grown')).toEqual(job)
    const { job: back } = await saveBody(world, body('grown', { schedules: [at(nowOf(world) + 500)] }), asking)
    expect(back.isOnce).toBe(false)
  })

  test('may be edited after its time without firing again', async () => {
    const world = await begin(make, 1)
    const { job } = await saveBody(world, body('done', { schedules: [at(nowOf(world) - 30)] }), asking)
    const { job: edited } = await patchJob(world, job.definition, { description: 'x' }, asking)
    expect(nextDue(edited, edited.versions[1].activeFrom)).toBe(NEVER)
  })
})

import { expect, test } from 'vitest'
import type { JobQuery } from '../../shared/core/job/search.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { JobDirectory } from '../../shared/flow/job-directory.ts'
import { deleteJob } from '../../shared/flow/manage-jobs.ts'
import { nowOf } from '../../shared/flow/tick-world.ts'
import type { Jobs } from '../../shared/ports.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { asking, body } from '../support/job-body.ts'
import { saveBody } from '../support/save.ts'

async function begin(make: MakeWorld): Promise<World> {
  // A load reads in many parts at once, which is more than the SDK's budget of retries bears to lose.
  const world = await make(1, { losesEvery: 5 })
  await world.shards.make(1, nowOf(world) - 1)
  return world
}

const ALL: JobQuery = { sort: 'name', isReversed: false, limit: 100, after: null, facets: [], sees: () => true }

const namesIn = async (directory: JobDirectory, query: Partial<JobQuery> = {}) =>
  (await directory.search({ ...ALL, ...query })).items.map(({ job }) => job.definition.name)

/** A store that counts how often the log of changes is read, and at most how often at once. */
function counted(jobs: Jobs): { jobs: Jobs; seen: { reads: number; most: number } } {
  const seen = { reads: 0, most: 0 }
  let now = 0
  const changes: Jobs['changes'] = async (...of) => {
    now += 1
    seen.reads += 1
    seen.most = Math.max(seen.most, now)
    try {
      return await jobs.changes(...of)
    } finally {
      now -= 1
    }
  }
  return { jobs: new Proxy(jobs, { get: (of, name) => (name === 'changes' ? changes : bound(of, name)) }), seen }
}

const bound = (of: object, name: string | symbol): unknown => {
  const member: unknown = Reflect.get(of, name)
  return typeof member === 'function' ? member.bind(of) : member
}

inEachBackend('the directory of jobs', (make) => {
  test('shows every job whose save was acknowledged before it was asked, to many who ask at once', async () => {
    const world = await begin(make)
    const { jobs, seen } = counted(world.jobs)
    const directory = new JobDirectory({ ...world, jobs }, 1)
    await namesIn(directory)
    const asked = Array.from({ length: 20 }, async (_, n) => {
      const name = `job-${String(n).padStart(2, '0')}`
      await saveBody(world, body(name), asking)
      return { name, found: await namesIn(directory) }
    })
    for (const { name, found } of await Promise.all(asked)) expect(found).toContain(name)
    expect(seen.most).toBe(1)
    expect(seen.reads).toBeLessThanOrEqual(21)
  })

  test('does not go back to an older version that a slow reader brings late', async () => {
    const world = await begin(make)
    const { job: first } = await saveBody(world, body('moving'), asking)
    let late: StoredJob[] = []
    const load: Jobs['load'] = async function* (shard) {
      yield* world.jobs.load(shard)
      if (late.length > 0) yield late
    }
    const jobs = new Proxy(world.jobs, { get: (of, name) => (name === 'load' ? load : bound(of, name)) })
    await saveBody(world, body('moving', { priority: 5 }), asking)
    late = [first]
    const directory = new JobDirectory({ ...world, jobs }, 1)
    const [found] = (await directory.search(ALL)).items
    expect(found.job.version).toBe(2)
  })

  test('is asked again after a look that failed', async () => {
    const world = await begin(make)
    await saveBody(world, body('there'), asking)
    let isBroken = true
    const readChanges: Jobs['changes'] = (...of) =>
      isBroken ? Promise.reject(new Error('no answer')) : world.jobs.changes(...of)
    const jobs = new Proxy(world.jobs, { get: (of, name) => (name === 'changes' ? readChanges : bound(of, name)) })
    const directory = new JobDirectory({ ...world, jobs }, 1)
    const [first, second] = [namesIn(directory), namesIn(directory)]
    await expect(first).rejects.toThrow('no answer')
    await expect(second).rejects.toThrow('no answer')
    isBroken = false
    expect(await namesIn(directory)).toEqual(['there'])
  })

  test('shows one-time jobs however far ahead, and jobs that only a trigger starts', async () => {
    const world = await begin(make)
    const directory = new JobDirectory(world, 1)
    const in_ = (seconds: number) => ({ schedules: [{ at: formatInstant(nowOf(world) + seconds) }] })
    await saveBody(world, body('far', in_(30 * 86_400)), asking)
    await saveBody(world, body('called', { schedules: [] }), asking)
    expect(await namesIn(directory)).toEqual(['called', 'far'])
    await saveBody(world, body('farther', in_(90 * 86_400)), asking)
    expect(await namesIn(directory)).toEqual(['called', 'far', 'farther'])
    expect(await namesIn(directory, { isOnce: true })).toEqual(['far', 'farther'])
    expect((await directory.search({ ...ALL, sort: 'next' })).items.map(({ job }) => job.definition.name)).toEqual([
      'far',
      'farther',
      'called',
    ])
    await deleteJob(world, { namespace: 'default', name: 'far' }, asking)
    expect(await namesIn(directory)).toEqual(['called', 'farther'])
    expect((await directory.all()).map(({ definition }) => definition.name).sort()).toEqual(['called', 'farther'])
  })

  test('knows a deleted job by its id while its tombstone is kept, and matches no deleted one', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('gone'), asking)
    await deleteJob(world, job.definition, asking)
    const directory = new JobDirectory(world, 1)
    expect(await directory.matching({ sees: () => true })).toEqual([])
    expect(directory.known(job.id)?.definition.name).toBe('gone')
    expect(directory.known('AAAAAAAAAAA')).toBeNull()
  })

  test('sorts by the last failure, also by one that came after the first look', async () => {
    const world = await begin(make)
    const jobs = await Promise.all(['a', 'b', 'c'].map(async (name) => (await saveBody(world, body(name), asking)).job))
    const directory = new JobDirectory(world, 1)
    const fail = ({ id }: StoredJob, secondsAgo: number) => {
      const second = nowOf(world) - secondsAgo
      const entry = { status: 'FAILED', attempt: 1, startOffsetMs: 0, durationMs: 1 } as const
      const run = { shard: 0, ms: second * 1000, runId: `${id}.${second}`, trigger: 'SCHEDULE', reason: 'no' } as const
      return world.ledger.putRecent({ ...run, entry })
    }
    await fail(jobs[0], 5 * 86_400)
    await fail(jobs[1], 60)
    const newest = { sort: 'lastFailure', isReversed: true } as const
    expect(await namesIn(directory, newest)).toEqual(['b', 'a', 'c'])
    await fail(jobs[2], 0)
    expect(await namesIn(directory, newest)).toEqual(['c', 'b', 'a'])
    expect(await namesIn(directory, { failedSinceMs: (nowOf(world) - 3600) * 1000 })).toEqual(['b', 'c'])
  })
})

inEachBackend('a job without schedules', (make) => {
  test('is held where jobs are held that any ticker may need, and needs no pointer', async () => {
    const world = await begin(make)
    const { job } = await saveBody(world, body('called', { schedules: [] }), asking)
    expect(job.isOnce).toBe(false)
    const loaded: StoredJob[] = []
    for await (const some of world.jobs.load(0)) loaded.push(...some)
    expect(loaded).toEqual([job])
  })
})

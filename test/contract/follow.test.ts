import { expect, test } from 'vitest'
import type { JobQuery } from '../../shared/core/job/search.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { type Follower, JobsOfShard } from '../../shared/flow/follow-jobs.ts'
import { JobDirectory } from '../../shared/flow/job-directory.ts'
import { deleteJob, patchJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { nowOf } from '../../shared/flow/tick-world.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { before } from '../support/backends/before.ts'
import { asking, body as jobBody } from '../support/job-body.ts'
import { saveAll, saveBody } from '../support/save.ts'

/** Every ten seconds. */
const body = (name: string, part: object = {}) => jobBody(name, { schedules: [{ every: 10 }], ...part })

async function begin(make: MakeWorld, shardCount = 1): Promise<World> {
  // A load reads in many parts at once, which is more than the SDK's budget of retries bears to lose.
  const world = await make(shardCount, { losesEvery: 5 })
  await world.shards.make(shardCount, nowOf(world) - 1)
  return world
}

/** A clock that a test moves. */
function movable(world: World): { world: World; pass: (seconds: number) => void } {
  let passedMs = 0
  const clock = { nowMs: () => world.clock.nowMs() + passedMs }
  return {
    world: { ...world, clock },
    pass: (seconds) => {
      passedMs += seconds * 1000
    },
  }
}

class Heard implements Follower {
  readonly known = new Map<string, StoredJob>()
  taken = 0

  take(jobs: readonly StoredJob[]): void {
    this.taken += jobs.length
    for (const job of jobs) this.known.set(job.id, job)
  }

  knows(jobId: string): boolean {
    return this.known.has(jobId)
  }
}

const follow = (world: World) => new JobsOfShard(world, 0, () => new Heard())

const versions = (known: Map<string, StoredJob>) =>
  Object.fromEntries([...known.values()].map(({ definition, version }) => [definition.name, version]))

inEachBackend('a follower of a shard', (make) => {
  test('loads all jobs at first and then takes in what changes, each change once', async () => {
    const world = await begin(make)
    await saveAll(world, [body('a'), body('b')], asking)
    const jobs = follow(world)
    expect(await jobs.drain(nowOf(world))).toMatchObject({ isCold: true })
    expect(versions(jobs.current.known)).toEqual({ a: 1, b: 1 })
    const { job } = await saveBody(world, body('a', { priority: 1 }), asking)
    await saveBody(world, body('c'), asking)
    expect(await jobs.drain(nowOf(world))).toMatchObject({ isCold: false, changes: 2 })
    expect(versions(jobs.current.known)).toEqual({ a: 2, b: 1, c: 1 })
    expect(jobs.current.known.get(job.id)).toEqual(job)
    const { taken } = jobs.current
    expect(await jobs.drain(nowOf(world))).toMatchObject({ isCold: false, changes: 0 })
    expect(jobs.current.taken).toBe(taken)
  })

  test('sees a job that is saved while it loads', async () => {
    const world = await begin(make)
    await saveBody(world, body('a'), asking)
    const saveDuringLoad = before(world.jobs, 'changes', () => saveBody(world, body('b'), asking))
    const jobs = follow({ ...world, jobs: saveDuringLoad })
    await jobs.drain(nowOf(world))
    expect(versions(jobs.current.known)).toEqual({ a: 1, b: 1 })
  })

  test('sees a change that was committed up to a minute after its stamp', async () => {
    const { world, pass } = movable(await begin(make))
    const jobs = follow(world)
    await jobs.drain(nowOf(world))
    const stampMs = world.clock.nowMs()
    pass(30)
    await jobs.drain(nowOf(world))
    await saveBody({ ...world, clock: { nowMs: () => stampMs } }, body('slow'), asking)
    pass(25)
    expect(await jobs.drain(nowOf(world))).toMatchObject({ changes: 1 })
    expect(versions(jobs.current.known)).toEqual({ slow: 1 })
  })

  test('counts the changes from a time on and before another', async () => {
    const world = await begin(make)
    const change = { shard: 0, jobId: 'AAAAAAAAAAA', version: 1, once: null }
    for (const ms of [1000, 2000, 3000, 4000]) await world.jobs.announce({ ...change, ms })
    expect(await world.jobs.countChanges(0, 2000, 4000)).toBe(2)
    expect(await world.jobs.countChanges(0, -1000, 5000)).toBe(4)
    expect(await world.jobs.countChanges(1, 0, 5000)).toBe(0)
  })

  test('hears again of a change whose commit took more than five seconds', async () => {
    const { world, pass } = movable(await begin(make))
    const jobs = before(world.jobs, 'commit', async () => pass(6))
    const { job } = await saveBody({ ...world, jobs }, body('slow'), asking)
    const changes = await world.jobs.changes(0, 0)
    expect(changes.map(({ jobId, version }) => [jobId, version])).toEqual([
      [job.id, 1],
      [job.id, 1],
    ])
    expect(changes[1].ms - changes[0].ms).toBeGreaterThanOrEqual(6000)
  })

  test('begins anew when it has not read for ten minutes', async () => {
    const { world, pass } = movable(await begin(make))
    const jobs = follow(world)
    await jobs.drain(nowOf(world))
    const first = jobs.current
    pass(590)
    expect(await jobs.drain(nowOf(world))).toMatchObject({ isCold: false })
    expect(jobs.current).toBe(first)
    pass(601)
    expect(await jobs.drain(nowOf(world))).toMatchObject({ isCold: true })
    expect(jobs.current).not.toBe(first)
  })

  test('is loaded anew beside its work when it is half an hour old, and misses no change meanwhile', async () => {
    const { world, pass } = movable(await begin(make))
    await saveBody(world, body('a'), asking)
    const jobs = follow(world)
    await jobs.drain(nowOf(world))
    const first = jobs.current
    for (const seconds of [590, 590, 590, 590]) {
      pass(seconds)
      expect(await jobs.drain(nowOf(world))).toMatchObject({ isCold: false })
    }
    await saveBody(world, body('b'), asking)
    while (jobs.current === first) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await jobs.drain(nowOf(world))
      expect(versions(jobs.current.known)).toEqual({ a: 1, b: 1 })
    }
    await saveBody(world, body('a', { priority: 3 }), asking)
    await jobs.drain(nowOf(world))
    expect(versions(jobs.current.known)).toEqual({ a: 2, b: 1 })
  })

  test('takes in one-time jobs when their minute is near, and at once when they are', async () => {
    const { world, pass } = movable(await begin(make))
    const jobs = follow(world)
    const at = (seconds: number) => ({ schedules: [{ at: formatInstant(nowOf(world) + seconds) }] })
    await saveBody(world, body('far', at(3600)), asking)
    await saveBody(world, body('soon', at(30)), asking)
    await jobs.drain(nowOf(world))
    expect(versions(jobs.current.known)).toEqual({ soon: 1 })
    await saveBody(world, body('next', at(60)), asking)
    await saveBody(world, body('farther', at(7200)), asking)
    await jobs.drain(nowOf(world))
    expect(versions(jobs.current.known)).toEqual({ soon: 1, next: 1 })
    for (let waited = 0; waited < 3400; waited += 400) {
      pass(400)
      await jobs.drain(nowOf(world))
    }
    expect(Object.keys(versions(jobs.current.known))).toContain('far')
    expect(Object.keys(versions(jobs.current.known))).not.toContain('farther')
  })

  test('hears of edits and deletes of a one-time job that it knows', async () => {
    const world = await begin(make)
    const jobs = follow(world)
    const near = { schedules: [{ at: formatInstant(nowOf(world) + 60) }] }
    const { job } = await saveBody(world, body('once', near), asking)
    await jobs.drain(nowOf(world))
    await patchJob(world, job.definition, { schedules: [{ at: formatInstant(nowOf(world) + 9000) }] }, asking)
    await jobs.drain(nowOf(world))
    expect(versions(jobs.current.known)).toEqual({ once: 2 })
    await deleteJob(world, job.definition, asking)
    await jobs.drain(nowOf(world))
    expect(versions(jobs.current.known)).toEqual({ once: 3 })
  })
})

inEachBackend('the directory of jobs', (make) => {
  test('finds jobs of all shards by namespace, status, tag and text, page by page, with counts', async () => {
    const world = await begin(make, 8)
    const names = Array.from({ length: 30 }, (_, n) => `job-${String(n).padStart(2, '0')}`)
    await saveAll(
      world,
      names.map((name, n) =>
        body(name, {
          namespace: n % 2 === 0 ? 'even' : 'odd',
          tags: n % 3 === 0 ? { team: 'billing' } : {},
          description: n === 7 ? 'The Needle' : '',
        }),
      ),
      asking,
    )
    const directory = new JobDirectory(world, 8)
    const facets = ['namespace', 'status', 'tag'] as const
    const search = async (query: Partial<JobQuery>) => {
      const all = { sort: 'name', isReversed: false, limit: 100, after: null, facets, sees: () => true } as const
      const { items, ...page } = await directory.search({ ...all, ...query })
      return { ...page, items: items.map(({ job }) => job) }
    }
    const all = await search({})
    expect(all.items.map(({ definition }) => definition.name)).toEqual([
      ...names.filter((_, n) => n % 2 === 0),
      ...names.filter((_, n) => n % 2 === 1),
    ])
    expect(all.facets).toEqual({
      counts: { namespace: { even: 15, odd: 15 }, status: { RUNNING: 30 } },
      tag: { team: { billing: 10 } },
      truncated: [],
    })
    const first = await search({ limit: 20, isReversed: true })
    const second = await search({ limit: 20, isReversed: true, after: first.next })
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(all.items.map(({ id }) => id).reverse())
    expect(second.next).toBeNull()
    expect((await search({ q: 'needle' })).items.map(({ definition }) => definition.name)).toEqual(['job-07'])
    expect((await search({ tags: [{ key: 'team', value: 'billing' }], namespace: 'odd' })).total).toBe(5)
    expect((await search({ tags: [{ key: 'team', value: 'none' }] })).total).toBe(0)
    await stopJob(world, all.items[0].definition, { code: 'BY_HAND', reason: 'x' }, asking)
    await deleteJob(world, all.items[1].definition, asking)
    expect((await search({ statuses: ['STOPPED'] })).items.map(({ id }) => id)).toEqual([all.items[0].id])
    expect((await search({})).total).toBe(29)
  })
})

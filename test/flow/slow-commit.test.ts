import { expect, test } from 'vitest'
import type { Change, JobWrite } from '../../shared/core/job/stored.ts'
import { JobDirectory } from '../../shared/flow/job-directory.ts'
import type { Jobs } from '../../shared/ports.ts'
import { asking, body } from '../support/job-body.ts'
import { MemoryQueue } from '../support/memory/queue.ts'
import { memoryStores } from '../support/memory/stores.ts'
import { saveBody } from '../support/save.ts'

const START_MS = 1_790_000_000_000

/** A world whose store takes so long for each commit and announcement, and what happens just before they are made. */
async function slowWorld(tookMs: number, meanwhile: () => Promise<void>) {
  const time = { ms: START_MS }
  const stores = memoryStores(1)
  const { jobs } = stores
  const slowly = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    time.ms += tookMs
    await meanwhile()
    return write()
  }
  const slow = {
    commit: (write: JobWrite) => slowly(() => jobs.commit(write)),
    announce: (change: Change) => slowly(() => jobs.announce(change)),
  }
  const world = {
    ...stores,
    jobs: new Proxy(jobs, {
      get: (of, name) => Reflect.get(slow, name) ?? Reflect.get(of, name).bind(of),
    }) as Jobs,
    clock: { nowMs: () => time.ms },
    shardCount: 1,
    watch: new MemoryQueue(() => time.ms),
    newId: () => crypto.randomUUID(),
  }
  await stores.shards.make(1, START_MS / 1000 - 1)
  return { world, time }
}

const ALL = { sort: 'name', isReversed: false, limit: 100, after: null, facets: [], sees: () => true } as const

test('a save that took long is shown to a search that began after it, though another read the log meanwhile', async () => {
  const shown: number[] = []
  const meanwhile = async () => {
    shown.push((await directory.search(ALL)).total)
  }
  const { world, time } = await slowWorld(900, meanwhile)
  const directory = new JobDirectory(world, 1)
  await directory.search(ALL)
  await saveBody(world, body('prompt'), asking)
  expect(shown).toEqual([0])
  expect((await directory.search(ALL)).total).toBe(1)
  time.ms += 60_000
  expect((await directory.search(ALL)).total).toBe(1)
})

test('a change that the store never takes in time is not acknowledged', async () => {
  const { world } = await slowWorld(20_000, async () => {})
  await expect(saveBody(world, body('late'), asking)).rejects.toThrow('is saved, but the store is too slow')
})

test('a commit that took seven seconds is announced again, so that a search finds it at once', async () => {
  let writes = 0
  const meanwhile = async () => {
    writes += 1
    await directory.search(ALL)
  }
  const { world, time } = await slowWorld(0, meanwhile)
  const directory = new JobDirectory(world, 1)
  await directory.search(ALL)
  const { commit } = world.jobs
  const jobs = new Proxy(world.jobs, {
    get: (of, name) =>
      name === 'commit'
        ? (write: JobWrite) => {
            time.ms += 7000
            return commit(write)
          }
        : Reflect.get(of, name),
  })
  await saveBody({ ...world, jobs }, body('late'), asking)
  expect(writes).toBe(2)
  expect((await directory.search(ALL)).total).toBe(1)
})

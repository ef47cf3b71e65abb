import { expect, test } from 'vitest'
import type { Change } from '../../shared/core/job/stored.ts'
import { ChangeLog } from '../../shared/flow/change-log.ts'
import { MemoryJobs } from '../support/memory/jobs.ts'

const NOW_MS = 1_000_000

const change = (ms: number, version = 1): Change => ({ shard: 0, ms, jobId: 'AAAAAAAAAAA', version, once: null })

/** A log in which so many changes lie, ten a second up to now; how many were read of it so far can be asked. */
async function logOf(changes: number, settledEveryMs?: number) {
  const jobs = new MemoryJobs(1)
  for (let n = 0; n < changes; n++) await jobs.announce(change(NOW_MS - n * 100))
  let read = 0
  const counted = {
    countChanges: jobs.countChanges.bind(jobs),
    changes: async (shard: number, fromMs: number) => {
      const found = await jobs.changes(shard, fromMs)
      read += found.length
      return found
    },
  }
  const log = new ChangeLog(counted, 0, settledEveryMs)
  const take = async (readMs: number, nowMs = readMs) => {
    read = 0
    const fresh = await log.fresh(readMs, nowMs)
    log.taken(fresh)
    return { fresh: fresh.length, read }
  }
  return { jobs, log, take }
}

test('many changes that were read before are counted, and only those of the last seconds are read again', async () => {
  const { take } = await logOf(400)
  expect(await take(NOW_MS)).toEqual({ fresh: 400, read: 400 })
  expect(await take(NOW_MS)).toEqual({ fresh: 0, read: 41 })
})

test('a few changes are read again as they are', async () => {
  const { take } = await logOf(50)
  expect(await take(NOW_MS)).toEqual({ fresh: 50, read: 50 })
  expect(await take(NOW_MS)).toEqual({ fresh: 0, read: 50 })
})

test('one that comes late among many is found, and after it they are counted again', async () => {
  const { jobs, take } = await logOf(400)
  await take(NOW_MS)
  await jobs.announce(change(NOW_MS - 20_050, 2))
  await jobs.announce(change(NOW_MS + 500, 3))
  expect(await take(NOW_MS + 1000)).toEqual({ fresh: 2, read: 434 })
  expect(await take(NOW_MS + 1000)).toEqual({ fresh: 0, read: 32 })
})

test('what was read and not taken is new again', async () => {
  const { log } = await logOf(3)
  expect(await log.fresh(NOW_MS, NOW_MS)).toHaveLength(3)
  expect(await log.fresh(NOW_MS, NOW_MS)).toHaveLength(3)
})

test('a follower that looks at what is settled from time to time reads the last seconds only, and finds late ones then', async () => {
  const { jobs, take } = await logOf(400, 5000)
  await take(NOW_MS)
  await jobs.announce(change(NOW_MS - 20_050, 2))
  await jobs.announce(change(NOW_MS - 3950, 3))
  expect(await take(NOW_MS, NOW_MS + 1000)).toEqual({ fresh: 1, read: 42 })
  expect(await take(NOW_MS + 4000, NOW_MS + 4999)).toEqual({ fresh: 0, read: 1 })
  expect(await take(NOW_MS + 4999, NOW_MS + 5000)).toMatchObject({ fresh: 1 })
})

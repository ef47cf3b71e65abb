// The contract of the stores where many come at once: runs that are claimed by several, and jobs that are saved together.

import { expect, test } from 'vitest'
import { hashOfId, jobIdOf, pageBitsOf } from '../../shared/core/job/id.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { depthFor } from '../../shared/core/pages/depth.ts'
import type { ClaimEntry } from '../../shared/core/pages/entry.ts'
import { packPages } from '../../shared/core/pages/page.ts'
import { inEachBackend } from '../support/backends/backends.ts'
import { asking, body } from '../support/job-body.ts'
import { saveAll } from '../support/save.ts'

const T = 1_790_000_000
const CLAIMERS = 8
const CLAIM = { status: 'RUNNING', attempt: 1, deadlineSecond: T + 75 } as const

const wonBy = (results: Map<string, { done: boolean }>) => [...results].filter(([, { done }]) => done).map(([id]) => id)

export interface Crowd {
  readonly runCount: number
  readonly batchSize: number
}

export function gather({ runCount, batchSize }: Crowd): void {
  inEachBackend('a crowd', (make) => {
    test(`${runCount} runs are claimed by ${CLAIMERS} claimers at once, each exactly once`, async () => {
      const world = await make(1, { losesEvery: 10 })
      const runs = Array.from({ length: runCount }, (_, n) => jobIdOf('default', `many-${n}`)).map((jobId) => ({
        jobId,
        second: T,
        pageBits: pageBitsOf(hashOfId(jobId)),
      }))
      const depth = depthFor(runs.length)
      const pages = packPages(runs, T, depth)
      const apart = Math.ceil(pages.length / CLAIMERS)
      const claimers = Array.from({ length: CLAIMERS }, (_, n) => ({ token: `claimr-${n}`, own: world.again() }))
      const won = await Promise.all(
        claimers.map(async ({ token, own }, n) => {
          const mine: string[] = []
          // Each begins elsewhere, and all go over everything.
          for (const { page: number, runs: list } of [...pages.slice(n * apart), ...pages.slice(0, n * apart)]) {
            const key = { shard: 0, second: T, depth, page: number }
            mine.push(
              ...wonBy(
                await own.ledger.swap(
                  key,
                  list.map(({ jobId: id }) => ({ id, expect: null, next: { ...CLAIM, token } })),
                ),
              ),
            )
          }
          return mine
        }),
      )
      const all = won.flat()
      expect(all).toHaveLength(runCount)
      expect(new Set(all).size).toBe(runCount)
      const contents = await world.ledger.readPages(
        pages.map(({ page: number }) => ({ shard: 0, second: T, depth, page: number })),
      )
      const owner = new Map(contents.flatMap(({ entries }) => [...entries]))
      const isOwned = claimers.every(({ token }, n) =>
        won[n].every((id) => (owner.get(id) as ClaimEntry).token === token),
      )
      expect(isOwned).toBe(true)
    }, 120_000)

    test(`a batch of ${batchSize} jobs is saved each for itself`, async () => {
      const world = await make(4, { losesEvery: 20 })
      await world.shards.make(4, Math.floor(world.clock.nowMs() / 1000) - 1)
      const bad = batchSize / 2
      const bodies = Array.from({ length: batchSize }, (_, n) =>
        n === bad ? { name: 'Bad Name' } : body(`batch-${n}`),
      )
      const results = await saveAll(world, bodies, asking)
      expect(results).toHaveLength(batchSize)
      expect(results.filter((result) => 'saved' in result)).toHaveLength(batchSize - 1)
      expect(results[bad]).toMatchObject({ error: { name: 'InvalidInput' } })
      const loaded: StoredJob[] = []
      for (let shard = 0; shard < world.shardCount; shard++) {
        for await (const some of world.jobs.load(shard)) loaded.push(...some)
      }
      expect(new Set(loaded.map(({ id }) => id)).size).toBe(batchSize - 1)
    }, 120_000)
  })
}

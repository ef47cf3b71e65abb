// The list of runs over all jobs: many jobs share a second, and no page may lose one of them.

import { expect, test } from 'vitest'
import { hashOfId, jobIdOf, shardOf } from '../../shared/core/job/id.ts'
import type { OutcomeEntry } from '../../shared/core/pages/entry.ts'
import { pageKeyOfJob } from '../../shared/core/pages/page.ts'
import { openApi } from '../support/api/open-api.ts'

const JOBS = 30
const SECONDS = [5, 6, 70]

test('pages of runs over all jobs show each run once, newest first, also where many jobs share a second', async () => {
  const { ask, world, nowMs, advance } = await openApi()
  const names = Array.from({ length: JOBS }, (_, n) => `job-${n}`)
  for (const name of names) {
    const body = { schedules: [{ every: 1 }], target: { type: 'handler', handler: 'echo' } }
    await ask('PUT', `/v1/jobs/default/${name}`, { body })
  }
  const start = Math.floor(nowMs() / 1000)
  advance(100)
  const entry: OutcomeEntry = { status: 'SUCCEEDED', attempt: 1, startOffsetMs: 20, durationMs: 3 }
  const depths = new Map(SECONDS.map((second) => [start + second, 0]))
  for (const minute of new Set([...depths.keys()].map((second) => Math.floor(second / 60)))) {
    const ofMinute = new Map([...depths].filter(([second]) => Math.floor(second / 60) === minute))
    for (let shard = 0; shard < world.shardCount; shard++) {
      await world.shards.putMinute({ shard, minute, depths: ofMinute, fires: 0, lateness: { maxMs: 0, sumMs: 0 } })
    }
  }
  for (const second of SECONDS) {
    for (const name of names) {
      const jobId = jobIdOf('default', name)
      const shard = shardOf(hashOfId(jobId), world.shardCount)
      const key = pageKeyOfJob(shard, { jobId, second: start + second }, 0)
      await world.ledger.swap(key, [{ id: jobId, expect: null, next: entry }])
    }
  }
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { json } = await ask('GET', `/v1/runs?limit=7&status=SUCCEEDED${cursor}`)
    seen.push(...json.items.map(({ id }: { id: string }) => id))
    if (json.next === null) break
    cursor = `&cursor=${json.next}`
  }
  expect(seen).toHaveLength(JOBS * SECONDS.length)
  expect(new Set(seen).size).toBe(seen.length)
  const seconds = seen.map((id) => Number(id.split('.')[1]))
  expect(seconds).toEqual([...seconds].sort((a, b) => b - a))
})

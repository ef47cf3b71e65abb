import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../shared/aws/stores.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import type { PageEntry } from '../../shared/core/pages/entry.ts'
import type { ShardItem } from '../../shared/core/shard.ts'
import { type Follower, JobsOfShard } from '../../shared/flow/follow-jobs.ts'
import type { Stores } from '../../shared/ports.ts'
import type { EngineName } from '../support/backends/names.ts'
import { countCapacity } from '../support/engines/capacity.ts'
import { createTable } from '../support/engines/table.ts'
import { asking } from '../support/job-body.ts'
import { ALL_TAKEN } from '../support/memory/queue.ts'
import { saveAll } from '../support/save.ts'

const ENGINES: readonly EngineName[] = ['dynoxide', 'DynamoDB Local']

describe.each(ENGINES)('what it costs [%s]', (name) => {
  const { endpoint, whyNot } = inject('engines')[name]
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
  const tableName = `capacity-${process.pid}-${Date.now()}`
  const second = Math.floor(Date.now() / 1000)
  const stores: Stores = dynamoStores({ client, tableName, shardCount: 1, ledgerDays: 30 })
  const spent = countCapacity(client)
  let shard: ShardItem

  beforeAll(async () => {
    if (whyNot !== null) return
    await createTable(client, tableName)
    await stores.shards.make(1, second - 1)
    const seen = await stores.shards.read(0)
    const taken = seen === null ? null : await stores.shards.takeOver(0, seen, 'x', second + 6)
    if (taken === null) throw new Error('not taken')
    shard = taken
  })
  afterAll(() => client.destroy())

  /** A tick as the chain makes it: what changed, then the fence, with as many depths as the item ever holds. */
  async function tick(jobs: JobsOfShard<Follower>): Promise<void> {
    await jobs.drain(second)
    const fence = shard.fence + 1
    const depths = new Map(Array.from({ length: 300 }, (_, n) => [fence - n, 8] as const).reverse())
    const backlog = [{ from: second - 9000, to: second - 100, openedAt: second, afterJob: jobIdOf('a', 'b') }]
    const link = crypto.randomUUID()
    const write = {
      epoch: 1,
      previousFence: fence - 1,
      fence,
      link,
      leaseUntil: fence + 6,
      sentThrough: shard.sentThrough,
      depths,
      backlog,
    }
    const fenced = await stores.shards.fence(0, write)
    if (fenced === null) throw new Error('lost')
    shard = fenced
  }

  test.skipIf(whyNot !== null)(
    'a tick is one read and one write unit, however many jobs are not due',
    async () => {
      const costs: ReturnType<typeof spent>[] = []
      for (const idle of [100, 500]) {
        const bodies = Array.from({ length: idle }, (_, n) => ({
          name: `idle-${idle}-${n}`,
          schedules: [{ cron: '0 0 1 1 *' }],
          target: { type: 'handler', handler: 'echo' },
        }))
        await saveAll(
          { ...stores, clock, shardCount: 1, watch: { send: async () => ALL_TAKEN }, newId: () => randomUUID() },
          bodies,
          asking,
        )
        // An hour later none of this is news any more. Time stands still there: a new minute would bring another read.
        const laterMs = clock.nowMs() + 3_600_000
        const later = { nowMs: () => laterMs }
        const jobs = new JobsOfShard({ jobs: stores.jobs, clock: later }, 0, () => ({ take() {}, knows: () => true }))
        await jobs.drain(second)
        spent()
        await tick(jobs)
        costs.push(spent())
      }
      for (const { reads, writes } of costs) {
        expect(writes).toEqual({ calls: ['UpdateItemCommand'], units: 1 })
        // AWS and dynoxide charge one unit for finding nothing, DynamoDB Local none.
        expect(reads).toEqual({ calls: ['QueryCommand'], units: name === 'dynoxide' ? 1 : 0 })
      }
    },
    60_000,
  )

  test.skipIf(whyNot !== null)('claiming and settling 24 runs is two write units', async () => {
    const page = { shard: 0, second, depth: 0, page: 0 }
    const claim: PageEntry = { status: 'RUNNING', attempt: 1, token: 'tokenAAA', deadlineSecond: second + 850 }
    const ended: PageEntry = { status: 'SUCCEEDED', attempt: 1, startOffsetMs: 1200, durationMs: 59_999 }
    const ids = Array.from({ length: 24 }, (_, n) => jobIdOf('default', `due-${n}`))
    spent()
    await stores.ledger.swap(
      page,
      ids.map((id) => ({ id, expect: null, next: claim })),
    )
    await stores.ledger.swap(
      page,
      ids.map((id) => ({ id, expect: claim, next: ended })),
    )
    expect(spent().writes).toEqual({ calls: ['UpdateItemCommand', 'UpdateItemCommand'], units: 2 })
  })

  test.skipIf(whyNot !== null)('the history of 24 instants of one page depth is one call', async () => {
    const pages = Array.from({ length: 24 }, (_, n) => ({ shard: 0, second: second - n, depth: 0, page: 0 }))
    spent()
    await stores.ledger.readPages(pages)
    expect(spent().reads.calls).toEqual(['BatchGetItemCommand'])
  })
})

// What it takes to load a shard: a hundred thousand jobs from the store into the snapshot that a ticker plans by.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startDynoxide } from '../local/engines/dynamodb.ts'
import { dynamoClient } from '../shared/aws/sdk.ts'
import { StoreClock } from '../shared/aws/store-clock.ts'
import { dynamoStores } from '../shared/aws/stores.ts'
import type { StoredJob } from '../shared/core/job/stored.ts'
import { Snapshot } from '../shared/core/planner/snapshot.ts'
import { JobsOfShard } from '../shared/flow/follow-jobs.ts'
import { createTable } from '../test/support/engines/table.ts'
import { fill } from './fill.ts'
import { mixedSchedules } from './fleet.ts'

const TABLE = 'bench'
const progress = (what: string): void => console.error(what)

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`

function usedBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** In a process of its own, as a ticker is, and with a limit: more memory than this is a failure. */
const MOST_HEAP_MB = 256

async function load(endpoint: string): Promise<void> {
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint, clock })
  const { jobs } = dynamoStores({ client, tableName: TABLE, shardCount: 1, ledgerDays: 30 })
  const now = Math.floor(Date.now() / 1000)
  const snapshot = new Snapshot()
  const before = usedBytes()
  let peak = 0
  const follower = {
    take: (some: readonly StoredJob[]) => {
      snapshot.apply(some.map(({ id, versions }) => ({ id, versions })))
      peak = Math.max(peak, process.memoryUsage().rss)
    },
    knows: (id: string) => snapshot.job(id) !== null,
  }
  const started = performance.now()
  await new JobsOfShard({ jobs, clock }, 0, () => follower).drain(now)
  const loadedMs = performance.now() - started
  const rolledFrom = performance.now()
  snapshot.roll(now)
  const rolledMs = performance.now() - rolledFrom
  const kept = usedBytes() - before
  console.log(
    `loaded ${snapshot.size.toLocaleString('en')} jobs in ${(loadedMs / 1000).toFixed(1)} s, first plan ${rolledMs.toFixed(0)} ms`,
  )
  console.log(
    `kept ${megabytes(kept)}, ${Math.round(kept / snapshot.size)} B a job; process at most ${megabytes(peak)}, heap limited to ${MOST_HEAP_MB} MB`,
  )
  client.destroy()
}

const [, , asked = '100000'] = process.argv
if (asked.startsWith('http')) await load(asked)
else {
  const engine = await startDynoxide()
  try {
    const client = dynamoClient({
      endpoint: engine.endpoint,
      clock: new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() }),
    })
    await createTable(client, TABLE)
    const schedules = mixedSchedules(Number(asked), 1)
    const now = Math.floor(Date.now() / 1000)
    const bodies = schedules.map((schedule, place) => ({
      name: `job-${place}`,
      tags: { team: `team-${place % 20}` },
      schedules: [schedule],
      target: { type: 'handler', handler: 'echo' },
      payload: { place },
    }))
    await fill({ client, tableName: TABLE }, bodies, now, progress)
    client.destroy()
    const loader = fork(import.meta.filename, [engine.endpoint], {
      execArgv: ['--expose-gc', `--max-old-space-size=${MOST_HEAP_MB}`, ...process.execArgv],
    })
    const [code] = await once(loader, 'exit')
    process.exitCode = Number(code)
  } finally {
    await engine.stop()
  }
}

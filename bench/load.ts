// What it takes to load a shard: a hundred thousand jobs from the store into the snapshot that a ticker plans by.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { startDynoxide } from '../local/engines/dynamodb.ts'
import { createTable } from '../local/engines/table.ts'
import { type KeptJob, writeJob } from '../shared/aws/items.ts'
import { placeOf } from '../shared/aws/job-write.ts'
import { dynamoClient } from '../shared/aws/sdk.ts'
import { StoreClock } from '../shared/aws/store-clock.ts'
import { dynamoStores } from '../shared/aws/stores.ts'
import { jobIdOf } from '../shared/core/job/id.ts'
import { jobSchema } from '../shared/core/job/job.ts'
import { revise } from '../shared/core/job/revise.ts'
import type { StoredJob } from '../shared/core/job/stored.ts'
import { Snapshot } from '../shared/core/planner/snapshot.ts'
import { JobsOfShard } from '../shared/flow/follow-jobs.ts'
import { mixedSchedules } from './fleet.ts'

const TABLE = 'bench'
const ITEMS_A_WRITE = 25
const WRITES_AT_ONCE = 8

const progress = (what: string): void => console.error(what)

function jobOf(place: number, schedule: object, now: number): StoredJob {
  const name = `job-${place}`
  const id = jobIdOf('default', name)
  const body = {
    name,
    tags: { team: `team-${place % 20}` },
    schedules: [schedule],
    target: { type: 'handler', handler: 'echo' },
    payload: { place },
  }
  const resolved = { template: null, calendars: [] }
  return revise({
    id,
    old: null,
    definition: jobSchema.parse(body),
    resolved,
    status: 'RUNNING',
    stopped: null,
    now,
    activeFrom: now,
    auditedThrough: 0,
  })
}

async function fill(client: DynamoDBClient, jobs: number, now: number): Promise<void> {
  const schedules = mixedSchedules(jobs, 1)
  let next = 0
  const writer = async () => {
    while (next < jobs) {
      const places = Array.from({ length: Math.min(ITEMS_A_WRITE, jobs - next) }, () => next++)
      const puts = places.map((place) => {
        const job = jobOf(place, schedules[place], now)
        const { pk, sk } = placeOf(job, 0)
        // Without calendars a job is kept just as it is.
        return { PutRequest: { Item: { ...writeJob(job as unknown as KeptJob), pk: { S: pk }, sk: { S: sk } } } }
      })
      await client.send(new BatchWriteItemCommand({ RequestItems: { [TABLE]: puts } }))
      if (places[0] % 20_000 === 0)
        progress(`saved ${places[0].toLocaleString('en')} of ${jobs.toLocaleString('en')} jobs`)
    }
  }
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, writer))
}

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
  const { jobs } = dynamoStores({ client, tableName: TABLE, shardCount: 1, ledgerDays: 30, clock })
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
    await fill(client, Number(asked), Math.floor(Date.now() / 1000))
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

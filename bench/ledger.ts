// What a page of runs saves: claiming and settling runs page by page against one conditional put and one update per run,
// and fifty workers claiming a thousand due runs at once. Both sides run in this process, on dynoxide.

import { type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { startDynoxide } from '../local/engines/dynamodb.ts'
import { dynamoClient } from '../shared/aws/sdk.ts'
import { StoreClock } from '../shared/aws/store-clock.ts'
import { dynamoStores } from '../shared/aws/stores.ts'
import { hashOfId, jobIdOf, pageBitsOf } from '../shared/core/job/id.ts'
import { depthFor } from '../shared/core/pages/depth.ts'
import type { PageEntry } from '../shared/core/pages/entry.ts'
import { packPages } from '../shared/core/pages/page.ts'
import type { Ledger, Swap } from '../shared/ports.ts'
import { countCapacity } from '../test/support/engines/capacity.ts'
import { createTable } from '../test/support/engines/table.ts'
import { percentile } from './measure.ts'

const RUNS = 6144
const ROUNDS = 5
const CALLS_AT_ONCE = 16
const WORKERS = 50
const DUE = 1000
const CLAIM_ROUNDS = 40
const WARM_UP_ROUNDS = 3
const TABLE = 'bench'

const progress = (what: string): void => console.error(`measuring ${what} …`)

/** Works off a list with so many at once. */
async function allOf<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item)
    }),
  )
}

let second = 1_790_000_000
const claimOf = (token: string): PageEntry => ({ status: 'RUNNING', attempt: 1, token, deadlineSecond: second + 75 })
const ended: PageEntry = { status: 'SUCCEEDED', attempt: 1, startOffsetMs: 45, durationMs: 120 }

/** Runs a second, claimed and settled in pages of a size. */
async function pagedRunsPerSecond(ledger: Ledger, jobIds: readonly string[], runsAPage: number): Promise<number> {
  second += 1
  const depth = Math.log2(jobIds.length / runsAPage)
  const pages = Array.from({ length: jobIds.length / runsAPage }, (_, page) => ({
    key: { shard: 0, second, depth: Math.ceil(depth), page },
    ids: jobIds.slice(page * runsAPage, (page + 1) * runsAPage),
  }))
  const claim = claimOf('tokenAAA')
  const started = performance.now()
  await allOf(pages, CALLS_AT_ONCE, async ({ key, ids }) => {
    await ledger.swap(
      key,
      ids.map((id): Swap => ({ id, expect: null, next: claim })),
    )
    await ledger.swap(
      key,
      ids.map((id): Swap => ({ id, expect: claim, next: ended })),
    )
  })
  return jobIds.length / ((performance.now() - started) / 1000)
}

/** The usual way: a run is a put if it is not there, and an update when it has ended. */
async function singleRunsPerSecond(client: DynamoDBClient, jobIds: readonly string[]): Promise<number> {
  second += 1
  const started = performance.now()
  await allOf(jobIds, CALLS_AT_ONCE, async (id) => {
    const key = { pk: { S: `ONE#${id}` }, sk: { S: String(second) } }
    await client.send(
      new PutItemCommand({
        TableName: TABLE,
        Item: { ...key, token: { S: 'tokenAAA' }, status: { S: 'RUNNING' } },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    )
    await client.send(
      new UpdateItemCommand({
        TableName: TABLE,
        Key: key,
        UpdateExpression: 'SET #s = :s, #d = :d',
        ConditionExpression: '#t = :t',
        ExpressionAttributeNames: { '#s': 'status', '#t': 'token', '#d': 'durationMs' },
        ExpressionAttributeValues: { ':s': { S: 'SUCCEEDED' }, ':t': { S: 'tokenAAA' }, ':d': { N: '120' } },
      }),
    )
  })
  return jobIds.length / ((performance.now() - started) / 1000)
}

interface ClaimFigures {
  readonly latenciesMs: number[]
  readonly claimsPerSecond: number
}

/** A thousand due runs in their pages, one page in ten delivered twice, as queues do, to fifty workers at once. */
async function claimDue(ledger: Ledger, jobIds: readonly string[]): Promise<ClaimFigures> {
  second += 1
  const runs = jobIds.map((jobId) => ({ jobId, second, pageBits: pageBitsOf(hashOfId(jobId)) }))
  const depth = depthFor(runs.length)
  const pages = packPages(runs, second, depth)
  const latenciesMs: number[] = []
  let won = 0
  let claims = 0
  const started = performance.now()
  await allOf([...pages, ...pages.slice(0, Math.ceil(pages.length / 10))], WORKERS, async ({ page, runs: list }) => {
    claims += 1
    const claim = claimOf(String(claims).padStart(8, '0'))
    const called = performance.now()
    const results = await ledger.swap(
      { shard: 0, second, depth, page },
      list.map(({ jobId }) => ({ id: jobId, expect: null, next: claim })),
    )
    latenciesMs.push(performance.now() - called)
    won += [...results.values()].filter(({ done }) => done).length
  })
  const claimsPerSecond = won / ((performance.now() - started) / 1000)
  if (won !== runs.length) throw new Error(`${won} of ${runs.length} runs were claimed`)
  return { latenciesMs, claimsPerSecond }
}

const engine = await startDynoxide()
try {
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: engine.endpoint, clock })
  await createTable(client, TABLE)
  const { ledger } = dynamoStores({ client, tableName: TABLE, shardCount: 1, ledgerDays: 30 })
  const jobIds = Array.from({ length: RUNS }, (_, n) => jobIdOf('bench', `job-${n}`))
  const [by24, by64, single]: number[][] = [[], [], []]
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`pages and single runs, round ${round} of ${ROUNDS}`)
    single.push(await singleRunsPerSecond(client, jobIds))
    by24.push(await pagedRunsPerSecond(ledger, jobIds, 24))
    by64.push(await pagedRunsPerSecond(ledger, jobIds, 64))
  }
  progress(`${WORKERS} workers and ${DUE} due runs`)
  const claims: ClaimFigures[] = []
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await claimDue(ledger, jobIds.slice(0, DUE))
  for (let round = 0; round < CLAIM_ROUNDS; round++) claims.push(await claimDue(ledger, jobIds.slice(0, DUE)))
  const spent = countCapacity(client)
  await pagedRunsPerSecond(ledger, jobIds, 24)
  const writeUnitsPerRun = spent().writes.units / RUNS
  client.destroy()

  const best = (figures: readonly number[]) => Math.max(...figures)
  const latencies = claims.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b)
  const figures = {
    runsPerSecond: best(by24),
    perRunBaseline: best(single),
    ratio: best(by24) / best(single),
    writeUnitsPerRun,
    claim: {
      workers: WORKERS,
      due: DUE,
      p99Ms: percentile(latencies, 0.99),
      claimsPerSecond: best(claims.map((claim) => claim.claimsPerSecond)),
    },
  }
  if (process.argv.includes('--json')) console.log(JSON.stringify(figures))
  else {
    const whole = (figure: number) => Math.round(figure).toLocaleString('en')
    const verdict = (isReached: boolean) => (isReached ? 'reached' : 'MISSED')
    console.log(`runs a second, 24 a page: ${whole(figures.runsPerSecond)}; 64 a page: ${whole(best(by64))}`)
    console.log(`one put and one update a run: ${whole(figures.perRunBaseline)}`)
    console.log(`ratio: ${figures.ratio.toFixed(1)}, at least 3 asked: ${verdict(figures.ratio >= 3)}`)
    console.log(`write units a run: ${writeUnitsPerRun.toFixed(3)}, the usual way 2`)
    const { p99Ms, claimsPerSecond } = figures.claim
    console.log(`${WORKERS} workers claim ${DUE}: p99 ${p99Ms.toFixed(1)} ms, below 100 asked: ${verdict(p99Ms < 100)}`)
    console.log(`${whole(claimsPerSecond)} claims a second, 10,000 asked: ${verdict(claimsPerSecond >= 10_000)}`)
  }
} finally {
  await engine.stop()
}

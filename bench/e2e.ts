// From the instant to the handler's first line, through everything that lies between: ten thousand runs due in one second, a
// thousand jobs of every second, and what a tick costs when nothing is due. The stack runs as `npm start` runs it: table, queues, bus,
// and the bundles in processes of their own, all on this machine, and all of them count.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { worldFrom } from '../functions/world.ts'
import { isMetrics } from '../local/function-log.ts'
import { MOST_ENVIRONMENTS } from '../local/host/functions.ts'
import { awsLatency, NO_LATENCY } from '../local/host/latency.ts'
import { RunningStack } from '../local/host/run-stack.ts'
import { assemble } from '../local/template/assembly.ts'
import { MOST_JOBS_PER_SHARD } from '../shared/aws/limits.ts'
import { dynamoClient } from '../shared/aws/sdk.ts'
import { StoreClock } from '../shared/aws/store-clock.ts'
import type { TickEvent } from '../shared/core/chain.ts'
import { ShardMemory } from '../shared/flow/shard-memory.ts'
import { tick } from '../shared/flow/tick.ts'
import { watchMinute } from '../shared/flow/watch.ts'
import type { Bus } from '../shared/ports.ts'
import type { Starts } from './e2e-handlers.ts'
import { fill } from './fill.ts'
import { type Hop, hopsOf } from './hops.ts'
import { percentile } from './measure.ts'

const BURST_RUNS = 10_000
const BURSTS = 4
const BURST_EVERY_SECONDS = 15
const STEADY_JOBS = 1000
const STEADY_SECONDS = 30
const IDLE_TICKS = 30
/** The chain starts, loads its jobs and is warm before anything is measured. */
const WARM_UP_SECONDS = 25

const { values: asked } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    latency: { type: 'string', default: 'none' },
    store: { type: 'string', default: 'memory' },
    seed: { type: 'string', default: '1' },
    environments: { type: 'string', default: String(MOST_ENVIRONMENTS) },
  },
})
const HAS_AWS_LATENCY = asked.latency === 'aws'
const IS_ON_FILE = asked.store === 'file'

const progress = (what: string): void => console.error(what)
const nowSecond = (): number => Math.floor(Date.now() / 1000)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Seen {
  readonly stack: RunningStack
  /** When the handler of a run began, for each time it did. */
  readonly startsMs: Map<string, number[]>
  readonly hops: Hop[]
  /** Runs whose end is in the ledger. */
  ended: number
  endedMs: number
  stop(): Promise<void>
}

async function begin(bodies: (now: number) => readonly object[]): Promise<Seen> {
  const seen = await prepare(bodies)
  seen.stack.begin()
  return seen
}

async function prepare(bodies: (now: number) => readonly object[]): Promise<Seen> {
  const startsMs = new Map<string, number[]>()
  const hops: Hop[] = []
  const counted: { seen: Seen | null } = { seen: null }
  const folder = IS_ON_FILE ? mkdtempSync(join(tmpdir(), 'tickring-bench-')) : null
  const stack = await RunningStack.start({
    assembly: await assemble({
      handlers: join(import.meta.dirname, 'e2e-handlers.ts'),
      jobsPerShard: MOST_JOBS_PER_SHARD,
    }),
    storeFolder: folder,
    latency: HAS_AWS_LATENCY ? awsLatency(Number(asked.seed)) : NO_LATENCY,
    mostEnvironments: Number(asked.environments),
    onNote: (_, message) => {
      for (const [runId, atMs] of (message as Starts).starts) {
        const starts = startsMs.get(runId)
        if (starts === undefined) startsMs.set(runId, [atMs])
        else starts.push(atMs)
      }
    },
    onMessages: (messages, receivedMs) => {
      const calledMs = Date.now()
      for (const { body, sentMs = 0 } of messages) hops.push({ body, sentMs, receivedMs, calledMs })
    },
    onLine: (_, line) => {
      if (counted.seen === null || !isMetrics(line)) return
      const { succeeded } = JSON.parse(line) as { succeeded?: number }
      if (succeeded === undefined) return
      counted.seen.ended += succeeded
      counted.seen.endedMs = Date.now()
    },
    onError: (name, error) => progress(`error in ${name}: ${String(error)}`),
  })
  await stack.runAtDeploy()
  const client = dynamoClient({
    endpoint: stack.services.engines.dynamodb,
    clock: new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() }),
  })
  const now = nowSecond()
  await fill({ client, tableName: stack.stack.tables[0].name }, bodies(now), now, progress)
  client.destroy()
  const stop = async () => {
    await stack.stop()
    if (folder !== null) rmSync(folder, { recursive: true })
  }
  counted.seen = { stack, startsMs, hops, ended: 0, endedMs: 0, stop }
  return counted.seen
}

const echo = { type: 'handler', handler: 'echo' }

interface Latencies {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const latenciesOf = (values: readonly number[]): Latencies => {
  const sorted = [...values].sort((a, b) => a - b)
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), maxMs: sorted[sorted.length - 1] }
}

const secondOfRun = (runId: string): number => Number(runId.split('.')[1])

interface Judged extends Latencies {
  readonly missing: number
  readonly doubled: number
}

/** The runs of some seconds: how late their handlers began, which never did and which did more than once. */
function judge({ startsMs }: Seen, from: number, to: number, expected: number): Judged {
  const runs = [...startsMs].filter(([runId]) => secondOfRun(runId) >= from && secondOfRun(runId) <= to)
  const late = runs.map(([runId, [startMs]]) => startMs - secondOfRun(runId) * 1000)
  const doubled = runs.filter(([, starts]) => starts.length > 1).length
  return { ...latenciesOf(late), missing: expected - runs.length, doubled }
}

interface Burst extends Judged {
  readonly n: number
  readonly runsPerSecond: number
}

/** Several times; the first time everything is cold. */
async function bursts(): Promise<Burst[]> {
  progress(`${BURST_RUNS.toLocaleString('en')} runs due in one second, ${BURSTS} times …`)
  let first = 0
  const seen = await begin((now) => {
    first = now + WARM_UP_SECONDS
    return Array.from({ length: BURSTS * BURST_RUNS }, (_, n) => {
      const due = first + (n % BURSTS) * BURST_EVERY_SECONDS
      const anchor = new Date(due * 1000).toISOString()
      return { name: `burst-${n}`, schedules: [{ every: 86_400, anchor }], target: echo }
    })
  })
  const results: Burst[] = []
  for (let due = first; results.length < BURSTS; due += BURST_EVERY_SECONDS) {
    await pause(due * 1000 - 1000 - Date.now())
    seen.ended = 0
    while (seen.ended < BURST_RUNS && Date.now() < (due + BURST_EVERY_SECONDS - 2) * 1000) await pause(10)
    const tookMs = seen.endedMs - due * 1000
    // What handlers told of their starts is a moment behind.
    await pause(300)
    const runsPerSecond = Math.round(seen.ended / (tookMs / 1000))
    results.push({ n: BURST_RUNS, ...judge(seen, due, due, BURST_RUNS), runsPerSecond })
  }
  await seen.stop()
  return results
}

async function steady(block: object): Promise<Judged & { jobs: number; seconds: number; fires: number; hops: object }> {
  progress(`${STEADY_JOBS} jobs of every second for ${STEADY_SECONDS} s, ${JSON.stringify(block)} …`)
  let from = 0
  const seen = await begin((now) => {
    from = now + WARM_UP_SECONDS
    return Array.from({ length: STEADY_JOBS }, (_, n) => ({
      name: `steady-${n}`,
      schedules: [{ every: 1 }],
      target: echo,
      block,
    }))
  })
  const to = from + STEADY_SECONDS - 1
  const fires = STEADY_JOBS * STEADY_SECONDS
  while (Date.now() < (to + 3) * 1000) await pause(50)
  const result = { ...judge(seen, from, to, fires), hops: hopsOf(seen, from, to) }
  await seen.stop()
  return { jobs: STEADY_JOBS, seconds: STEADY_SECONDS, fires, ...result }
}

/** The middle of many ticks in which nothing is due, each called a moment after its second, so that none waits. */
async function idle(jobs: number): Promise<number> {
  progress(`ticks with ${jobs.toLocaleString('en')} idle jobs …`)
  const { stack, stop } = await prepare((now) => {
    const anchor = new Date((now + 140) * 1000).toISOString()
    return Array.from({ length: jobs }, (_, n) => ({
      name: `idle-${n}`,
      schedules: n === 0 ? [{ every: 149, anchor }] : [{ cron: `${n % 60} ${n % 24} ${1 + (n % 28)} 6 *` }],
      target: echo,
      timeout: 60,
    }))
  })
  const { dynamodb, sqs, events } = stack.services.engines
  const output = { line: () => {}, nowMs: () => Date.now() }
  const opened = worldFrom(stack.environmentOf('tick'), output, {
    endpoints: { dynamo: dynamodb, queues: sqs, bus: events },
  })
  let next: TickEvent | null = null
  const bus: Bus = {
    put: async ([{ detail }]) => {
      next = detail as TickEvent
    },
  }
  const world = { ...opened, bus }
  const memory = new ShardMemory(world, 0)
  await watchMinute(world, memory)
  const ticksMs: number[] = []
  while (ticksMs.length < IDLE_TICKS + 3 && next !== null) {
    await pause(1000 - (Date.now() % 1000) + 5)
    const started = performance.now()
    await tick(world, memory, next)
    ticksMs.push(performance.now() - started)
  }
  opened.close()
  await stop()
  // The first ones load the jobs and warm up.
  return percentile(
    ticksMs.slice(3).sort((a, b) => a - b),
    0.5,
  )
}

const isWanted = (part: string): boolean => asked.only === undefined || asked.only === part
const burstsSeen = isWanted('burst') ? await bursts() : []
const [best = null, ...others] = [...burstsSeen].sort((a, b) => b.runsPerSecond - a.runsPerSecond)
const figures = {
  settings: {
    shards: 1,
    store: IS_ON_FILE ? 'dynoxide on a file' : 'dynoxide in memory',
    queues: 'fauxqs in memory',
    latency: HAS_AWS_LATENCY ? `aws, seed ${asked.seed}` : 'none',
    environments: Number(asked.environments),
    node: process.version,
    /** The best counts; the first one was cold. */
    bursts: burstsSeen,
  },
  burst: best === null ? null : { ...best, worst: others.at(-1) ?? best },
  steady: isWanted('steady') ? await steady({ strategy: 'CONCURRENT', max: 10 }) : null,
  serial: isWanted('serial') ? await steady({ strategy: 'SERIAL' }) : null,
  idle: isWanted('idle') ? { tickMs100: await idle(100), tickMs100k: await idle(100_000) } : null,
}
console.log(JSON.stringify(figures, null, asked.json ? undefined : 2))

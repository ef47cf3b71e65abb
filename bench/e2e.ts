// From the instant to the handler's first line, through everything that lies between: ten thousand runs due in one second, a
// thousand jobs of every second, and what a tick costs when nothing is due. Table, queues, bus, tickers and executors all run
// on this machine, and all of them count.

import handlers from '../functions/handlers.ts'
import { noted } from '../local/rig/noted.ts'
import { type Stack, startStack } from '../local/rig/stack.ts'
import { dynamoClient } from '../shared/aws/sdk.ts'
import { StoreClock } from '../shared/aws/store-clock.ts'
import type { TickEvent } from '../shared/core/chain.ts'
import { ShardMemory } from '../shared/flow/shard-memory.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import { tick } from '../shared/flow/tick.ts'
import { watchMinute } from '../shared/flow/watch.ts'
import type { Bus } from '../shared/ports.ts'
import { fill } from './fill.ts'
import { percentile } from './measure.ts'

const BURST_RUNS = 10_000
const BURSTS = 4
const BURST_EVERY_SECONDS = 15
/** Enough for all pages of a burst to be claimed before the first are settled; each takes five of them. */
const EXECUTORS = 32
const STEADY_JOBS = 1000
const STEADY_SECONDS = 30
const IDLE_TICKS = 30
/** The chain starts, loads its jobs and is warm before anything is measured. */
const WARM_UP_SECONDS = 25
const TABLE = 'tickring'

const progress = (what: string): void => console.error(what)
const nowSecond = (): number => Math.floor(Date.now() / 1000)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Seen {
  readonly stack: Stack
  /** When the handler of a run began, for each time it did. */
  readonly startsMs: Map<string, number[]>
  /** Runs whose end is in the ledger. */
  ended: number
  endedMs: number
}

async function begin(bodies: (now: number) => readonly object[]): Promise<Seen> {
  const seen = await prepare(bodies)
  seen.stack.rig.start()
  return seen
}

async function prepare(bodies: (now: number) => readonly object[]): Promise<Seen> {
  const startsMs = new Map<string, number[]>()
  const counted: { seen: Seen | null } = { seen: null }
  const stack = await startStack({
    executors: EXECUTORS,
    handlers: noted(handlers, ({ id }) => {
      const starts = startsMs.get(id)
      if (starts === undefined) startsMs.set(id, [Date.now()])
      else starts.push(Date.now())
    }),
    line: (text) => {
      if (!text.includes('"succeeded"') || counted.seen === null) return
      counted.seen.ended += (JSON.parse(text) as { succeeded: number }).succeeded
      counted.seen.endedMs = Date.now()
    },
    onError: (error) => progress(`error: ${String(error)}`),
  })
  const client = dynamoClient({
    endpoint: stack.endpoints.dynamo,
    clock: new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() }),
  })
  const now = nowSecond()
  await fill({ client, tableName: TABLE }, bodies(now), now, progress)
  client.destroy()
  counted.seen = { stack, startsMs, ended: 0, endedMs: 0 }
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
    const runsPerSecond = Math.round(seen.ended / (tookMs / 1000))
    results.push({ n: BURST_RUNS, ...judge(seen, due, due, BURST_RUNS), runsPerSecond })
  }
  await seen.stack.stop()
  return results
}

async function steady(block: object): Promise<Judged & { jobs: number; seconds: number; fires: number }> {
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
  const result = judge(seen, from, to, fires)
  await seen.stack.stop()
  return { jobs: STEADY_JOBS, seconds: STEADY_SECONDS, fires, ...result }
}

/** The middle of many ticks in which nothing is due, each called a moment after its second, so that none waits. */
async function idle(jobs: number): Promise<number> {
  progress(`ticks with ${jobs.toLocaleString('en')} idle jobs …`)
  const { stack } = await prepare((now) => {
    const anchor = new Date((now + 140) * 1000).toISOString()
    return Array.from({ length: jobs }, (_, n) => ({
      name: `idle-${n}`,
      schedules: n === 0 ? [{ every: 149, anchor }] : [{ cron: `${n % 60} ${n % 24} ${1 + (n % 28)} 6 *` }],
      target: echo,
      timeout: 60,
    }))
  })
  await startShards(stack.world)
  let next: TickEvent | null = null
  const bus: Bus = {
    put: async ([{ detail }]) => {
      next = detail as TickEvent
    },
  }
  const world = { ...stack.world, bus }
  const memory = new ShardMemory(world, 0)
  await watchMinute(world, memory)
  const ticksMs: number[] = []
  while (ticksMs.length < IDLE_TICKS + 3 && next !== null) {
    await pause(1000 - (Date.now() % 1000) + 5)
    const started = performance.now()
    await tick(world, memory, next)
    ticksMs.push(performance.now() - started)
  }
  await stack.stop()
  // The first ones load the jobs and warm up.
  return percentile(
    ticksMs.slice(3).sort((a, b) => a - b),
    0.5,
  )
}

const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)
const isWanted = (part: string): boolean => only === undefined || only === part
const burstsSeen = isWanted('burst') ? await bursts() : []
const [best = null] = [...burstsSeen].sort((a, b) => b.runsPerSecond - a.runsPerSecond)
const figures = {
  settings: {
    shards: 1,
    store: 'dynoxide in memory',
    queues: 'fauxqs in memory',
    executors: EXECUTORS,
    pagesACall: 5,
    node: process.version,
    /** The best counts; the first one was cold. */
    bursts: burstsSeen,
  },
  burst: best,
  steady: isWanted('steady') ? await steady({ strategy: 'CONCURRENT', max: 10 }) : null,
  serial: isWanted('serial') ? await steady({ strategy: 'SERIAL' }) : null,
  idle: isWanted('idle') ? { tickMs100: await idle(100), tickMs100k: await idle(100_000) } : null,
}
console.log(JSON.stringify(figures, null, process.argv.includes('--json') ? undefined : 2))

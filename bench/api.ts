// The HTTP API under load, as a client on loopback meets it: reads, upserts, searches among ten thousand jobs, and what that does to
// the lateness of jobs that fire meanwhile. The whole stack runs beside it on this machine, as `npm start` runs it.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon, { type Request as LoadRequest } from 'autocannon'
import { countStoreCalls } from './api-store-calls.ts'
import { percentile } from './measure.ts'

const JOBS = 10_000
const BATCH = 500
const TICKING_JOBS = 20
const SECONDS = 10
const ROUNDS = 3
/** Processes start, read all jobs and compile their code; how long a request takes meanwhile is told apart. */
const WARM_UP_SECONDS = 10
/** The log of changes is looked at again for a minute, so that long after the saves the stack is busy with them. */
const QUIET_AFTER_MS = 75_000

const progress = (what: string): void => console.error(what)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Running {
  readonly child: ChildProcess
  readonly url: string
  readonly key: string
}

async function start(data: string): Promise<Running> {
  const script = join(import.meta.dirname, '..', 'local', 'start.ts')
  const args = [script, '--plain', '--port', '0', '--data', data, '--no-samples']
  const env = { ...process.env, TICKRING_REQUESTS_PER_MINUTE: '100000000' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the stack ended with ${code}: ${said}`)))
    child.stdout.on('data', (text: Buffer) => {
      said += text
      const url = /^API +(\S+)\/v1/m.exec(said)?.[1]
      if (url === undefined || !said.includes('Key ')) return
      child.stdout.removeAllListeners('data').resume()
      resolve({ child, url, key: readFileSync(join(data, 'admin.key'), 'utf8').trim() })
    })
  })
}

async function stop({ child }: Running): Promise<void> {
  const ended = new Promise((resolve) => child.removeAllListeners('exit').once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

async function call({ url, key }: Running, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? null : answer.json()
}

const nameOf = (place: number): string => `job-${String(place).padStart(5, '0')}`

async function fill(running: Running): Promise<void> {
  const target = { type: 'handler', handler: 'echo' }
  for (let first = 0; first < JOBS; first += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => ({
      put: {
        name: nameOf(first + n),
        description: `the ${first + n}th of many`,
        tags: { team: `team-${n % 40}`, env: n % 2 === 0 ? 'prod' : 'test' },
        schedules: [{ cron: `${n % 60} ${first % 24} 1 1 *` }],
      },
    }))
    const { counts } = (await call(running, 'POST', '/v1/jobs/batch', {
      defaults: { namespace: 'load', target },
      items,
    })) as {
      counts: Record<string, number>
    }
    if (counts.FAILED > 0) throw new Error(`${counts.FAILED} jobs of a batch were refused`)
  }
  for (let place = 0; place < TICKING_JOBS; place++) {
    const body = { schedules: [{ every: 1 }], target, block: { strategy: 'CONCURRENT', max: 10 } }
    await call(running, 'PUT', `/v1/jobs/ticking/second-${place}`, body)
  }
}

interface Lateness {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** How late the runs of the last seconds began. */
async function lateness(running: Running, seconds: number): Promise<Lateness> {
  const from = new Date(Date.now() - seconds * 1000).toISOString()
  const late: number[] = []
  for (let place = 0; place < TICKING_JOBS; place++) {
    const path = `/v1/jobs/ticking/second-${place}/runs?limit=100&from=${from}&status=SUCCEEDED`
    const { items } = (await call(running, 'GET', path)) as { items: { latenessMs: number }[] }
    late.push(...items.map(({ latenessMs }) => latenessMs))
  }
  late.sort((a, b) => a - b)
  return { p50Ms: percentile(late, 0.5), p99Ms: percentile(late, 0.99) }
}

interface Load {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly worstP99Ms: number
  /** Of the warm-up before. */
  readonly warmUpP99Ms: number
  readonly perSecond: number
  readonly failed: number
}

async function load(
  { url, key }: Running,
  connections: number,
  request: () => Pick<LoadRequest, 'method' | 'path' | 'body'>,
): Promise<Load> {
  const round = (duration: number) =>
    autocannon({
      url,
      connections,
      duration,
      requests: [{ setupRequest: (before) => ({ ...before, ...request() }) }],
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
  const warmUp = await round(WARM_UP_SECONDS)
  const rounds: autocannon.Result[] = []
  for (let done = 0; done < ROUNDS; done++) rounds.push(await round(SECONDS / ROUNDS))
  // A round in which nothing was answered has a latency of 0.
  const answered = rounds.filter(({ requests }) => requests.total > 0)
  if (answered.length === 0) throw new Error(`no request was answered within ${SECONDS / ROUNDS} s`)
  const best = answered.reduce((one, other) => (other.latency.p99 < one.latency.p99 ? other : one))
  return {
    p50Ms: best.latency.p50,
    p99Ms: best.latency.p99,
    worstP99Ms: Math.max(...rounds.map(({ latency }) => latency.p99)),
    warmUpP99Ms: warmUp.latency.p99,
    perSecond: Math.round(best.requests.average),
    failed: [warmUp, ...rounds].reduce((sum, { non2xx, errors, timeouts }) => sum + non2xx + errors + timeouts, 0),
  }
}

async function searchMs(running: Running): Promise<number> {
  const begunMs = performance.now()
  await call(running, 'GET', '/v1/jobs?namespace=load&limit=50')
  return Math.round(performance.now() - begunMs)
}

const below = (most: number): number => Math.floor(Math.random() * most)

const LOADS: Readonly<Record<string, () => Pick<LoadRequest, 'method' | 'path' | 'body'>>> = {
  read: () => ({ method: 'GET', path: `/v1/jobs/load/${nameOf(below(JOBS))}` }),
  upsert: () => ({
    method: 'PUT',
    path: `/v1/jobs/load/${nameOf(below(JOBS))}`,
    body: JSON.stringify({
      schedules: [{ cron: `${below(60)} ${below(24)} 1 1 *` }],
      target: { type: 'handler', handler: 'echo' },
      payload: { n: below(1e9) },
    }),
  }),
  search: () => ({ method: 'GET', path: `/v1/jobs?namespace=load&tag=team:team-${below(40)}&limit=50` }),
  searchText: () => ({ method: 'GET', path: `/v1/jobs?q=${below(JOBS)}th&sort=-updated&limit=50` }),
}

const data = mkdtempSync(join(tmpdir(), 'tickring-bench-'))
const isJson = process.argv.includes('--json')
try {
  progress('starting the stack and saving 10,000 jobs')
  const first = await start(data)
  await fill(first)
  await pause(QUIET_AFTER_MS)
  const quiet = await lateness(first, 10)
  // The first search after the saves reads all of them; it is told apart from those that follow.
  const firstSearchMs = await searchMs(first)
  const results: Record<string, Load> = {}
  const during: Record<string, Lateness> = {}
  for (const connections of [10, 50]) {
    for (const [name, request] of Object.entries(LOADS)) {
      progress(`${name} with ${connections} connections`)
      results[`${name}${connections}`] = await load(first, connections, request)
      if (connections === 10) during[name] = await lateness(first, WARM_UP_SECONDS + SECONDS)
    }
  }
  await stop(first)
  progress('starting again, to search cold')
  const second = await start(data)
  const coldSearchMs = await searchMs(second)
  await stop(second)
  const storeCalls = await countStoreCalls()
  const result = { jobs: JOBS, quiet, during, ...results, firstSearchMs, coldSearchMs, storeCalls }
  if (isJson) console.log(JSON.stringify(result))
  else print(result)
} finally {
  rmSync(data, { recursive: true, force: true })
}

function print(result: object): void {
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(14)} ${JSON.stringify(value)}`)
}

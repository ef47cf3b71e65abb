// How much CPU a request takes in the process that serves it, and for how long it keeps that process from other work. On a busy machine
// latencies say little; these figures say which part of them is ours.

import { randomBytes } from 'node:crypto'
import { makeApi } from '../functions/http/door.ts'
import { apiWorldOf } from '../functions/http/open-world.ts'
import { worldFrom } from '../functions/world.ts'
import { SYSTEM } from '../shared/core/actor.ts'
import { installAdminKey, newKeyText } from '../shared/flow/access/keys.ts'
import { localSettings } from '../test/support/api/local-settings.ts'
import { startEngines } from './engines.ts'

const JOBS = 10_000
const BATCH = 500
const CONNECTIONS = 10
const BEAT_MS = 5
/** The log of changes is looked at again for a minute; after that a search finds it quiet. */
const QUIET_AFTER_MS = 70_000

const target = { type: 'handler', handler: 'echo' }
const below = (most: number): number => Math.floor(Math.random() * most)
const nameOf = (place: number): string => `job-${String(place).padStart(5, '0')}`
const anyJob = (): string => `/v1/jobs/load/${nameOf(below(JOBS))}`

const { stack, env, endpoints } = await startEngines()
const output = { line: () => {}, nowMs: () => Date.now() }
const opened = worldFrom(env, output, { endpoints })
const settings = { ...localSettings(env, '127.0.0.1', 1), hosts: [], requestsPerMinute: 1e9 }
const world = apiWorldOf(opened, settings)
const key = newKeyText({ entropy: randomBytes })
await installAdminKey(world, key, SYSTEM)
const api = makeApi(world, output)

async function ask(method: string, path: string, body?: object): Promise<void> {
  const [rawPath, rawQueryString = ''] = path.split('?')
  const { statusCode, body: text } = await api({
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    requestContext: { http: { method } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  })
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`)
}

async function measure(name: string, count: number, connections: number, one: (place: number) => Promise<void>) {
  let longestMs = 0
  let beatMs = performance.now()
  const beat = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - beatMs - BEAT_MS)
    beatMs = performance.now()
  }, BEAT_MS)
  const before = process.cpuUsage()
  const places = Array.from({ length: count }, (_, place) => place).values()
  const connection = async () => {
    for (const place of places) await one(place)
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const { user, system } = process.cpuUsage(before)
  clearInterval(beat)
  const cpuMs = ((user + system) / 1000 / count).toFixed(2)
  console.log(`${name.padEnd(18)} ${cpuMs.padStart(8)} ms of CPU   held for ${longestMs.toFixed(0)} ms at most`)
}

const save = (batch: number): Promise<void> =>
  ask('POST', '/v1/jobs/batch', {
    defaults: { namespace: 'load', target },
    items: Array.from({ length: BATCH }, (_, n) => ({
      put: {
        name: nameOf(batch * BATCH + n),
        description: `the ${batch * BATCH + n}th of many`,
        tags: { team: `team-${n % 40}`, env: n % 2 === 0 ? 'prod' : 'test' },
        schedules: [{ cron: `${n % 60} ${batch % 24} 1 1 *` }],
      },
    })),
  })
const read = () => ask('GET', anyJob())
const upsert = () =>
  ask('PUT', anyJob(), {
    schedules: [{ cron: `${below(60)} ${below(24)} 1 1 *` }],
    target,
    payload: { n: below(1e9) },
  })
const search = () => ask('GET', `/v1/jobs?namespace=load&tag=team:team-${below(40)}&limit=50`)
const searchText = () => ask('GET', `/v1/jobs?q=${below(JOBS)}th&sort=-updated&limit=50`)
const facets = () => ask('GET', '/v1/jobs?facets=namespace,status,tag,target&limit=50')

await search()
await measure('batch of 500', JOBS / BATCH, 1, save)
await measure('search, the first', 1, 1, search)
await measure('search after saves', 200, CONNECTIONS, search)
await new Promise((resolve) => setTimeout(resolve, QUIET_AFTER_MS))
await measure('read', 1000, CONNECTIONS, read)
await measure('search', 500, CONNECTIONS, search)
await measure('search for text', 500, CONNECTIONS, searchText)
await measure('search with facets', 200, CONNECTIONS, facets)
await measure('upsert', 500, CONNECTIONS, upsert)
opened.close()
await stack.stop()

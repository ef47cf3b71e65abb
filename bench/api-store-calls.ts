// How many calls of the store a request takes, counted between the API and the store.

import { randomBytes } from 'node:crypto'
import { createServer, request as forward } from 'node:http'
import { makeApi } from '../functions/http/door.ts'
import { apiWorldOf } from '../functions/http/open-world.ts'
import { worldFrom } from '../functions/world.ts'
import { SYSTEM } from '../shared/core/actor.ts'
import { installAdminKey, newKeyText } from '../shared/flow/access/keys.ts'
import { localSettings } from '../test/support/api/local-settings.ts'
import { startEngines } from './engines.ts'

const JOB = { schedules: [{ cron: '0 0 1 1 *' }], target: { type: 'handler', handler: 'echo' } }

const REQUESTS: readonly [name: string, method: string, path: string, body?: object][] = [
  ['create', 'PUT', '/v1/jobs/default/one', JOB],
  ['equal', 'PUT', '/v1/jobs/default/one', JOB],
  ['edit', 'PUT', '/v1/jobs/default/one', { ...JOB, payload: 1 }],
  ['read', 'GET', '/v1/jobs/default/one'],
  ['search', 'GET', '/v1/jobs'],
  ['trigger', 'POST', '/v1/jobs/default/one/trigger', {}],
  ['stop', 'POST', '/v1/jobs/default/one/stop', {}],
  ['runs', 'GET', '/v1/jobs/default/one/runs'],
  ['delete', 'DELETE', '/v1/jobs/default/one'],
]

export async function countStoreCalls(): Promise<Record<string, number>> {
  const { stack, env, endpoints: engines } = await startEngines()
  let calls = 0
  const target = new URL(engines.dynamo)
  const counter = createServer((incoming, outgoing) => {
    calls += 1
    const { method, url, headers } = incoming
    const passed = forward({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => counter.listen(0, '127.0.0.1', resolve))
  const address = counter.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const output = { line: () => {}, nowMs: () => Date.now() }
  const endpoints = { ...engines, dynamo: `http://127.0.0.1:${port}` }
  const opened = worldFrom(env, output, { endpoints })
  const world = apiWorldOf(opened, { ...localSettings(env, '127.0.0.1', 1), hosts: [] })
  const key = newKeyText({ entropy: randomBytes })
  await installAdminKey(world, key, SYSTEM)
  const api = makeApi(world, output)
  const ask = (method: string, path: string, body?: object) =>
    api({
      version: '2.0',
      rawPath: path,
      rawQueryString: '',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      requestContext: { http: { method } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      isBase64Encoded: false,
    })
  await ask('GET', '/v1/jobs')
  await ask('PUT', '/v1/jobs/default/warm', JOB)
  const counts: Record<string, number> = {}
  for (const [name, method, path, body] of REQUESTS) {
    const before = calls
    const { statusCode } = await ask(method, path, body)
    if (statusCode >= 300) throw new Error(`${name} was answered with ${statusCode}`)
    counts[name] = calls - before
  }
  opened.close()
  counter.closeAllConnections()
  counter.close()
  await stack.stop()
  return counts
}

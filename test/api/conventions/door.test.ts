// The door of the API: shapes of refusals, methods, paths, hosts and origins, headers, and what a broken store looks like from outside.

import { expect, test } from 'vitest'
import { ROUTES } from '../../../functions/http/routes.ts'
import { journal } from '../../support/api/journal.ts'
import { HOST, openApi } from '../../support/api/open-api.ts'

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }

const filled = (path: string): string =>
  path.replace('{namespace}', 'billing').replace('{name}', 'x').replace('{id}', 'abc').replace('{file}', 'index.html')

const PATHS = [...new Set(ROUTES.map(({ path }) => path))].map((path) => {
  const own = ROUTES.filter((route) => route.path === path).map(({ method }) => method as string)
  return [path, [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted()] as const
})

test('a problem has its type, title, status, code, detail, request id and list of faults, and nothing else', async () => {
  const { ask } = await openApi()
  const { json, headers } = await ask('PUT', '/v1/jobs/billing/x', { body: { schedules: [{ cron: 'x' }], no: 1 } })
  expect(headers['content-type']).toBe('application/problem+json')
  expect(Object.keys(json)).toEqual(['type', 'title', 'status', 'code', 'detail', 'requestId', 'errors'])
  expect(json).toMatchObject({ type: 'urn:tickring:problem:invalid', status: 422, code: 'invalid' })
  expect(json.requestId).toBe(headers['x-request-id'])
  expect(json.errors.length).toBeGreaterThan(1)
  for (const fault of json.errors) expect(Object.keys(fault)).toEqual(['in', 'path', 'code', 'message'])
})

test.each(PATHS)('%s answers other methods with 405 and OPTIONS with 204, both with Allow', async (path, allowed) => {
  const { ask } = await openApi()
  for (const method of METHODS.filter((each) => !allowed.includes(each))) {
    const { status, json, headers } = await ask(method, filled(path), { key: null })
    expect([status, headers.allow], method).toEqual([405, allowed.join(', ')])
    if (method !== 'HEAD') expect(json.code).toBe('method-not-allowed')
  }
  const { status, headers, text } = await ask('OPTIONS', filled(path), { key: null })
  expect([status, headers.allow, text]).toEqual([204, allowed.join(', '), ''])
})

test('HEAD has the status and headers of GET and no body', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  for (const path of ['/v1/jobs/billing/x', '/v1/jobs', '/v1/health', '/v1/jobs/billing/absent']) {
    const [get, head] = [await ask('GET', path), await ask('HEAD', path)]
    const { 'x-request-id': _, ratelimit: __, ...ofGet } = get.headers
    expect([head.status, head.text]).toEqual([get.status, ''])
    expect(head.headers).toMatchObject(ofGet)
  }
})

test.each([
  '/',
  '/v1',
  '/v1/',
  '/v1/me/',
  '/v1/jobs/',
  '/v1/jobs/billing',
  '/v1/jobs/billing/',
  '/v1/jobs/billing/x/',
  '/v1//jobs',
  '//v1/me',
  '/v1/jobs//x',
  '/v1/jobs:batch',
  '/v1/jobs/billing/x:stop',
  '/v1/jobs/billing/x/nope',
  '/v1/Me',
  '/V1/me',
  '/v2/me',
  '/v1/me/../me',
  '/v1/mex',
  '/v1/health.json',
  '/v1/openapi.yaml',
  '/docs/',
  '/docs/a/b',
  '/admin',
  '/metrics',
  '/debug',
  '/.env',
  `/v1/${'x'.repeat(3000)}`,
])('there is nothing at %s', async (path) => {
  const { ask } = await openApi({ docs: () => ({ type: 'text/html', content: 'x' }) })
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS']) {
    const { status, json } = await ask(method, path, method === 'PUT' ? { body: JOB } : {})
    // A colon is no character of a name, and names are read once the route is known.
    const isBadName = path.includes(':stop') && (method === 'GET' || method === 'PUT' || method === 'DELETE')
    if (path.includes(':stop') && method === 'OPTIONS') expect(status).toBe(204)
    else if (path.includes(':stop') && method === 'POST') expect(status).toBe(405)
    else expect([status, json.code], method).toEqual(isBadName ? [400, 'bad-request'] : [404, 'not-found'])
  }
})

test.each(METHODS)('a host or origin that is not ours is refused on %s, open routes included', async (method) => {
  const { ask } = await openApi()
  for (const path of ['/v1/health', '/v1/openapi.json', '/v1/me', '/v1/jobs/billing/x', '/nowhere', '/docs']) {
    for (const headers of [
      { host: 'evil.example' },
      { host: 'evil.example:4620' },
      { host: '127.0.0.1' },
      { host: '127.0.0.1:4621' },
      { host: `${HOST}.evil.example` },
      { host: '' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: 'http://127.0.0.1:4621' },
      { origin: `http://${HOST}.evil.example` },
      { origin: `http://${HOST}, https://evil.example` },
    ]) {
      const { status, json } = await ask(method, path, { headers })
      expect(status, `${path} ${JSON.stringify(headers)}`).toBe(403)
      if (method !== 'HEAD') expect(json.code).toBe('bad-origin')
    }
  }
})

test('a page of our own origin may call', async () => {
  const { ask } = await openApi()
  for (const origin of [`http://${HOST}`, `https://${HOST}`]) {
    const { status, headers } = await ask('GET', '/v1/me', { headers: { origin } })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined])
  }
  expect((await ask('GET', '/v1/me', { headers: { host: HOST.toUpperCase() } })).status).toBe(200)
})

test('behind a gateway that knows its domains a page of the same host may call, and no other', async () => {
  const { ask } = await openApi({ hosts: [] })
  const host = 'abc.execute-api.eu-central-1.amazonaws.com'
  const from = async (origin: string) => (await ask('GET', '/v1/me', { headers: { host, origin } })).status
  expect([await from(`https://${host}`), await from('https://evil.example'), await from('null')]).toEqual([
    200, 403, 403,
  ])
})

test('CORS headers are for configured origins only, and null is never one of them', async () => {
  const origin = 'https://app.acme.example'
  const { ask } = await openApi({ origins: [origin, 'null'] })
  const preflight = await ask('OPTIONS', '/v1/jobs', {
    key: null,
    headers: { origin, 'access-control-request-method': 'PUT' },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, PUT, POST, PATCH, DELETE',
    vary: 'origin',
  })
  for (const name of ['authorization', 'if-match', 'if-none-match', 'idempotency-key', 'prefer', 'tickring-actor']) {
    expect(preflight.headers['access-control-allow-headers']).toContain(name)
  }
  for (const name of ['etag', 'location', 'retry-after', 'ratelimit-policy', 'preference-applied']) {
    expect(preflight.headers['access-control-expose-headers']).toContain(name)
  }
  const refused = await ask('GET', '/v1/me', { key: null, headers: { origin } })
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin])
  expect(JSON.stringify(preflight.headers)).not.toContain('credentials')
  for (const other of ['null', 'https://evil.example', `${origin}.evil.example`, 'http://app.acme.example']) {
    const { status, headers } = await ask('GET', '/v1/me', { headers: { origin: other } })
    expect([status, headers['access-control-allow-origin']], other).toEqual([403, undefined])
  }
  const without = await ask('GET', '/v1/me')
  expect(Object.keys(without.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('every answer has the same headers for safety, and none that names what runs', async () => {
  const { ask } = await openApi()
  const { 'x-request-id': _, ratelimit: __, 'ratelimit-policy': ___, ...headers } = (await ask('GET', '/v1/me')).headers
  expect(headers).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': 'application/json',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  const { 'content-type': ____, ...safety } = headers
  for (const [method, path] of [
    ['GET', '/v1/none'],
    ['OPTIONS', '/v1/me'],
    ['DELETE', '/v1/me'],
  ] as const) {
    expect((await ask(method, path)).headers).toMatchObject(safety)
  }
})

test('the viewer may load its own files, style none inline, and ask this server only', async () => {
  const { ask } = await openApi({ docs: () => ({ type: 'text/html', content: 'x' }) })
  expect((await ask('GET', '/docs')).headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
  )
})

test('an error that was not foreseen is 500 with a request id, and its text is in the log only', async () => {
  const made = journal()
  const { ask, lines } = await openApi({}, made)
  made.faults.push({ what: 'jobs.read', error: new TypeError('undefined has no dragons'), times: 1 })
  const { status, json, text, headers } = await ask('GET', '/v1/jobs/billing/x')
  expect(status).toBe(500)
  expect(json).toEqual({
    type: 'urn:tickring:problem:internal',
    title: 'Something went wrong here',
    status: 500,
    code: 'internal',
    detail: 'an unexpected error. Report it with the requestId',
    requestId: headers['x-request-id'],
    errors: [],
  })
  expect(text).not.toMatch(/dragons|TypeError|\.ts|at /)
  expect(JSON.parse(lines[0])).toMatchObject({ level: 'error', requestId: json.requestId, path: '/v1/jobs/billing/x' })
  expect(lines[0]).toContain('dragons')
  expect(headers['x-content-type-options']).toBe('nosniff')
})

const outOfReach = (fields: object): Error => Object.assign(new Error('the table is away'), fields)

test.each([
  ['does not answer', outOfReach({ name: 'TimeoutError' })],
  ['refuses the connection', outOfReach({ code: 'ECONNREFUSED' })],
  ['is throttled', outOfReach({ name: 'ThrottlingException', $fault: 'client', $metadata: {} })],
])('a store that %s is 503 with Retry-After, and its text is in the log only', async (_, error) => {
  const made = journal()
  const { ask, lines } = await openApi({}, made)
  made.faults.push({ what: 'jobs.read', error, times: 1 })
  const { status, json, text, headers } = await ask('GET', '/v1/jobs/billing/x')
  expect([status, json.code, headers['retry-after']]).toEqual([503, 'unavailable', '1'])
  expect(text).not.toContain('away')
  expect(lines[0]).toContain('the table is away')
  expect((await ask('GET', '/v1/jobs/billing/x')).status).toBe(404)
})

test('an item of a batch that meets a broken store is told apart, and the reason is in the log', async () => {
  const made = journal()
  const { ask, lines } = await openApi({}, made)
  made.faults.push({ what: 'jobs.commit', error: new Error('dragons'), times: 1 })
  const items = ['a', 'b'].map((name) => ({ put: { namespace: 'billing', name, ...JOB } }))
  const { status, json, text } = await ask('POST', '/v1/jobs/batch', { body: { items } })
  expect(status).toBe(200)
  expect(json.results.map((each: { status: number }) => each.status).toSorted()).toEqual([201, 500])
  expect(text).not.toContain('dragons')
  expect(lines.filter((line) => line.includes('dragons'))).toHaveLength(1)
})

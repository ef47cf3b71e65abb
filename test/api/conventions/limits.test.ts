// How much may be asked: requests a minute, jobs and triggers of a namespace, pages and cursors, parameters, and how long a request waits.

import { expect, test } from 'vitest'
import { ROUTES } from '../../../functions/http/routes.ts'
import { journal } from '../../support/api/journal.ts'
import { openApi } from '../../support/api/open-api.ts'

const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }

test('each answer to a key says how many requests it has left, and the one too many is 429 with Retry-After', async () => {
  const { ask, advance, makeKey } = await openApi({ requestsPerMinute: 3 })
  const key = await makeKey('viewer', ['billing'])
  const left = []
  for (let request = 0; request < 3; request++) {
    const { status, headers } = await ask('GET', '/v1/jobs', { key })
    expect([status, headers['ratelimit-policy']]).toEqual([200, '"key";q=3;w=60'])
    left.push(headers.ratelimit)
    advance(10)
  }
  expect(left).toEqual(['"key";r=2;t=60', '"key";r=1;t=50', '"key";r=0;t=40'])
  const over = await ask('GET', '/v1/jobs', { key })
  expect(over.json).toMatchObject({ status: 429, code: 'rate-limited' })
  expect(over.headers).toMatchObject({ 'retry-after': '30', ratelimit: '"key";r=0;t=30' })
  // Another key is not touched, nor is what is open.
  expect((await ask('GET', '/v1/me')).status).toBe(200)
  expect((await ask('GET', '/v1/health', { key })).status).toBe(200)
  advance(30)
  expect((await ask('GET', '/v1/jobs', { key })).status).toBe(200)
})

test('a refused request counts, and one without a key has no numbers', async () => {
  const { ask, makeKey } = await openApi({ requestsPerMinute: 2 })
  const key = await makeKey('viewer', ['billing'])
  expect((await ask('GET', '/v1/jobs/acme/x', { key })).headers.ratelimit).toBe('"key";r=1;t=60')
  expect((await ask('DELETE', '/v1/jobs/billing/x', { key })).headers.ratelimit).toBe('"key";r=0;t=60')
  expect((await ask('GET', '/v1/me', { key: null })).headers.ratelimit).toBeUndefined()
})

test('a namespace takes as many jobs as its limit, edits those that it has, and says quota without Retry-After', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/namespaces/small', { body: { limits: { jobs: 2 } } })
  for (const name of ['a', 'b']) expect((await ask('PUT', `/v1/jobs/small/${name}`, { body: JOB })).status).toBe(201)
  const over = await ask('PUT', '/v1/jobs/small/c', { body: JOB })
  expect([over.status, over.json.code, over.headers['retry-after']]).toEqual([429, 'quota', undefined])
  expect((await ask('PUT', '/v1/jobs/small/a', { body: { ...JOB, priority: 1 } })).status).toBe(200)
  expect((await ask('PUT', '/v1/jobs/other/c', { body: JOB })).status).toBe(201)
  await ask('DELETE', '/v1/jobs/small/a')
  expect((await ask('PUT', '/v1/jobs/small/c', { body: JOB })).status).toBe(201)
  await ask('PUT', '/v1/namespaces/small', { body: { limits: { jobs: null } } })
  expect((await ask('PUT', '/v1/jobs/small/d', { body: JOB })).status).toBe(201)
})

test('a retry by hand counts as a trigger of its namespace', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/namespaces/calm', { body: { limits: { triggersPerMinute: 2 } } })
  await ask('PUT', '/v1/jobs/calm/x', { body: JOB })
  const { json: run } = await ask('POST', '/v1/jobs/calm/x/trigger')
  await ask('POST', `/v1/runs/${run.id}/cancel`)
  const retry = () => ask('POST', `/v1/runs/${run.id}/retry`)
  expect([(await retry()).status, (await retry()).status]).toEqual([202, 429])
})

test('a namespace is triggered as often a minute as its limit, dry runs not counted', async () => {
  const { ask, advance } = await openApi()
  await ask('PUT', '/v1/namespaces/calm', { body: { limits: { triggersPerMinute: 2 } } })
  await ask('PUT', '/v1/jobs/calm/x', { body: JOB })
  const trigger = (query = '') => ask('POST', `/v1/jobs/calm/x/trigger${query}`)
  for (const query of ['?dryRun', '', '?dryRun', ''])
    expect((await trigger(query)).status).toBe(query === '' ? 202 : 200)
  for (const query of ['', '?dryRun']) {
    const { status, json, headers } = await trigger(query)
    expect([status, json.code, headers['retry-after']]).toEqual([429, 'rate-limited', '60'])
  }
  advance(60)
  expect((await trigger()).status).toBe(202)
})

const filled = (path: string): string =>
  path.replace('{namespace}', 'billing').replace('{name}', 'x').replace('{id}', 'abc').replace('{file}', 'index.html')

test.each(ROUTES.map(({ method, path }) => [method, path]))(
  '%s %s refuses unknown, repeated and badly encoded parameters',
  async (method, path) => {
    const { ask } = await openApi()
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    for (const query of ['nope=1', 'Limit=1', 'limit=1&limit=1', '%=1', 'q=%ff', 'q=%c3%28', '&', '=']) {
      const { status, json } = await ask(method, `${filled(path)}?${query}`, body)
      expect([status, json.code, json.errors[0].in], query).toEqual([400, 'bad-request', 'query'])
    }
  },
)

const LISTS = ROUTES.filter(({ query }) => query !== undefined && 'limit' in query.shape).map(({ path }) => path)

test('every list takes limit and cursor', () => {
  expect(LISTS.length).toBeGreaterThanOrEqual(9)
  for (const { query, path } of ROUTES) {
    expect(query !== undefined && 'cursor' in query.shape, path).toBe(
      LISTS.includes(path) && query !== undefined && 'limit' in query.shape,
    )
  }
})

test.each(LISTS)('the limit of %s is a whole number from 1 to 100', async (path) => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  for (const limit of ['0', '101', '-1', '1.5', '', 'ten', '1e1', '%31%30%30%30', '0x10', '+5']) {
    const { status, json } = await ask('GET', `${filled(path)}?limit=${limit}`)
    expect([status, json.errors?.[0].path], limit).toEqual([400, '/limit'])
  }
  for (const limit of [1, 100]) expect((await ask('GET', `${filled(path)}?limit=${limit}`)).status).toBe(200)
})

test.each(LISTS)('a cursor of %s that is none, or of another query, is 400 bad-cursor', async (path) => {
  const { ask } = await openApi()
  for (const name of ['x', 'y', 'z']) await ask('PUT', `/v1/jobs/billing/${name}`, { body: JOB })
  const { json } = await ask('GET', '/v1/jobs?limit=1&sort=-name')
  for (const cursor of [json.next, 'x', '', 'e30', Buffer.from('[1,2]').toString('base64url'), `${json.next}x`]) {
    const { status, json: problem } = await ask('GET', `${filled(path)}?cursor=${cursor}`)
    expect([status, problem.code], cursor).toEqual([400, 'bad-cursor'])
  }
})

test('a cursor goes with its filters and sort, and any limit', async () => {
  const { ask } = await openApi()
  for (const name of ['x', 'y', 'z']) await ask('PUT', `/v1/jobs/billing/${name}`, { body: JOB })
  const { next } = (await ask('GET', '/v1/jobs?limit=1&namespace=billing')).json
  const status = async (query: string) => (await ask('GET', `/v1/jobs?${query}&cursor=${next}`)).status
  expect(await status('namespace=billing')).toBe(200)
  expect(await status('limit=2&namespace=billing')).toBe(200)
  for (const query of ['limit=1', 'namespace=acme', 'namespace=billing&sort=-name', 'namespace=billing&q=x']) {
    expect(await status(query), query).toBe(400)
  }
})

test('pages of a list follow one another without gap or repetition', async () => {
  const { ask } = await openApi()
  const names = Array.from({ length: 7 }, (_, n) => `job-${n}`)
  for (const name of names) {
    await ask('PUT', `/v1/jobs/billing/${name}`, { body: JOB })
    await ask('PUT', `/v1/calendars/billing/${name}`, { body: { dates: [] } })
  }
  for (const path of [
    '/v1/jobs?namespace=billing',
    '/v1/calendars?namespace=billing',
    '/v1/jobs?namespace=billing&sort=-name',
  ]) {
    const seen: string[] = []
    let cursor = ''
    do {
      const { json } = await ask('GET', `${path}&limit=3${cursor}`)
      seen.push(...json.items.map(({ name }: { name: string }) => name))
      cursor = json.next === null ? '' : `&cursor=${json.next}`
    } while (cursor !== '')
    expect(seen).toEqual(path.includes('-name') ? names.toReversed() : names)
  }
})

test('Prefer: wait answers 202 with the run as it stands when the time is over, 25 s at most', async () => {
  const made = journal()
  const { ask, nowMs } = await openApi({}, made)
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  for (const [wait, waited] of [
    ['wait=3', 3],
    ['wait=20', 20],
    ['wait=600', 25],
    ['respond-async, wait=2', 2],
  ] as const) {
    const start = nowMs()
    const { status, json, headers } = await ask('POST', '/v1/jobs/billing/x/trigger', { headers: { prefer: wait } })
    expect([status, json.status, headers['preference-applied']], wait).toEqual([202, 'QUEUED', undefined])
    expect((nowMs() - start) / 1000).toBe(waited)
  }
})

test('Prefer: wait answers 200 and Preference-Applied with a run that has ended', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  const headers = { 'idempotency-key': 'one' }
  const { id } = (await ask('POST', '/v1/jobs/billing/x/trigger', { headers })).json
  await ask('POST', `/v1/runs/${id}/cancel`)
  const again = await ask('POST', '/v1/jobs/billing/x/trigger', { headers: { ...headers, prefer: 'wait=5' } })
  expect([again.status, again.json.status, again.headers['preference-applied']]).toEqual([200, 'CANCELLED', 'wait=5'])
})

test.each(['wait', 'wait=', 'wait=x', 'await=5', 'return=minimal'])('a Prefer of %j does not wait', async (prefer) => {
  const { ask, nowMs } = await openApi()
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  const start = nowMs()
  const { status } = await ask('POST', '/v1/jobs/billing/x/trigger', { headers: { prefer } })
  expect([status, nowMs() - start]).toEqual([202, 0])
})

test('a list without a namespace shows the things of a namespace that has no jobs', async () => {
  const { ask, makeKey } = await openApi()
  const key = await makeKey('editor', ['quiet'])
  await ask('PUT', '/v1/calendars/quiet/closed', { key, body: { dates: [] } })
  await ask('PUT', '/v1/templates/quiet/often', { key, body: { schedules: [{ every: 60 }] } })
  for (const plural of ['calendars', 'templates']) {
    const { json } = await ask('GET', `/v1/${plural}`, { key })
    expect(
      json.items.some(({ namespace }: { namespace: string }) => namespace === 'quiet'),
      plural,
    ).toBe(true)
  }
})

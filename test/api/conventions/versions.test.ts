// ETag, If-Match and If-None-Match on everything that has a version: jobs, calendars, templates and namespaces.

import { expect, test } from 'vitest'
import { openApi } from '../../support/api/open-api.ts'

const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }

/** Each with two bodies that differ, and the methods that take a version. */
const THINGS = [
  ['job', '/v1/jobs/billing/x', JOB, { ...JOB, priority: 1 }, ['PUT', 'PATCH', 'DELETE']],
  ['calendar', '/v1/calendars/billing/x', { dates: [] }, { dates: ['2027-12-25'] }, ['PUT', 'DELETE']],
  [
    'template',
    '/v1/templates/billing/x',
    { schedules: [{ every: 60 }] },
    { schedules: [{ every: 61 }] },
    ['PUT', 'DELETE'],
  ],
  ['namespace', '/v1/namespaces/billing', {}, { limits: { jobs: 5 } }, ['PUT', 'DELETE']],
] as const

const bodyOf = (method: string, body: object) => (method === 'DELETE' ? {} : { body })

test.each(THINGS)('the ETag of a %s is its version, in the answers to PUT and GET', async (_, path, body, other) => {
  const { ask } = await openApi()
  const created = await ask('PUT', path, { body })
  expect([created.status, created.headers.etag, created.json.version]).toEqual([201, '"1"', 1])
  expect(created.headers.location).toBe(path)
  expect((await ask('GET', path)).headers.etag).toBe('"1"')
  const changed = await ask('PUT', path, { body: other, headers: { 'if-match': '"1"' } })
  expect([changed.status, changed.headers.etag, changed.headers.location]).toEqual([200, '"2"', undefined])
  const same = await ask('PUT', path, { body: other })
  expect([same.status, same.headers.etag]).toEqual([200, '"2"'])
})

test.each(THINGS)(
  'a stale If-Match changes no %s and says its current version, whatever the method',
  async (_, path, body, other, methods) => {
    const { ask } = await openApi()
    await ask('PUT', path, { body })
    await ask('PUT', path, { body: other })
    for (const method of methods) {
      for (const version of ['"1"', '"3"']) {
        for (const query of ['', '?dryRun']) {
          const { status, json } = await ask(method, `${path}${query}`, {
            ...bodyOf(method, method === 'PATCH' ? { priority: 2 } : body),
            headers: { 'if-match': version },
          })
          expect([status, json.code, json.currentVersion], `${method} ${version}`).toEqual([412, 'stale-version', 2])
        }
      }
    }
    expect((await ask('GET', path)).json.version).toBe(2)
  },
)

test.each(THINGS)('If-None-Match: * creates a %s and changes none', async (_, path, body, other) => {
  const { ask } = await openApi()
  const headers = { 'if-none-match': '*' }
  expect((await ask('PUT', path, { body, headers })).status).toBe(201)
  const again = await ask('PUT', path, { body: other, headers })
  expect(again.json).toMatchObject({ status: 412, code: 'exists', currentVersion: 1 })
  expect((await ask('GET', path)).json.version).toBe(1)
})

test.each(THINGS)('If-Match: * changes a %s that is there and makes none', async (_, path, body, other, methods) => {
  const { ask } = await openApi()
  const headers = { 'if-match': '*' }
  for (const method of methods) {
    const absent = await ask(method, path, { ...bodyOf(method, method === 'PATCH' ? {} : body), headers })
    expect(absent.json, method).toMatchObject({ code: 'stale-version', currentVersion: 0 })
  }
  await ask('PUT', path, { body })
  expect((await ask('PUT', path, { body: other, headers })).json.version).toBe(2)
  expect((await ask('DELETE', path, { headers })).status).toBe(204)
})

test.each(THINGS)('a deleted %s counts as absent, and its numbers go on', async (_, path, body, other, methods) => {
  const { ask } = await openApi()
  await ask('PUT', path, { body })
  await ask('PUT', path, { body: other })
  expect((await ask('DELETE', path, { headers: { 'if-match': '"2"' } })).status).toBe(204)
  for (const method of methods) {
    for (const version of ['"2"', '"3"', '*']) {
      const asked = { ...bodyOf(method, method === 'PATCH' ? {} : body), headers: { 'if-match': version } }
      const { status, json } = await ask(method, path, asked)
      expect([status, json.currentVersion], `${method} ${version}`).toEqual([412, 0])
    }
  }
  expect((await ask('DELETE', path)).status).toBe(404)
  const revived = await ask('PUT', path, { body, headers: { 'if-none-match': '*' } })
  expect([revived.status, revived.json.version]).toEqual([201, 4])
})

test('a namespace that was never put has no ETag', async () => {
  const { ask } = await openApi()
  const { status, json, headers } = await ask('GET', '/v1/namespaces/billing')
  expect([status, json.version, headers.etag]).toEqual([200, 0, undefined])
})

test.each([
  [{ 'if-match': 'W/"1"' }],
  [{ 'if-match': '1' }],
  [{ 'if-match': '"0"' }],
  [{ 'if-match': '"1", "2"' }],
  [{ 'if-none-match': '"1"' }],
  [{ 'if-match': '"1"', 'if-none-match': '*' }],
])('the condition %j is 400', async (headers) => {
  const { ask } = await openApi()
  const { status, json } = await ask('PUT', '/v1/jobs/billing/x', { body: JOB, headers })
  expect([status, json.errors[0].in]).toEqual([400, 'header'])
})

test('an answer is never 304', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  expect((await ask('GET', '/v1/jobs/billing/x', { headers: { 'if-none-match': '"1"' } })).status).toBe(200)
})

test('of two writes at once that know the same version one is refused', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  const put = (priority: number) =>
    ask('PUT', '/v1/jobs/billing/x', { body: { ...JOB, priority }, headers: { 'if-match': '"1"' } })
  const answers = await Promise.all([put(1), put(2)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
})

// Of all that is wrong with a request the first is said, in one order on every route.

import { expect, test } from 'vitest'
import { journal } from '../../support/api/journal.ts'
import { type ApiRequest, openApi } from '../../support/api/open-api.ts'

const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }
const TOO_LARGE = 'x'.repeat(256 * 1024 + 1)

/** Faults in the order in which they are said, each with its code. */
const FAULTS = [
  ['origin', 'bad-origin'],
  ['route', 'not-found'],
  ['method', 'method-not-allowed'],
  ['key', 'unauthorized'],
  ['rate', 'rate-limited'],
  ['namespace', 'not-found'],
  ['role', 'forbidden'],
  ['media type', 'unsupported-media-type'],
  ['size', 'too-large'],
  ['query', 'bad-request'],
  ['syntax', 'bad-json'],
  ['body', 'invalid'],
  ['version', 'stale-version'],
  ['owner', 'managed'],
] as const

type Wrong = (typeof FAULTS)[number][0]

test.each([
  ['PUT', 'billing/owned', 'PUT and its body'],
  ['PATCH', 'billing/owned', 'PATCH and its body'],
  ['DELETE', 'billing/owned', 'DELETE, which has no body'],
])('the faults of a %s of %s are said in the order of the list', async (method, own) => {
  const made = journal()
  const opened = await openApi({}, made)
  const drained = await openApi({ requestsPerMinute: 0 }, made)
  const body = (await opened.ask('PUT', '/v1/jobs/billing/owned?manager=apply:repo', { body: JOB })).json
  expect(body.managedBy).toBe('apply:repo')
  const editor = await opened.makeKey('editor', ['billing'])
  const viewer = await opened.makeKey('viewer', ['billing'])
  const bodyless: readonly Wrong[] = ['media type', 'size', 'syntax', 'body']
  const faults = FAULTS.filter(([wrong]) => method !== 'DELETE' || !bodyless.includes(wrong))

  const send = (wrongs: ReadonlySet<Wrong>) => {
    const namespaced = wrongs.has('namespace') ? 'acme/owned' : own
    const path = `${wrongs.has('route') ? '/v1/job' : '/v1/jobs'}/${namespaced}${wrongs.has('query') ? '?nope=1' : ''}`
    const change = method === 'PATCH' ? { priority: 1 } : { ...JOB, priority: 1 }
    const sound = wrongs.has('body') ? { ...change, schedules: [{ cron: 'never' }] } : change
    const text = `${JSON.stringify(sound)}${wrongs.has('syntax') ? '}' : ''}${wrongs.has('size') ? TOO_LARGE : ''}`
    const asked: ApiRequest = {
      key: wrongs.has('key') ? 'none' : wrongs.has('role') ? viewer : editor,
      ...(method === 'DELETE' ? {} : { raw: text }),
      headers: {
        ...(wrongs.has('origin') ? { origin: 'https://evil.example' } : {}),
        ...(wrongs.has('media type') ? { 'content-type': 'text/plain' } : {}),
        ...(wrongs.has('version') ? { 'if-match': '"9"' } : {}),
      },
    }
    const { ask } = wrongs.has('rate') ? drained : opened
    return ask(wrongs.has('method') ? 'TRACE' : method, path, asked)
  }

  const left = new Set<Wrong>(faults.map(([wrong]) => wrong))
  for (const [wrong, code] of faults) {
    const { json } = await send(left)
    expect(json.code, `with ${[...left].join(', ')}`).toBe(code)
    // By itself it is said too.
    if (wrong !== 'owner') expect((await send(new Set([wrong]))).json.code, `${wrong} alone`).toBe(code)
    left.delete(wrong)
  }
})

test('a header that cannot be read is said after the role and before the body', async () => {
  const { ask, makeKey } = await openApi()
  const key = await makeKey('viewer', ['billing'])
  for (const headers of [{ 'tickring-actor': 'änne' }, { 'if-match': 'x' }]) {
    const path = '/v1/jobs/billing/x'
    expect((await ask('PUT', '/v1/jobs/acme/x', { key, body: {}, headers })).json.code).toBe('not-found')
    expect((await ask('PUT', path, { key, body: {}, headers })).json.code).toBe('forbidden')
    expect((await ask('PUT', path, { body: {}, headers })).json.code).toBe('bad-request')
    expect((await ask('PUT', path, { body: {} })).json.code).toBe('invalid')
  }
})

test('a stale version is said before what stands in the way of a delete', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/calendars/billing/closed', { body: { dates: [] } })
  await ask('PUT', '/v1/templates/billing/often', { body: { schedules: [{ every: 60 }] } })
  await ask('PUT', '/v1/namespaces/billing', { body: {} })
  const uses = { ...JOB, schedules: [], template: 'billing/often', calendars: ['billing/closed'] }
  await ask('PUT', '/v1/jobs/billing/x', { body: uses })
  for (const path of ['/v1/calendars/billing/closed', '/v1/templates/billing/often', '/v1/namespaces/billing']) {
    const stale = await ask('DELETE', path, { headers: { 'if-match': '"9"' } })
    expect(stale.json, path).toMatchObject({ code: 'stale-version', currentVersion: 1 })
    expect((await ask('DELETE', path)).json.code, path).toBe('conflict')
  }
})

test('the faults of a template are said before that its name is taken by one that is built in', async () => {
  const { ask } = await openApi()
  const [builtIn] = (await ask('GET', '/v1/templates?namespace=shared')).json.items
  const path = `/v1/templates/shared/${builtIn.name}`
  expect((await ask('PUT', path, { body: { schedules: [{ cron: 'never' }] } })).json.code).toBe('invalid')
  expect((await ask('PUT', path, { body: { schedules: [{ every: 60 }] } })).json.code).toBe('conflict')
})

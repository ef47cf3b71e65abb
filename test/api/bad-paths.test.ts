// Paths, queries and headers that the API does not take.

import { beforeAll, describe, expect, test } from 'vitest'
import { openForRefusals } from '../support/api/refusal.ts'

let api: Awaited<ReturnType<typeof openForRefusals>>
beforeAll(async () => {
  api = await openForRefusals()
})

const BAD = { status: 400, code: 'bad-request' }
const JOB = '/v1/jobs/default/there'
const WHOLE = { schedules: [{ every: 30 }], target: { type: 'handler', handler: 'echo' } }

describe('a path that leads nowhere is 404, one with other characters 400', () => {
  test.each([
    ['/'],
    ['/v1'],
    ['/v1/'],
    ['/v2/jobs'],
    ['/v1/job'],
    ['/v1/jobs/'],
    ['/v1/jobs/default/there/'],
    ['//v1/jobs'],
    ['/v1/jobs//there'],
    ['/v1/jobs/default/there/unknown'],
    ['/v1/jobs/default/there/runs/5'],
    ['/v1/jobs/default/a/b'],
    ['/V1/jobs'],
    ['/v1/health/'],
    ['/.env'],
    ['/admin'],
    [`/v1/jobs/default/${'a'.repeat(10_000)}`],
    [`/v1${'/a'.repeat(5000)}`],
  ])('nothing is at %s', async (path) => {
    await api.refused('GET', path, {}, { status: 404, code: 'not-found', faults: [] })
  })

  test.each([
    ['/v1/jobs/default/..', 'path /name'],
    ['/v1/jobs/../there', 'path /namespace'],
    ['/v1/jobs/default/..%2fthere', 'path /name'],
    ['/v1/jobs/default/%2e%2e', 'path /name'],
    ['/v1/jobs/default/a\u0000', 'path /name'],
    ['/v1/jobs/default/%00', 'path /name'],
    ['/v1/jobs/default/\uFFFD', 'path /name'],
    ['/v1/jobs/Default/there', 'path /namespace'],
    ['/v1/jobs/default/There', 'path /name'],
    ['/v1/jobs/default/__proto__', 'path /name'],
    ['/v1/jobs/__proto__/constructor', 'path /namespace'],
    ['/v1/jobs/default/a;b', 'path /name'],
    ['/v1/jobs/default/a:b', 'path /name'],
    ['/v1/runs/a b', 'path /id'],
    ['/v1/runs/a%2fb', 'path /id'],
    [`/v1/runs/${'a'.repeat(201)}`, 'path /id'],
    ['/v1/keys/\u202E', 'path /id'],
    ['/v1/calendars/default/报告', 'path /name'],
    ['/v1/namespaces/A', 'path /name'],
  ])('%s', async (path, fault) => {
    await api.refused('GET', path, {}, { ...BAD, faults: [fault] })
  })

  test.each([
    ['none'],
    ['IAtPbleY8Ax.1802253630'],
    ['IAtPbleY8Ax.01802253630'],
    ['IAtPbleY8Ax.1802253631'],
    ['IAtPbleY8Ax.99999999999999999999'],
    ['IAtPbleY8Ax.-1'],
    ['IAtPbleY8Ax.1802253630.x'],
    ['IAtPbleY8Ax.1802253630.mAAAAAAAAAAA'],
    ['...'],
    ['constructor'],
  ])('there is no run %s, and to cancel or retry it writes nothing', async (id) => {
    const missing = { status: 404, code: 'not-found', faults: [] }
    await api.refused('GET', `/v1/runs/${id}`, {}, missing)
    await api.refused('POST', `/v1/runs/${id}/cancel`, {}, missing)
    await api.refused('POST', `/v1/runs/${id}/retry`, {}, missing)
  })

  test.each([['PUT'], ['PATCH'], ['DELETE'], ['TRACE'], ['CONNECT'], ['PROPFIND'], ['get'], ['']])(
    'the method %j on a list is 405 with what is allowed',
    async (method) => {
      const { headers } = await api.refused(method, '/v1/jobs', {}, { status: 405, code: 'method-not-allowed' })
      expect(headers.allow).toBe('GET, HEAD, OPTIONS')
    },
  )
})

describe('a query that is not taken is 400', () => {
  test.each([
    ['limit=-1', 'limit'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e9', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=10.0', 'limit'],
    ['limit=+10', 'limit'],
    ['limit=%2010', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=', 'limit'],
    ['limit=１０', 'limit'],
    ['limit=10&limit=10', 'limit'],
    ['limit=10&%6cimit=20', 'limit'],
    ['colour=red', 'colour'],
    ['Limit=10', 'Limit'],
    ['__proto__=1', '__proto__'],
    ['__proto__[x]=1', '__proto__[x]'],
    ['constructor=1', 'constructor'],
    ['toString', 'toString'],
    ['limit[]=10', 'limit[]'],
    ['a~b/c=1', 'a~0b~1c'],
    ['q=%ff', ''],
    ['q=%', ''],
    ['q=%E0%80%AF', ''],
    ['&', ''],
    ['=', ''],
    [`q=${'x'.repeat(201)}`, 'q'],
    ['status=running', 'status'],
    ['status=RUNNING,', 'status'],
    ['status=RUNNING,RUNNING,RUNNING', 'status'],
    ['sort=size', 'sort'],
    ['sort=--name', 'sort'],
    ['sort=constructor', 'sort'],
    ['facets=size', 'facets'],
    ['include=payload', 'include'],
    ['include=last&limit=31', 'limit'],
    ['once=maybe', 'once'],
    ['once=', 'once'],
    ['namespace=Default', 'namespace'],
    ['namespace=', 'namespace'],
    ['job=there', 'job'],
    ['job=default/there/x', 'job'],
    ['failedSince=yesterday', 'failedSince'],
    ['failedSince=-1h', 'failedSince'],
    ['failedSince=2027-02-30T00:00:00Z', 'failedSince'],
    ['failedSince=99999999999999999999', 'failedSince'],
    ['dryRun=true', 'dryRun'],
  ])('?%s', async (query, field) => {
    const faults = [`query /${field}`]
    await api.refused('GET', `/v1/jobs?${query}`, {}, { ...BAD, faults })
  })

  test('all parameters that there are not are told at once', async () => {
    await api.refused('GET', '/v1/jobs?a=1&limit=5&b=2', {}, { ...BAD, faults: ['query /a', 'query /b'] })
  })

  test.each([
    ['/v1/runs?from=2027-02-10', 'from'],
    ['/v1/runs?to=1802254322', 'to'],
    ['/v1/runs?from=10000-01-01T00:00:00Z', 'from'],
    ['/v1/runs?status=QUEUED,NONE', 'status'],
    ['/v1/runs?trigger=manual', 'trigger'],
    [`/v1/runs?root=${'x'.repeat(101)}`, 'root'],
    [`${JOB}/runs?job=default/there`, 'job'],
    [`${JOB}/versions?version=0`, 'version'],
    [`${JOB}/versions?version=1.5`, 'version'],
    [`${JOB}/preview?count=101`, 'count'],
    [`${JOB}/preview?count=0`, 'count'],
    [`${JOB}/preview?from=now`, 'from'],
    ['/v1/audit?action=job.explode', 'action'],
    ['/v1/me?verbose', 'verbose'],
    ['/v1/keys?role=admin', 'role'],
  ])('GET %s', async (path, field) => {
    await api.refused('GET', path, {}, { ...BAD, faults: [`query /${field}`] })
  })

  test.each([
    ['PUT', `${JOB}?dryRun=maybe`, 'dryRun'],
    ['PUT', `${JOB}?dryRun=TRUE`, 'dryRun'],
    ['PUT', `${JOB}?dryRun&dryRun=false`, 'dryRun'],
    ['PUT', `${JOB}?force=yes`, 'force'],
    ['PUT', `${JOB}?manager=code`, 'manager'],
    ['PUT', `${JOB}?manager=apply:`, 'manager'],
    ['PUT', `${JOB}?manager=apply:A`, 'manager'],
    ['PUT', `${JOB}?manager=`, 'manager'],
    ['POST', `${JOB}/trigger?force`, 'force'],
  ])('%s %s', async (method, path, field) => {
    const body = method === 'PUT' ? { ...WHOLE, priority: 5 } : {}
    await api.refused(method, path, { body }, { ...BAD, faults: [`query /${field}`] })
  })

  test.each([[''], ['x'], ['%00'], ['bnVsbA'], ['W10'], ['WyJhIixbMSwiYSJdXQ'], ['a'.repeat(40)]])(
    'the cursor %j, which is of no query, is bad-cursor',
    async (cursor) => {
      const expected = { status: 400, code: 'bad-cursor', faults: [] }
      for (const path of ['/v1/jobs', '/v1/runs', '/v1/audit', '/v1/keys', `${JOB}/versions`, `${JOB}/runs`]) {
        await api.refused('GET', `${path}?cursor=${cursor}`, {}, expected)
      }
    },
  )
})

describe('a header that is not taken is 400', () => {
  test.each([
    [{ 'if-match': 'W/"1"' }, 'if-match'],
    [{ 'if-match': '1' }, 'if-match'],
    [{ 'if-match': '"0"' }, 'if-match'],
    [{ 'if-match': '"01"' }, 'if-match'],
    [{ 'if-match': '"1", "2"' }, 'if-match'],
    [{ 'if-match': '' }, 'if-match'],
    [{ 'if-match': '"9999999999"' }, 'if-match'],
    [{ 'if-none-match': '"1"' }, 'if-none-match'],
    [{ 'if-none-match': '' }, 'if-none-match'],
    [{ 'if-match': '*', 'if-none-match': '*' }, 'if-match'],
    [{ 'tickring-actor': '' }, 'tickring-actor'],
    [{ 'tickring-actor': 'a\u0000b' }, 'tickring-actor'],
    [{ 'tickring-actor': 'a\r\nset-cookie: b' }, 'tickring-actor'],
    [{ 'tickring-actor': 'x'.repeat(201) }, 'tickring-actor'],
  ])('%j', async (headers, field) => {
    const body = { ...WHOLE, priority: 5 }
    await api.refused('PUT', JOB, { body, headers }, { ...BAD, faults: [`header /${field}`] })
  })

  test.each([[''], ['a b'], ['k\u00e9y'], ['k'.repeat(256)], ['a\u0000']])('Idempotency-Key %j', async (key) => {
    const asked = { headers: { 'idempotency-key': key } }
    for (const act of ['start', 'stop', 'trigger', 'reschedule']) {
      await api.refused('POST', `${JOB}/${act}`, asked, { ...BAD, faults: ['header /idempotency-key'] })
    }
  })

  test.each([
    [{ 'if-match': '"2"' }, 1],
    [{ 'if-match': '"999999999"' }, 1],
    [{ 'if-none-match': '*' }, 1],
  ])('%j on a job of version 1 is 412 with the version that stands there', async (headers, currentVersion) => {
    const code = 'if-match' in headers ? 'stale-version' : 'exists'
    const body = { ...WHOLE, priority: 5 }
    const { json } = await api.refused('PUT', JOB, { body, headers }, { status: 412, code })
    expect(json.currentVersion).toBe(currentVersion)
  })
})

// Nothing that belongs to one tenant opens anything for another: no id, no cursor, no reference, no count and no name.

import { expect, test } from 'vitest'
import { type Answered, type OpenedApi, openApi } from '../../support/api/open-api.ts'
import { JOB } from './policy.ts'

interface Tenants extends OpenedApi {
  /** Admins of acme and of billing. */
  readonly acme: string
  readonly billing: string
  readonly runId: string
  readonly jobId: string
}

/** Acme has one of everything, and billing asks for it. */
async function tenants(): Promise<Tenants> {
  const opened = await openApi()
  const acme = await opened.makeKey('admin', ['acme'])
  const billing = await opened.makeKey('admin', ['billing'])
  const put = (path: string, body: object) => opened.ask('PUT', path, { key: acme, body })
  await put('/v1/calendars/acme/closed', { dates: ['2027-12-25'] })
  await put('/v1/templates/acme/often', { schedules: [{ every: 60 }] })
  const job = await put('/v1/jobs/acme/secret-plan', { ...JOB, tags: { customer: 'umbrella' } })
  const run = await opened.ask('POST', '/v1/jobs/acme/secret-plan/trigger', { key: acme })
  await opened.ask('PUT', '/v1/jobs/billing/own', { key: billing, body: JOB })
  return { ...opened, acme, billing, runId: run.json.id, jobId: job.json.id }
}

const OF_ACME = /acme|secret-plan|umbrella|closed|often/

test.each([
  ['the root of a chain', ({ runId }: Tenants) => `/v1/runs?root=${runId}`],
  ['the name of a job, for runs', () => '/v1/runs?job=acme/secret-plan'],
  ['a namespace, for runs', () => '/v1/runs?namespace=acme'],
  ['a tag, for runs', () => '/v1/runs?tag=customer:umbrella'],
  ['the name of a job', () => '/v1/jobs?job=acme/secret-plan'],
  ['the id of a job', ({ jobId }: Tenants) => `/v1/jobs?id=${jobId}`],
  ['a tag', () => '/v1/jobs?tag=customer'],
  ['a word', () => '/v1/jobs?q=secret'],
  ['the target of a line of the audit', () => '/v1/audit?target=acme/secret-plan'],
  ['the namespace of a line of the audit', () => '/v1/audit?namespace=acme'],
  ['the namespace of the keys in the audit', () => '/v1/audit?namespace=*'],
  ['the key behind a line of the audit', ({ acme }: Tenants) => `/v1/audit?by=${acme.split('_')[1]}`],
])('a filter by %s of another tenant finds nothing', async (_, pathOf) => {
  const fixtures = await tenants()
  const { status, json, text } = await fixtures.ask('GET', pathOf(fixtures), { key: fixtures.billing })
  expect(status).toBe(200)
  expect(json.items).toEqual([])
  expect(text).not.toMatch(OF_ACME)
  // The admin of everything finds it.
  expect((await fixtures.ask('GET', pathOf(fixtures))).json.items.length).toBeGreaterThan(0)
})

test('lists, totals and facets of a tenant count and name nothing of another', async () => {
  const fixtures = await tenants()
  for (const path of ['/v1/jobs?facets=namespace,status,tag', '/v1/namespaces', '/v1/calendars', '/v1/templates']) {
    expect((await fixtures.ask('GET', path, { key: fixtures.billing })).text, path).not.toMatch(OF_ACME)
  }
  const { json } = await fixtures.ask('GET', '/v1/jobs?facets=namespace', { key: fixtures.billing })
  expect(json).toMatchObject({ total: 1, facets: { namespace: { billing: 1 } } })
})

test('a cursor of another tenant goes on in the own list only', async () => {
  const fixtures = await tenants()
  for (const name of ['a', 'b', 'z']) {
    await fixtures.ask('PUT', `/v1/jobs/acme/${name}`, { key: fixtures.acme, body: JOB })
    await fixtures.ask('PUT', `/v1/jobs/billing/${name}`, { key: fixtures.billing, body: JOB })
    await fixtures.ask('PUT', `/v1/calendars/acme/${name}`, { key: fixtures.acme, body: { dates: [] } })
  }
  for (const path of [
    '/v1/jobs?limit=1',
    '/v1/audit?limit=1',
    '/v1/runs?limit=1',
    '/v1/calendars?namespace=acme&limit=1',
  ]) {
    const { json } = await fixtures.ask('GET', path, { key: fixtures.acme })
    if (!path.startsWith('/v1/runs')) expect(json.next, path).not.toBeNull()
    if (json.next === null) continue
    const stolen = await fixtures.ask('GET', `${path}&cursor=${json.next}`, { key: fixtures.billing })
    expect(stolen.status, path).toBe(200)
    expect(stolen.text, path).not.toMatch(OF_ACME)
  }
})

const REFERENCES: readonly (readonly [string, object, string])[] = [
  ['template', { template: 'acme/often', schedules: [] }, '/template'],
  ['calendars', { calendars: ['acme/closed'] }, '/calendars/0'],
  ['then', { then: [{ on: 'success', job: 'acme/secret-plan' }] }, '/then/0/job'],
  ['after', { after: [{ job: 'acme/secret-plan', within: '1h' }] }, '/after/0/job'],
]

test.each(REFERENCES)(
  'a job cannot name %s of another tenant, in save, patch, batch, dry run and preview',
  async (field, fields, path) => {
    const { ask, billing: key } = await tenants()
    const body = { ...JOB, ...fields }
    const faultOf = ({ json }: Answered) => json.errors[0].path
    for (const suffix of ['', '?dryRun']) {
      const put = await ask('PUT', `/v1/jobs/billing/thief${suffix}`, { key, body })
      expect([put.status, faultOf(put)]).toEqual([422, path])
      const patch = await ask('PATCH', `/v1/jobs/billing/own${suffix}`, { key, body: fields })
      expect([patch.status, faultOf(patch)]).toEqual([422, path])
      const items = [{ put: { namespace: 'billing', name: 'thief', ...body } }]
      const batch = await ask('POST', `/v1/jobs/batch${suffix}`, { key, body: { items } })
      expect(batch.json.results[0].problem.errors[0].path).toBe(`/items/0/put${path}`)
    }
    if (field === 'then' || field === 'after') return
    const { target: _, ...timing } = body
    for (const namespace of [{ namespace: 'billing' }, {}]) {
      const preview = await ask('POST', '/v1/preview', { key, body: { ...timing, ...namespace } })
      expect([preview.status, faultOf(preview)]).toEqual([422, path])
    }
  },
)

test('what another tenant has and what it has not are answered alike', async () => {
  const { ask, billing: key, runId } = await tenants()
  const alike = async (method: string, there: string, absent: string, asked: object = {}) => {
    const said = async (path: string) => {
      const { status, json } = await ask(method, path, { key, ...asked })
      return JSON.stringify({ status, ...json, requestId: '' }).replaceAll(path.split('/').at(-1) ?? '', 'NAME')
    }
    expect(await said(there)).toBe(await said(absent))
  }
  for (const kind of ['jobs/acme/secret-plan', 'calendars/acme/closed', 'templates/acme/often']) {
    const absent = kind.replace(/[^/]+$/, 'absent')
    for (const method of ['GET', 'DELETE']) await alike(method, `/v1/${kind}`, `/v1/${absent}`)
  }
  await alike('GET', `/v1/runs/${runId}`, '/v1/runs/48d0JiWAbQI.1794792600')
  for (const [field, there, absent] of [
    ['template', 'acme/often', 'acme/never'],
    ['calendars', ['acme/closed'], ['acme/openn']],
  ] as const) {
    const said = async (value: unknown) => {
      const { json } = await ask('PUT', '/v1/jobs/billing/x', { key, body: { ...JOB, [field]: value } })
      return json.errors[0].message.replace(/acme\/\w+/, 'NAME')
    }
    expect(await said(there)).toBe(await said(absent))
  }
})

test('a batch of one tenant changes nothing of another, whatever its items and defaults name', async () => {
  const { ask, billing: key } = await tenants()
  const name = 'secret-plan'
  const items = [
    { put: { namespace: 'acme', name, ...JOB } },
    { delete: { namespace: 'acme', name } },
    { start: { namespace: 'acme', name } },
    { stop: { namespace: 'acme', name } },
  ]
  for (const item of items) {
    const { json } = await ask('POST', '/v1/jobs/batch', { key, body: { items: [item] } })
    expect(json.results[0]).toMatchObject({ status: 404, problem: { code: 'not-found' } })
  }
  const byDefault = { defaults: { namespace: 'acme', ...JOB }, items: [{ put: { name: 'planted' } }] }
  expect((await ask('POST', '/v1/jobs/batch', { key, body: byDefault })).json.results[0].status).toBe(404)
  expect((await ask('GET', '/v1/jobs/acme/secret-plan')).json).toMatchObject({ version: 1, status: 'RUNNING' })
  expect((await ask('GET', '/v1/jobs/acme/planted')).status).toBe(404)
})

test('an editor of shared learns neither names nor fires nor the number of the jobs that use its calendars', async () => {
  const { ask, makeKey, acme } = await tenants()
  const key = await makeKey('editor', ['shared'])
  const calendar = '/v1/calendars/shared/holidays'
  await ask('PUT', calendar, { key, body: { dates: ['2027-12-25'] } })
  await ask('PUT', '/v1/templates/shared/hourly-ish', { key, body: { schedules: [{ every: '1h' }] } })
  const uses = { ...JOB, schedules: [], template: 'shared/hourly-ish', calendars: ['shared/holidays'] }
  await ask('PUT', '/v1/jobs/acme/secret-plan', { key: acme, body: uses })
  const dry = await ask('PUT', `${calendar}?dryRun`, { key, body: { dates: ['2027-02-11'] } })
  expect(dry.text).not.toMatch(OF_ACME)
  for (const path of [calendar, '/v1/templates/shared/hourly-ish']) {
    expect((await ask('GET', path, { key })).json.usedBy).toBe(0)
    expect((await ask('GET', path, { key: acme })).json.usedBy).toBe(1)
    const refused = await ask('DELETE', path, { key })
    expect(refused.status).toBe(409)
    expect(refused.text).not.toMatch(OF_ACME)
  }
  const whole = await ask('PUT', `${calendar}?dryRun`, { body: { dates: ['2027-02-11'] } })
  expect(whole.text).toContain('acme/secret-plan')
})

test('the same Idempotency-Key of two tenants is two requests', async () => {
  const { ask, acme, billing } = await tenants()
  const headers = { 'idempotency-key': 'the-same' }
  const make = (key: string, namespace: string) =>
    ask('POST', '/v1/keys', { key, headers, body: { name: 'k', role: 'viewer', namespaces: [namespace] } })
  const first = await make(acme, 'acme')
  const second = await make(billing, 'billing')
  expect(second.status).toBe(201)
  expect(second.json.id).not.toBe(first.json.id)
  expect(second.headers['idempotency-replayed']).toBeUndefined()
})

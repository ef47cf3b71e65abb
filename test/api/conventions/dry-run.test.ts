// A dry run of every route that changes something: it says what would be, refuses what would be refused, and changes nothing.

import { expect, test } from 'vitest'
import { ROUTES } from '../../../functions/http/routes.ts'
import { journal } from '../../support/api/journal.ts'
import { type OpenedApi, openApi } from '../../support/api/open-api.ts'
import { Fixtures, POLICY } from '../access/policy.ts'

const MUTATIONS = ROUTES.filter(({ isMutation }) => isMutation === true).map(({ method, path }) => `${method} ${path}`)
const RESULTS: Readonly<Record<string, string>> = {
  putJob: 'CREATED',
  patchJob: 'UPDATED',
  deleteJob: 'DELETED',
  startJob: 'UNCHANGED',
  stopJob: 'UPDATED',
  rescheduleJob: 'UPDATED',
  triggerJob: 'CREATED',
  cancelRun: 'UPDATED',
  retryRun: 'CREATED',
  putCalendar: 'CREATED',
  deleteCalendar: 'DELETED',
  putTemplate: 'CREATED',
  deleteTemplate: 'DELETED',
  putNamespace: 'CREATED',
  deleteNamespace: 'DELETED',
  createKey: 'CREATED',
  deleteKey: 'DELETED',
  rotateKey: 'UPDATED',
}
/** Acts that move no fire say so. */
const WITHOUT_FIRES = /Template|Namespace|Key|deleteCalendar|triggerJob|Run$/

test('every route but PUT, PATCH, POST and DELETE reads, and a POST that reads is a preview', () => {
  const reading = ROUTES.filter(({ isMutation }) => isMutation !== true)
  expect(reading.filter(({ method }) => method !== 'GET').map(({ operationId }) => operationId)).toEqual(['preview'])
  expect(ROUTES.filter(({ method, isMutation }) => method === 'GET' && isMutation === true)).toEqual([])
})

/** A namespace without jobs, so that it can be deleted. */
async function requestFor(place: string, { ask }: OpenedApi, fixtures: Fixtures) {
  if (POLICY[place].operationId !== 'deleteNamespace') return POLICY[place].request(fixtures, 'billing')
  await ask('PUT', '/v1/namespaces/empty', { body: {} })
  return { path: '/v1/namespaces/empty', body: undefined }
}

test.each(MUTATIONS)('a dry run of %s is 200, says what would be, and nothing is written', async (place) => {
  const made = journal()
  const opened = await openApi({}, made)
  const { operationId } = POLICY[place]
  const [method] = place.split(' ')
  const { path, body } = await requestFor(place, opened, new Fixtures(opened))
  const asked = body === undefined ? {} : { body }
  // That the key is used is written once a minute.
  await opened.ask('GET', '/v1/me')
  for (const flag of ['dryRun', 'dryRun=true']) {
    made.writes.length = 0
    const { status, json } = await opened.ask(method, `${path}?${flag}`, asked)
    expect([status, json.dryRun]).toEqual([200, true])
    expect(made.writes).toEqual([])
    if (operationId === 'batchJobs') {
      expect(json).toMatchObject({ results: [{ status: 200, result: 'UPDATED' }], counts: { UPDATED: 1, FAILED: 0 } })
      continue
    }
    expect(json.result).toBe(RESULTS[operationId])
    expect(json.fires === null).toBe(WITHOUT_FIRES.test(operationId))
  }
  // In earnest it does what was said: dryRun=false is as if it were absent.
  const earnest = await opened.ask(method, `${path}?dryRun=false`, asked)
  expect(earnest.status, earnest.text).toBe(operationId === 'deleteNamespace' ? 204 : POLICY[place].ok)
  expect(earnest.json?.dryRun).toBeUndefined()
  if (operationId !== 'startJob') expect(made.writes.length).toBeGreaterThan(0)
})

test.each(MUTATIONS)('a dry run of %s with a bad flag is 400', async (place) => {
  const opened = await openApi()
  const [method] = place.split(' ')
  const { path, body } = await requestFor(place, opened, new Fixtures(opened))
  for (const flag of ['dryRun=1', 'dryRun=TRUE', 'dryRun=yes', 'dryRun&dryRun', 'dryrun']) {
    const { status, json } = await opened.ask(method, `${path}?${flag}`, body === undefined ? {} : { body })
    expect([status, json?.code], flag).toEqual([400, 'bad-request'])
  }
})

type Refused = readonly [what: string, method: string, path: string, body: unknown, headers?: Record<string, string>]

const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }
const OVER = { schedules: [{ at: '2027-02-10T10:00:10Z' }], target: JOB.target }

const REFUSED: readonly Refused[] = [
  ['a job with a bad cron', 'PUT', '/v1/jobs/billing/new', { ...JOB, schedules: [{ cron: 'x' }] }],
  ['a job with an unknown calendar', 'PUT', '/v1/jobs/billing/new', { ...JOB, calendars: ['billing/none'] }],
  ['a job in shared', 'PUT', '/v1/jobs/shared/new', JOB],
  ['a job over the quota', 'PUT', '/v1/jobs/full/new', JOB],
  ['a job of another owner', 'PUT', '/v1/jobs/billing/owned', { ...JOB, priority: 1 }],
  ['a patch of a job of another owner', 'PATCH', '/v1/jobs/billing/owned', { priority: 1 }],
  ['a delete of a job of another owner', 'DELETE', '/v1/jobs/billing/owned', undefined],
  ['a patch of a field that is read only', 'PATCH', '/v1/jobs/billing/x', { version: 2 }],
  ['a patch that takes the target away', 'PATCH', '/v1/jobs/billing/x', { target: null }],
  ['a job that is there', 'PUT', '/v1/jobs/billing/x', JOB, { 'if-none-match': '*' }],
  ['a delete of what is not there', 'DELETE', '/v1/jobs/billing/none', undefined],
  ['a stop until yesterday', 'POST', '/v1/jobs/billing/x/stop', { until: '2027-02-09T00:00:00Z' }],
  ['a stop of what is not there', 'POST', '/v1/jobs/billing/none/stop', {}],
  ['a start of what is over', 'POST', '/v1/jobs/billing/over/start', {}],
  ['a reschedule of a stopped job', 'POST', '/v1/jobs/billing/stopped/reschedule', { at: null }],
  ['a reschedule into the past', 'POST', '/v1/jobs/billing/x/reschedule', { at: '2027-02-01T00:00:00Z' }],
  ['a trigger for tomorrow', 'POST', '/v1/jobs/billing/x/trigger', { instant: '2027-02-11T10:00:00Z' }],
  ['a trigger over the limit', 'POST', '/v1/jobs/calm/x/trigger', {}],
  ['a cancel of what has ended', 'POST', 'ENDED/cancel', {}],
  ['a retry of what is open', 'POST', 'OPEN/retry', {}],
  ['a calendar with a bad date', 'PUT', '/v1/calendars/billing/new', { dates: ['2027-02-30'] }],
  ['a delete of a calendar in use', 'DELETE', '/v1/calendars/billing/used', undefined],
  ['a template with a bad cron', 'PUT', '/v1/templates/billing/new', { schedules: [{ cron: 'x' }] }],
  ['a delete of a template in use', 'DELETE', '/v1/templates/billing/used', undefined],
  ['a namespace with bad limits', 'PUT', '/v1/namespaces/billing', { limits: { jobs: -1 } }],
  ['a delete of a namespace with jobs', 'DELETE', '/v1/namespaces/billing', undefined],
  [
    'a key that is over',
    'POST',
    '/v1/keys',
    { name: 'k', role: 'viewer', namespaces: ['a'], expiresAt: '2020-01-01T00:00:00Z' },
  ],
  ['a key with an unknown role', 'POST', '/v1/keys', { name: 'k', role: 'god', namespaces: ['a'] }],
  ['a delete of the last admin', 'DELETE', 'ADMIN', undefined],
  ['a rotation for too long', 'POST', 'ADMIN/rotate', { overlap: '31d' }],
  ['a batch without items', 'POST', '/v1/jobs/batch', { items: [] }],
]

async function troubled() {
  const made = journal()
  const opened = await openApi({}, made)
  const { ask, admin } = opened
  const put = (path: string, body: object) => ask('PUT', path, { body })
  await put('/v1/calendars/billing/used', { dates: [] })
  await put('/v1/templates/billing/used', { schedules: [{ every: 3600 }] })
  for (const name of ['x', 'stopped']) await put(`/v1/jobs/billing/${name}`, JOB)
  await put('/v1/jobs/billing/owned?manager=apply:repo', JOB)
  await put('/v1/jobs/billing/uses', { ...JOB, schedules: [], template: 'billing/used', calendars: ['billing/used'] })
  await put('/v1/jobs/billing/over', { ...OVER, status: 'STOPPED' })
  await ask('POST', '/v1/jobs/billing/stopped/stop')
  await put('/v1/namespaces/full', { limits: { jobs: 0 } })
  await put('/v1/namespaces/calm', { limits: { triggersPerMinute: 0 } })
  await put('/v1/jobs/calm/x', JOB)
  const open = (await ask('POST', '/v1/jobs/billing/x/trigger')).json.id
  const ended = (await ask('POST', '/v1/jobs/billing/x/trigger')).json.id
  await ask('POST', `/v1/runs/${ended}/cancel`)
  opened.advance(30)
  await ask('GET', '/v1/me')
  const pathOf = (path: string) =>
    path
      .replace('ENDED', `/v1/runs/${ended}`)
      .replace('OPEN', `/v1/runs/${open}`)
      .replace('ADMIN', `/v1/keys/${admin.split('_')[1]}`)
  return { ...opened, made, pathOf }
}

test.each(REFUSED.map(([what, ...request]) => [what, request] as const))(
  'a dry run of %s is refused as it is in earnest',
  async (_, [method, path, body, headers = {}]) => {
    const { ask, made, pathOf } = await troubled()
    const asked = { headers, ...(body === undefined ? {} : { body }) }
    made.writes.length = 0
    const dry = await ask(method, `${pathOf(path)}?dryRun`, asked)
    const earnest = await ask(method, pathOf(path), asked)
    expect(earnest.status, earnest.text).toBeGreaterThanOrEqual(400)
    expect({ ...dry.json, requestId: '' }).toEqual({ ...earnest.json, requestId: '' })
    expect(made.writes).toEqual([])
  },
)

test('a dry run of a batch refuses each item as it is refused in earnest', async () => {
  const { ask } = await troubled()
  const items = [
    { put: { namespace: 'billing', name: 'new', ...JOB } },
    { put: { namespace: 'billing', name: 'owned', ...JOB, priority: 1 } },
    { put: { namespace: 'full', name: 'new', ...JOB } },
    { put: { namespace: 'billing', name: 'x', ...JOB }, ifVersion: 0 },
    { stop: { namespace: 'billing', name: 'uses', until: '2027-02-09T00:00:00Z' } },
    { delete: { namespace: 'billing', name: 'none' } },
    { start: { namespace: 'billing', name: 'over' } },
    { put: { namespace: 'billing', name: 'bad', schedules: [{ cron: 'x' }], target: JOB.target } },
  ]
  const codes = ({ results }: { results: { status: number; problem?: { code: string } }[] }) =>
    results.map(({ status, problem }) => [status, problem?.code])
  const dry = await ask('POST', '/v1/jobs/batch?dryRun', { body: { items } })
  const earnest = await ask('POST', '/v1/jobs/batch', { body: { items } })
  expect(codes(dry.json)).toEqual(codes(earnest.json))
  expect(codes(earnest.json)).toEqual([
    [201, undefined],
    [409, 'managed'],
    [429, 'quota'],
    [412, 'exists'],
    [422, 'invalid'],
    [404, 'not-found'],
    [422, 'invalid'],
    [422, 'invalid'],
  ])
})

test('a dry run of a batch counts its own jobs against the quota, as it does in earnest', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/namespaces/small', { body: { limits: { jobs: 3 } } })
  const items = Array.from({ length: 20 }, (_, n) => ({ put: { namespace: 'small', name: `j${n}`, ...JOB } }))
  const dry = await ask('POST', '/v1/jobs/batch?dryRun', { body: { items } })
  const earnest = await ask('POST', '/v1/jobs/batch', { body: { items } })
  expect(earnest.json.counts).toMatchObject({ CREATED: 3, FAILED: 17 })
  expect(dry.json.counts).toEqual(earnest.json.counts)
})

// Batches, previews, calendars, templates, namespaces, keys and acts that the API does not take.

import { beforeAll, describe, expect, test } from 'vitest'
import { timed } from '../support/api/blocking.ts'
import { ask, openApi } from '../support/api/open-api.ts'
import { openForRefusals } from '../support/api/refusal.ts'

let api: Awaited<ReturnType<typeof openForRefusals>>
beforeAll(async () => {
  api = await openForRefusals()
})

const INVALID = { status: 422, code: 'invalid' }
const WHOLE = { schedules: [{ every: 30 }], target: { type: 'handler', handler: 'echo' } }
const put = (name: string, fields: object = {}) => ({ put: { name, ...WHOLE, ...fields } })
const many = <Made>(count: number, make: (index: number) => Made) => Array.from({ length: count }, (_, n) => make(n))

describe('a batch that cannot be read as a whole is 422, and none of it is done', () => {
  const cases: [string, unknown, ...string[]][] = [
    ['no items', {}, '/items'],
    ['an empty list', { items: [] }, '/items'],
    ['501 items', { items: many(501, (n) => put(`b${n}`)) }, '/items'],
    ['items that are an object', { items: { put: {} } }, '/items'],
    ['an item of two kinds', { items: [put('b1'), { ...put('b2'), delete: { name: 'there' } }] }, '/items/1'],
    ['an item of no kind', { items: [put('b1'), {}] }, '/items/1'],
    ['an item that is null', { items: [null] }, '/items/0'],
    ['an item of an unknown kind', { items: [{ patch: { name: 'there' } }] }, '/items/0'],
    ['defaults that are a list', { defaults: [], items: [put('b1')] }, '/defaults'],
    ['a field that there is not', { items: [put('b1')], dryRun: true }, '/dryRun'],
  ]
  test.each(cases)('%s', async (_, body, ...paths) => {
    const faults = paths.map((path) => `body ${path}`)
    await api.refused('POST', '/v1/jobs/batch', { body }, { ...INVALID, faults })
  })

  test('a batch of more than 4 MB is 413', async () => {
    const raw = `${' '.repeat(4 * 1024 * 1024)}{}`
    await api.refused('POST', '/v1/jobs/batch', { raw }, { status: 413, code: 'too-large' })
  })
})

test('of a batch each bad item fails for itself, with its place in the batch, and the good ones are done', async () => {
  const { ask: asked } = await openApi()
  const items = [
    put('good'),
    put('twice'),
    put('twice', { priority: 5 }),
    put('Bad'),
    put('past', { schedules: [{ at: '2020-01-01T00:00:00Z' }] }),
    { delete: { name: 'missing-1' } },
    { start: { name: 'missing-2' } },
    { stop: { name: 'missing-3' } },
    { put: {} },
    { ...put('new'), ifVersion: 3 },
    put('later', { namespace: 'shared' }),
  ]
  const { json, status } = await asked('POST', '/v1/jobs/batch', { body: { items } })
  expect(status).toBe(200)
  const told = json.results.map((each: { status: number; problem?: { errors: { path: string }[] } }) => [
    each.status,
    ...(each.problem?.errors.map(({ path }) => path) ?? []),
  ])
  expect(told).toEqual([
    [201],
    [422, '/items/1/put/name'],
    [422, '/items/2/put/name'],
    [422, '/items/3/put/name'],
    [422, '/items/4/put/schedules/0/at'],
    [404],
    [404],
    [404],
    [422, '/items/8/put/name', '/items/8/put/target', '/items/8/put/schedules'],
    [412],
    [422, '/items/10/put/namespace'],
  ])
  expect(json.counts).toMatchObject({ CREATED: 1, FAILED: 10 })
  const { json: list } = await asked('GET', '/v1/jobs')
  expect(list.items.map(({ name }: { name: string }) => name)).toEqual(['good'])
})

test('in a batch a name that is no text is no name, and two items without one are not taken for the same job', async () => {
  const { ask: asked } = await openApi()
  const items = [
    { put: { ...WHOLE, name: 5 } },
    { put: { ...WHOLE, name: {} } },
    { put: { ...WHOLE, name: 'a', namespace: [] } },
  ]
  const { json } = await asked('POST', '/v1/jobs/batch', { body: { items } })
  const told = json.results.map(
    (each: { problem: { errors: { path: string; code: string }[] } }) => each.problem.errors,
  )
  expect(told).toMatchObject([
    [{ path: '/items/0/put/name', code: 'field.format' }],
    [{ path: '/items/1/put/name', code: 'field.format' }],
    [{ path: '/items/2/put/namespace', code: 'field.format' }],
  ])
  expect((await asked('GET', '/v1/jobs')).json.total).toBe(0)
})

test('a batch stops no job until a time that is past, as a single stop does not', async () => {
  const { ask: asked } = await openForRefusals()
  const until = '2020-01-01T00:00:00Z'
  const { json } = await asked('POST', '/v1/jobs/batch', { body: { items: [{ stop: { name: 'there', until } }] } })
  expect(json.results[0]).toMatchObject({ status: 422, problem: { errors: [{ path: '/items/0/stop/until' }] } })
  expect((await asked('GET', '/v1/jobs/default/there')).json).toMatchObject({ version: 1, stopped: null })
})

test('a batch of a megabyte, of faults or of numbers, keeps the event loop for less than 100 ms at a time', async () => {
  const { api: door, admin } = await openApi()
  const loop = timed(door)
  const tags = Object.fromEntries(many(200, (n) => [`T${n}`, 'a,b']))
  const payload = many(1000, (n) => n % 10)
  for (const fields of [{ tags }, { payload }]) {
    const items = many(500, (n) => put(`b${n}`, fields))
    let least = Number.POSITIVE_INFINITY
    // The first request also pays for code that runs for the first time.
    for (let tries = 0; tries < 3; tries++) {
      const { status } = await ask(loop.api, admin, 'POST', '/v1/jobs/batch?dryRun', { body: { items } })
      expect(status).toBe(200)
      least = Math.min(least, loop.blockedMs())
    }
    expect(least).toBeLessThan(100)
  }
})

describe('a preview is refused as a save is', () => {
  const cases: [string, object, ...string[]][] = [
    ['no schedules', {}, '/schedules'],
    ['a count of 0', { ...{ schedules: [{ every: 5 }] }, count: 0 }, '/count'],
    ['a count of 101', { schedules: [{ every: 5 }], count: 101 }, '/count'],
    ['a count in text', { schedules: [{ every: 5 }], count: '5' }, '/count'],
    ['a time that is none', { schedules: [{ every: 5 }], from: 'now' }, '/from'],
    ['a field of a job that has no bearing', { schedules: [{ every: 5 }], target: WHOLE.target }, '/target'],
    ['a calendar that is not there', { schedules: [{ every: 5 }], calendars: ['default/none'] }, '/calendars/0'],
    ['a template that is not there', { template: 'default/none' }, '/template'],
    [
      'the end before the start',
      { schedules: [{ every: 5 }], startAt: '2030-01-01T00:00:00Z', endAt: '2029-01-01T00:00:00Z' },
      '/endAt',
    ],
    ['a time that is past', { schedules: [{ at: '2020-01-01T00:00:00Z' }] }, '/schedules/0/at'],
    [
      'several faults at once',
      { schedules: [{ cron: 'x' }], count: 0, spread: -1 },
      '/spread',
      '/count',
      '/schedules/0/cron',
    ],
  ]
  test.each(cases)('%s', async (_, body, ...paths) => {
    const faults = paths.map((path) => `body ${path}`)
    await api.refused('POST', '/v1/preview', { body }, { ...INVALID, faults })
  })
})

describe('a calendar, template or namespace that makes no sense is 422', () => {
  const cases: [string, string, object, ...string[]][] = [
    ['calendars', 'no dates', {}, '/dates'],
    ['calendars', 'dates as text', { dates: '2026-12-25' }, '/dates'],
    ['calendars', 'a date as a number', { dates: [20261225] }, '/dates/0'],
    ['calendars', 'a date that there is not', { dates: ['2026-12-25', '2027-02-29'] }, '/dates/1'],
    ['calendars', 'a time', { dates: ['2026-12-25T00:00:00Z'] }, '/dates/0'],
    ['calendars', 'a range that runs backwards', { dates: ['2026-12-25/2026-12-24'] }, '/dates/0'],
    ['calendars', 'a day that no year has', { dates: ['02-30'] }, '/dates/0'],
    ['calendars', 'a range without an end', { dates: ['2026-12-25/'] }, '/dates/0'],
    ['calendars', 'fullwidth digits', { dates: ['２０２６-12-25'] }, '/dates/0'],
    ['calendars', 'an empty date', { dates: [''] }, '/dates/0'],
    ['calendars', 'a date of 100 kB', { dates: ['x'.repeat(100_000)] }, '/dates/0'],
    ['calendars', '2,001 dates', { dates: many(2001, () => '12-25') }, '/dates'],
    ['calendars', 'every date that is none', { dates: ['a', '12-25', 'b'] }, '/dates/0', '/dates/2'],
    ['calendars', 'a field that there is not', { dates: [], zone: 'UTC' }, '/zone'],
    ['calendars', 'a long description', { dates: [], description: 'x'.repeat(1001) }, '/description'],
    ['templates', 'no schedules', {}, '/schedules'],
    ['templates', 'an empty list', { schedules: [] }, '/schedules'],
    ['templates', '21 schedules', { schedules: many(21, () => ({ every: 5 })) }, '/schedules'],
    [
      'templates',
      'cron that makes no sense',
      { schedules: [{ cron: 'x' }, { cron: '* * * *' }] },
      '/schedules/0/cron',
      '/schedules/1/cron',
    ],
    ['templates', 'a target', { schedules: [{ every: 5 }], target: WHOLE.target }, '/target'],
  ]
  test.each(cases)('%s: %s', async (kind, _, body, ...paths) => {
    const faults = paths.map((path) => `body ${path}`)
    for (const name of ['there', 'new']) {
      await api.refused('PUT', `/v1/${kind}/default/${name}`, { body }, { ...INVALID, faults })
    }
  })

  test.each([
    [{ limits: { jobs: -1 } }, '/limits/jobs'],
    [{ limits: { jobs: 1.5 } }, '/limits/jobs'],
    [{ limits: { jobs: '5' } }, '/limits/jobs'],
    [{ limits: { jobs: 1e9 } }, '/limits/jobs'],
    [{ limits: { cpu: 5 } }, '/limits/cpu'],
    [{ limits: null }, '/limits'],
    [{ notify: { url: 'https://x.example' } }, '/notify'],
    [{ colour: 'red' }, '/colour'],
  ])('a namespace with %j', async (body, path) => {
    await api.refused('PUT', '/v1/namespaces/billing', { body }, { ...INVALID, faults: [`body ${path}`] })
  })

  test('a calendar with every day of the year in it leaves a job that uses it nothing, and says so quickly', async () => {
    const opened = await openForRefusals()
    const days = many(366, (n) => new Date(Date.UTC(2028, 0, 1 + n)).toISOString().slice(5, 10))
    expect((await opened.ask('PUT', '/v1/calendars/default/always', { body: { dates: days } })).status).toBe(201)
    const loop = timed(opened.api)
    for (const schedule of [{ every: 1 }, { cron: '* * * * * *', zone: 'Asia/Tokyo' }, { cron: '0 0 29 2 *' }]) {
      const body = { ...WHOLE, schedules: [schedule], calendars: ['default/always'] }
      const { status, json } = await ask(loop.api, opened.admin, 'PUT', '/v1/jobs/default/never', { body })
      expect(status).toBe(422)
      expect(json.errors[0]).toMatchObject({ path: '/schedules', code: 'schedule.never-fires' })
      expect(loop.blockedMs()).toBeLessThan(50)
    }
  })
})

describe('a key that makes no sense is 422', () => {
  const KEY = { name: 'ops', role: 'viewer', namespaces: ['default'] }
  test.each([
    [{ name: undefined }, '/name'],
    [{ name: 'Ops' }, '/name'],
    [{ name: '' }, '/name'],
    [{ role: 'root' }, '/role'],
    [{ role: 'ADMIN' }, '/role'],
    [{ role: undefined }, '/role'],
    [{ namespaces: [] }, '/namespaces'],
    [{ namespaces: '*' }, '/namespaces'],
    [{ namespaces: ['**'] }, '/namespaces/0'],
    [{ namespaces: ['*-suffix'] }, '/namespaces/0'],
    [{ namespaces: ['Default'] }, '/namespaces/0'],
    [{ namespaces: many(51, (n) => `n${n}`) }, '/namespaces'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
    [{ expiresAt: '2030-01-01' }, '/expiresAt'],
    [{ expiresAt: 1_802_254_322 }, '/expiresAt'],
    [{ secret: 'mine' }, '/secret'],
    [{ id: 'mine' }, '/id'],
  ])('%j', async (fields, path) => {
    await api.refused('POST', '/v1/keys', { body: { ...KEY, ...fields } }, { ...INVALID, faults: [`body ${path}`] })
  })

  test.each([[-1], [2_592_001], ['1y'], [0.5], [null]])('an overlap of %j', async (overlap) => {
    const { json } = await api.ask('GET', '/v1/keys')
    const path = `/v1/keys/${json.items[0].id}/rotate`
    await api.refused('POST', path, { body: { overlap } }, { ...INVALID, faults: ['body /overlap'] })
  })
})

describe('an act that makes no sense is 422', () => {
  const cases: [string, object, ...string[]][] = [
    ['start', { force: true }, '/force'],
    ['stop', { reason: 5 }, '/reason'],
    ['stop', { reason: 'x'.repeat(1001) }, '/reason'],
    ['stop', { until: '2027-02-10T10:00:00Z' }, '/until'],
    ['stop', { queued: 'drop' }, '/queued'],
    ['stop', { forever: true, queued: null }, '/queued', '/forever'],
    ['trigger', { payload: 'x'.repeat(64 * 1024) }, '/payload'],
    ['trigger', { instant: '2027-02-10T10:05:00Z' }, '/instant'],
    ['trigger', { at: '2027-02-10T10:00:00Z' }, '/at'],
    ['reschedule', {}, '/at'],
    ['reschedule', { at: '2020-01-01T00:00:00Z' }, '/at'],
    ['reschedule', { at: 5 }, '/at'],
  ]
  test.each(cases)('%s %j', async (act, body, ...paths) => {
    const faults = paths.map((path) => `body ${path}`)
    await api.refused('POST', `/v1/jobs/default/there/${act}`, { body }, { ...INVALID, faults })
  })

  test('an act on a job that is not there is 404 once its body is right, and 422 before', async () => {
    await api.refused('POST', '/v1/jobs/default/none/stop', {}, { status: 404, code: 'not-found' })
    await api.refused('POST', '/v1/jobs/default/none/stop', { body: { until: 5 } }, INVALID)
    await api.refused('POST', '/v1/jobs/default/none/reschedule', { body: {} }, INVALID)
    await api.refused('PATCH', '/v1/jobs/default/none', { body: { priority: 5 } }, { status: 404, code: 'not-found' })
    await api.refused('DELETE', '/v1/jobs/default/none', {}, { status: 404, code: 'not-found' })
  })
})

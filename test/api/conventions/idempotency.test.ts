// Idempotency-Key on every POST that changes something: the same request again has the effect and the answer of one.

import { expect, test } from 'vitest'
import { ROUTES } from '../../../functions/http/routes.ts'
import { type Journal, journal } from '../../support/api/journal.ts'
import { type Answered, type OpenedApi, openApi } from '../../support/api/open-api.ts'

const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }

interface Stage extends OpenedApi {
  readonly made: Journal
  /** Path and body of a request that works. */
  readonly path: string
  readonly body: unknown
  /** Another body that would work too, where there is one. */
  readonly other: unknown
  /** What the request makes, counted. */
  effects(): Promise<number>
}

/** A stage for each route, ready for its request. */
const STAGES: Readonly<Record<string, (opened: OpenedApi) => Promise<Pick<Stage, 'path' | 'body' | 'other'>>>> = {
  startJob: async ({ ask }) => {
    await ask('POST', '/v1/jobs/billing/x/stop')
    return { path: '/v1/jobs/billing/x/start', body: {}, other: null }
  },
  stopJob: async () => ({ path: '/v1/jobs/billing/x/stop', body: { reason: 'a' }, other: { reason: 'b' } }),
  rescheduleJob: async () => ({
    path: '/v1/jobs/billing/x/reschedule',
    body: { at: null },
    other: { at: '2027-02-10T12:00:00Z' },
  }),
  triggerJob: async () => ({ path: '/v1/jobs/billing/x/trigger', body: { payload: 1 }, other: { payload: 2 } }),
  cancelRun: async ({ ask }) => {
    const { json } = await ask('POST', '/v1/jobs/billing/x/trigger')
    return { path: `/v1/runs/${json.id}/cancel`, body: {}, other: null }
  },
  retryRun: async ({ ask }) => {
    const { json } = await ask('POST', '/v1/jobs/billing/x/trigger')
    await ask('POST', `/v1/runs/${json.id}/cancel`)
    return { path: `/v1/runs/${json.id}/retry`, body: {}, other: null }
  },
  createKey: async () => {
    const wish = { name: 'k', role: 'viewer', namespaces: ['billing'] }
    return { path: '/v1/keys', body: wish, other: { ...wish, name: 'l' } }
  },
  rotateKey: async ({ makeKey }) => {
    const [, id] = (await makeKey('viewer', ['billing'])).split('_')
    return { path: `/v1/keys/${id}/rotate`, body: { overlap: 60 }, other: { overlap: 61 } }
  },
}

const NAMES = Object.keys(STAGES)
/** Sent again in whatever state it is, a batch does no harm: its names are its keys. */
const WITHOUT = ['batchJobs']

test('every POST that changes something takes an Idempotency-Key, except the batch', () => {
  const changing = ROUTES.filter(({ method, isMutation }) => method === 'POST' && isMutation === true)
  expect(changing.map(({ operationId }) => operationId).toSorted()).toEqual([...NAMES, ...WITHOUT].toSorted())
  const taking = ROUTES.filter(({ isIdempotent }) => isIdempotent === true).map(({ operationId }) => operationId)
  expect(taking.toSorted()).toEqual(NAMES.toSorted())
})

async function stageOf(name: string): Promise<Stage> {
  const made = journal()
  const opened = await openApi({}, made)
  await opened.ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  const stage = await STAGES[name](opened)
  opened.advance(1)
  const entries = async () => (await opened.ask('GET', '/v1/audit?limit=100')).json.items.length
  const before = await entries()
  return { ...opened, made, ...stage, effects: async () => (await entries()) - before }
}

const send = ({ ask, path, body }: Stage, more: { key?: string; path?: string; body?: unknown; name?: string } = {}) =>
  ask('POST', more.path ?? path, {
    body: more.body ?? body,
    headers: { 'idempotency-key': more.name ?? 'once' },
    ...(more.key === undefined ? {} : { key: more.key }),
  })

const isReplayed = ({ headers }: Answered): boolean => headers['idempotency-replayed'] === 'true'

test.each(NAMES)('%s sent again has the same answer, says so, and is done once', async (name) => {
  const stage = await stageOf(name)
  const first = await send(stage)
  expect([first.status < 300, isReplayed(first)]).toEqual([true, false])
  stage.advance(20 * 3600)
  const again = await send(stage)
  expect([again.status, isReplayed(again)]).toEqual([first.status, true])
  const { secret, ...shown } = first.json
  if (name === 'createKey' || name === 'rotateKey') expect(secret).toMatch(/^tkr_/)
  expect(again.json).toEqual(shown)
  expect(again.headers.location).toBe(first.headers.location)
  expect(await stage.effects()).toBe(1)
})

test.each(NAMES)('%s with another body is 422 key-reused, and not done', async (name) => {
  const stage = await stageOf(name)
  await send(stage)
  const effects = await stage.effects()
  const raw = stage.other === null ? '{ }' : JSON.stringify(stage.other)
  const other = await stage.ask('POST', stage.path, { raw, headers: { 'idempotency-key': 'once' } })
  expect(other.json).toMatchObject({ status: 422, code: 'key-reused' })
  expect(await stage.effects()).toBe(effects)
})

test.each(NAMES)('%s as a dry run keeps nothing', async (name) => {
  const stage = await stageOf(name)
  const dry = await send(stage, { path: `${stage.path}?dryRun` })
  expect([dry.status, isReplayed(dry), dry.json.dryRun]).toEqual([200, false, true])
  expect(await stage.effects()).toBe(0)
  const first = await send(stage)
  expect([isReplayed(first), await stage.effects()]).toEqual([false, 1])
})

test.each(NAMES)('%s with the same Idempotency-Key of another API key is a request of its own', async (name) => {
  const stage = await stageOf(name)
  const other = await stage.makeKey('admin', ['*'])
  await send(stage)
  expect(isReplayed(await send(stage, { key: other }))).toBe(false)
})

test.each(NAMES)(
  '%s that broke off before its Idempotency-Key was taken is done when it is sent again',
  async (name) => {
    const stage = await stageOf(name)
    stage.made.faults.push({ what: 'idempotency.reserve', error: new TypeError('broken'), times: 1 })
    expect((await send(stage)).status).toBe(500)
    const first = await send(stage)
    expect([first.status < 300, isReplayed(first)]).toEqual([true, false])
  },
)

test.each(NAMES)(
  '%s that broke off between act and answer is done once, and answered when it is sent again',
  async (name) => {
    const stage = await stageOf(name)
    stage.made.faults.push({ what: 'idempotency.answer', error: new TypeError('the process died'), times: 1 })
    expect((await send(stage)).status).toBe(500)
    const soon = await send(stage)
    if (soon.status === 409) {
      expect([soon.json.code, soon.headers['retry-after']]).toEqual(['in-progress', '1'])
      stage.advance(36)
    }
    const again = soon.status === 409 ? await send(stage) : soon
    expect([again.status < 300, isReplayed(again)], again.text).toEqual([true, true])
    expect(await stage.effects()).toBe(1)
    const later = await send(stage)
    expect([later.status, isReplayed(later)]).toEqual([again.status, true])
  },
)

test.each(NAMES)('%s that broke off before its act is done when it is sent again', async (name) => {
  const stage = await stageOf(name)
  const writes = ['jobs.commit', 'ledger.putRun', 'apiKeys.write', 'audit.put']
  stage.made.faults.push(...writes.map((what) => ({ what, error: new TypeError('the process died'), times: 1 })))
  expect((await send(stage)).status).toBe(500)
  for (const fault of stage.made.faults) fault.times = 0
  stage.advance(36)
  const again = await send(stage)
  expect(again.status, again.text).toBeLessThan(300)
  if (name === 'createKey' || name === 'rotateKey') expect(again.json.secret).toMatch(/^tkr_/)
  expect(await stage.effects()).toBe(1)
})

test.each(NAMES)('%s sent twice at once is done once', async (name) => {
  const stage = await stageOf(name)
  const answers = await Promise.all([send(stage), send(stage)])
  for (const { status, json } of answers) if (status >= 300) expect(json.code).toBe('in-progress')
  expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(0)
  expect(await stage.effects()).toBe(1)
  const secrets = answers.filter(({ json }) => json.secret !== undefined)
  expect(secrets.length).toBeLessThanOrEqual(1)
})

test('the same Idempotency-Key on another path is a request of its own', async () => {
  const stage = await stageOf('stopJob')
  await stage.ask('PUT', '/v1/jobs/billing/y', { body: JOB })
  await send(stage)
  expect(isReplayed(await send(stage, { path: '/v1/jobs/billing/y/stop' }))).toBe(false)
})

test('after a day an Idempotency-Key is new', async () => {
  const stage = await stageOf('stopJob')
  await send(stage)
  stage.advance(86_401)
  expect(isReplayed(await send(stage))).toBe(false)
})

test('a request that is refused may be sent again with its key, and works once nothing is in the way', async () => {
  const stage = await stageOf('stopJob')
  expect((await send(stage, { path: '/v1/jobs/billing/later/stop' })).status).toBe(404)
  await stage.ask('PUT', '/v1/jobs/billing/later', { body: JOB })
  const { status, headers } = await send(stage, { path: '/v1/jobs/billing/later/stop' })
  expect([status, headers['idempotency-replayed']]).toEqual([200, undefined])
})

test('a trigger sent again shows its run as it stands', async () => {
  const stage = await stageOf('triggerJob')
  const { json } = await send(stage)
  await stage.ask('POST', `/v1/runs/${json.id}/cancel`)
  const again = await send(stage)
  expect([again.json.id, again.json.status]).toEqual([json.id, 'CANCELLED'])
})

test.each(['', 'with blank', 'ünï', 'x'.repeat(256), 'line\nbreak'])('the Idempotency-Key %j is 400', async (name) => {
  const stage = await stageOf('stopJob')
  const { status, json } = await send(stage, { name })
  expect([status, json.errors[0].path]).toEqual([400, '/idempotency-key'])
  expect(await stage.effects()).toBe(0)
})

test('an Idempotency-Key of 255 visible characters is taken', async () => {
  const stage = await stageOf('stopJob')
  expect((await send(stage, { name: `${'!~'.repeat(127)}x` })).status).toBe(200)
})

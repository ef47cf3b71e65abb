// The audit trail: one line for each change, with who, what, which version and how it differs; and how it is searched.

import { expect, test } from 'vitest'
import { ROUTES } from '../../../functions/http/routes.ts'
import { openApi } from '../../support/api/open-api.ts'
import { Fixtures, POLICY } from '../access/policy.ts'

interface Line {
  readonly action: string
  /** Before and after. */
  readonly versions: readonly [number | null, number | null]
  readonly changes?: readonly object[]
  /** The target is the last part of the path, the name behind the plural, or the run. */
  readonly target: 'name' | 'id' | 'namespace' | 'made'
  readonly namespace?: string
}

const EXPECTED: Readonly<Record<string, Line>> = {
  putJob: { action: 'job.create', versions: [null, 1], target: 'name' },
  patchJob: {
    action: 'job.update',
    versions: [1, 2],
    target: 'name',
    changes: [{ path: '/priority', from: 0, to: 1 }],
  },
  deleteJob: { action: 'job.delete', versions: [1, 2], target: 'name' },
  stopJob: {
    action: 'job.stop',
    versions: [1, 2],
    target: 'name',
    changes: [{ path: '/status', from: 'RUNNING', to: 'STOPPED' }],
  },
  startJob: {
    action: 'job.start',
    versions: [2, 3],
    target: 'name',
    changes: [{ path: '/status', from: 'STOPPED', to: 'RUNNING' }],
  },
  rescheduleJob: { action: 'job.reschedule', versions: [1, 2], target: 'name' },
  triggerJob: { action: 'job.trigger', versions: [null, null], target: 'name' },
  batchJobs: { action: 'job.stop', versions: [1, 2], target: 'name' },
  cancelRun: { action: 'run.cancel', versions: [null, null], target: 'id' },
  retryRun: { action: 'run.retry', versions: [null, null], target: 'id' },
  putCalendar: { action: 'calendar.put', versions: [null, 1], target: 'name' },
  deleteCalendar: { action: 'calendar.delete', versions: [1, 2], target: 'name' },
  putTemplate: { action: 'template.put', versions: [null, 1], target: 'name' },
  deleteTemplate: { action: 'template.delete', versions: [1, 2], target: 'name' },
  putNamespace: { action: 'namespace.put', versions: [null, 1], target: 'namespace' },
  deleteNamespace: { action: 'namespace.delete', versions: [1, 2], target: 'namespace' },
  createKey: { action: 'key.create', versions: [null, null], target: 'made', namespace: '*' },
  deleteKey: { action: 'key.delete', versions: [null, null], target: 'id', namespace: '*' },
  rotateKey: { action: 'key.rotate', versions: [null, null], target: 'id', namespace: '*' },
}

const MUTATIONS = ROUTES.filter(({ isMutation }) => isMutation === true)

test('every route that changes something has a line of the audit', () => {
  expect(MUTATIONS.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(EXPECTED).toSorted())
})

test.each(MUTATIONS.map(({ operationId, method, path }) => [operationId, `${method} ${path}`]))(
  '%s leaves exactly one line: action, target, who and for whom, request, versions and changes',
  async (operationId, place) => {
    const opened = await openApi()
    const { ask, makeKey } = opened
    const namespace = operationId === 'deleteNamespace' ? 'empty' : 'billing'
    if (operationId === 'deleteNamespace') await ask('PUT', '/v1/namespaces/empty', { body: {} })
    const { path, body } =
      operationId === 'deleteNamespace'
        ? { path: '/v1/namespaces/empty', body: undefined }
        : await POLICY[place].request(new Fixtures(opened), 'billing')
    if (operationId === 'startJob') await ask('POST', path.replace('/start', '/stop'))
    const key = await makeKey('admin', ['*'], { name: 'ops' })
    const seen = new Set((await ask('GET', '/v1/audit?limit=100')).json.items.map(({ id }: { id: string }) => id))
    const answer = await ask(place.split(' ')[0], path, {
      key,
      ...(body === undefined ? {} : { body }),
      headers: { 'tickring-actor': 'anna@acme.example' },
    })
    expect(answer.status, answer.text).toBeLessThan(300)
    const all = (await ask('GET', '/v1/audit?limit=100')).json.items
    const fresh = all.filter(({ id }: { id: string }) => !seen.has(id))
    expect(fresh).toHaveLength(1)
    const expected = EXPECTED[operationId]
    const parts = path.split('/')
    const item = (body as { items?: { stop: { namespace: string; name: string } }[] } | undefined)?.items?.[0].stop
    const targets = {
      name: item === undefined ? `${parts[3]}/${parts[4]}` : `${item.namespace}/${item.name}`,
      id: parts[3],
      namespace,
      made: answer.json?.id,
    }
    expect(fresh[0]).toMatchObject({
      action: expected.action,
      namespace: expected.namespace ?? namespace,
      target: targets[expected.target],
      by: { type: 'key', id: key.split('_')[1], name: 'ops', onBehalfOf: 'anna@acme.example' },
      requestId: answer.headers['x-request-id'],
      versionBefore: expected.versions[0],
      versionAfter: expected.versions[1],
      at: '2027-02-10T10:00:00.500Z',
      operation: null,
    })
    if (expected.changes !== undefined) expect(fresh[0].changes).toEqual(expected.changes)
    // What was asked as a dry run, was refused, or changed nothing leaves no line.
    await ask(place.split(' ')[0], `${path}?dryRun`, body === undefined ? {} : { body })
    await ask(place.split(' ')[0], path, { key: null, ...(body === undefined ? {} : { body }) })
    expect((await ask('GET', '/v1/audit?limit=100')).json.items).toHaveLength(all.length)
  },
)

const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }

test('a PUT of an equal definition leaves no line', async () => {
  const { ask } = await openApi()
  for (const [path, body] of [
    ['/v1/jobs/billing/x', JOB],
    ['/v1/calendars/billing/x', { dates: [] }],
    ['/v1/templates/billing/x', { schedules: [{ every: 60 }] }],
    ['/v1/namespaces/billing', {}],
  ] as const) {
    await ask('PUT', path, { body })
    const before = (await ask('GET', '/v1/audit?limit=100')).json.items.length
    await ask('PUT', path, { body })
    expect((await ask('GET', '/v1/audit?limit=100')).json.items, path).toHaveLength(before)
  }
})

test('a stop says its reason in the audit', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/billing/x', { body: JOB })
  await ask('POST', '/v1/jobs/billing/x/stop', { body: { reason: 'INC-42' } })
  expect((await ask('GET', '/v1/audit?action=job.stop')).json.items).toMatchObject([{ reason: 'INC-42' }])
})

async function history() {
  const opened = await openApi()
  const ops = await opened.makeKey('admin', ['*'], { name: 'ops' })
  for (const [namespace, actor] of [
    ['billing', 'anna'],
    ['acme', 'bert'],
    ['billing', 'bert'],
  ] as const) {
    opened.advance(86_400)
    await opened.ask('PUT', `/v1/jobs/${namespace}/${actor}`, {
      key: ops,
      body: JOB,
      headers: { 'tickring-actor': actor },
    })
    await opened.ask('DELETE', `/v1/jobs/${namespace}/${actor}`)
  }
  const find = async (query: string) =>
    (await opened.ask('GET', `/v1/audit?${query}`)).json.items.map(
      ({ action, target }: { action: string; target: string }) => `${action} ${target}`,
    )
  return { ...opened, ops, find }
}

test('the audit is found by namespace, action, target, time and who, newest first', async () => {
  const { find, ops } = await history()
  const made = { anna: 'job.create billing/anna', bert: 'job.create billing/bert', acme: 'job.create acme/bert' }
  const gone = { anna: 'job.delete billing/anna', bert: 'job.delete billing/bert', acme: 'job.delete acme/bert' }
  const sorted = async (query: string) => (await find(query)).toSorted()
  expect(await sorted('namespace=billing')).toEqual([made.anna, made.bert, gone.anna, gone.bert].toSorted())
  expect(await find('action=job.create')).toEqual([made.bert, made.acme, made.anna])
  expect(await sorted('target=acme/bert')).toEqual([made.acme, gone.acme])
  expect(await find(`by=${ops.split('_')[1]}`)).toEqual([made.bert, made.acme, made.anna])
  expect(await find('by=ops')).toEqual([made.bert, made.acme, made.anna])
  expect(await find('by=bert')).toEqual([made.bert, made.acme])
  expect(await find('by=bert&namespace=acme')).toEqual([made.acme])
  const second = '2027-02-12T10:00:00Z'
  expect(await sorted(`from=${second}&to=2027-02-12T10:00:01Z`)).toEqual([made.acme, gone.acme])
  expect(await sorted(`from=2027-02-12T10:00:01Z`)).toEqual([made.bert, gone.bert])
  expect(await find(`to=${second}&action=job.create`)).toEqual([made.anna])
  expect(await find('namespace=nothing')).toEqual([])
})

test('pages of the audit follow one another without gap or repetition, across days and equal times', async () => {
  const { ask } = await history()
  const whole = (await ask('GET', '/v1/audit?limit=100')).json.items
  expect(whole.length).toBeGreaterThan(6)
  for (const limit of [1, 2, 3, 5]) {
    const seen: unknown[] = []
    let cursor = ''
    do {
      const { json } = await ask('GET', `/v1/audit?limit=${limit}${cursor}`)
      expect(json.items.length).toBeLessThanOrEqual(limit)
      seen.push(...json.items)
      cursor = json.next === null ? '' : `&cursor=${json.next}`
    } while (cursor !== '')
    expect(seen).toEqual(whole)
  }
})

test('the audit goes back over many quiet days', async () => {
  const { ask, advance } = await history()
  advance(300 * 86_400)
  const seen: unknown[] = []
  let cursor = ''
  do {
    const { json } = await ask('GET', `/v1/audit?action=job.create${cursor}`)
    seen.push(...json.items)
    cursor = json.next === null ? '' : `&cursor=${json.next}`
  } while (cursor !== '')
  expect(seen).toHaveLength(3)
})

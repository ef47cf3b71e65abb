// The secret of a key is shown once and stands nowhere else: not in a store, not in a queue, not in a log, not in a problem.

import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { expect, inject, test } from 'vitest'
import { dynamoClient } from '../../../shared/aws/sdk.ts'
import { StoreClock } from '../../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../../shared/aws/stores.ts'
import { type Journal, journal } from '../../support/api/journal.ts'
import { memoryWorld, type OpenedApi, openApi } from '../../support/api/open-api.ts'
import { createTable } from '../../support/engines/table.ts'
import { JOB } from './policy.ts'

/** Pieces of a secret are as good as the secret to who has the rest. */
const PIECE = 8

function piecesOf(key: string): string[] {
  const [, , secret] = key.split('_')
  return Array.from({ length: secret.length - PIECE + 1 }, (_, at) => secret.slice(at, at + PIECE))
}

/** In whatever case: messages about a cron fold it. */
const holds = (text: string, key: string): boolean =>
  piecesOf(key.toLowerCase()).some((piece) => text.toLowerCase().includes(piece))

/** Makes, uses, rotates and misuses keys; returns every secret that was shown. */
async function livelyHour({ ask, admin, makeKey }: OpenedApi): Promise<string[]> {
  const headers = { 'idempotency-key': 'make-one' }
  const body = { name: 'lively', role: 'admin', namespaces: ['*'] }
  const made = await ask('POST', '/v1/keys', { body, headers })
  const again = await ask('POST', '/v1/keys', { body, headers })
  expect(again.json.secret).toBeUndefined()
  const key: string = made.json.secret
  const rotated = await ask('POST', `/v1/keys/${made.json.id}/rotate`, {
    key,
    headers: { 'idempotency-key': 'turn' },
    body: {},
  })
  const newKey: string = rotated.json.secret
  await ask('PUT', '/v1/jobs/default/j', { key: newKey, body: JOB, headers: { 'tickring-actor': newKey } })
  await ask('POST', '/v1/jobs/default/j/trigger', { key: newKey, headers: { 'idempotency-key': newKey } })
  await ask('POST', '/v1/jobs/default/j/stop', { key: newKey, body: { reason: 'x' } })
  await ask('GET', '/v1/jobs', { key: newKey })
  await ask('GET', '/v1/audit', { key: newKey })
  return [admin, await makeKey('viewer', ['a']), key, newKey]
}

test('no secret reaches a store or a queue', async () => {
  const made: Journal = journal()
  const opened = await openApi({}, made)
  const secrets = await livelyHour(opened)
  const written = JSON.stringify(made.writes)
  expect(made.writes.length).toBeGreaterThan(10)
  for (const secret of secrets) expect(holds(written, secret)).toBe(false)
})

const { endpoint, whyNot } = inject('engines').dynoxide

test.skipIf(whyNot !== null)('no secret stands in any item of the table', async () => {
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const client = dynamoClient({ endpoint: endpoint ?? undefined, clock })
  const tableName = `secrets-${process.pid}-${Date.now()}`
  await createTable(client, tableName)
  const memory = memoryWorld()
  const stores = dynamoStores({ client, tableName, shardCount: 2, ledgerDays: 30 })
  const opened = await openApi(
    {},
    { ...memory, world: { ...memory.world, ...stores, clock }, nowMs: () => clock.nowMs() },
  )
  const secrets = await livelyHour(opened)
  const { Items: items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
  const dump = JSON.stringify(items)
  expect(dump).toContain('lively')
  for (const secret of secrets) expect(holds(dump, secret)).toBe(false)
  client.destroy()
})

test('a secret is answered by the request that made it and by no other', async () => {
  const opened = await openApi()
  const [, , key, newKey] = await livelyHour(opened)
  for (const path of ['/v1/me', '/v1/keys', `/v1/keys/${key.split('_')[1]}`, '/v1/audit', '/v1/jobs', '/v1/runs']) {
    const { text, status, headers } = await opened.ask('GET', path, { key: newKey })
    expect(status).toBe(200)
    expect(holds(text + JSON.stringify(headers), newKey), path).toBe(false)
    expect(text, path).not.toContain('digest')
  }
})

test('a log line about a failure holds no key, though path and error do', async () => {
  const made = journal()
  const opened = await openApi({}, made)
  const { admin } = opened
  made.faults.push({ what: 'jobs.read', error: new Error(`cannot read for Bearer ${admin}`), times: 1 })
  const { status, text } = await opened.ask('GET', `/v1/jobs/default/${admin.toLowerCase()}`)
  expect(status).toBe(500)
  expect(opened.lines).toHaveLength(1)
  expect(opened.lines[0]).toContain('tkr_…')
  for (const said of [text, ...opened.lines]) expect(holds(said, admin)).toBe(false)
})

type Misplaced = readonly [place: string, send: (opened: OpenedApi) => ReturnType<OpenedApi['ask']>]

const MISPLACED: readonly Misplaced[] = [
  ['an unknown path', ({ ask, admin }) => ask('GET', `/v1/${admin}`)],
  ['the id of a key', ({ ask, admin }) => ask('GET', `/v1/keys/${admin}`)],
  ['the id of a run', ({ ask, admin }) => ask('GET', `/v1/runs/${admin}`)],
  ['the name of a job', ({ ask, admin }) => ask('GET', `/v1/jobs/default/${admin}`)],
  ['a namespace', ({ ask, admin }) => ask('GET', `/v1/jobs/${admin}/x`)],
  ['the method', ({ ask, admin }) => ask(admin, '/v1/jobs')],
  ['the name of a parameter', ({ ask, admin }) => ask('GET', `/v1/jobs?${admin}=1`)],
  ['an unknown parameter', ({ ask, admin }) => ask('GET', `/v1/jobs?key=${admin}`)],
  ['a namespace in the query', ({ ask, admin }) => ask('GET', `/v1/jobs?namespace=${admin}`)],
  ['a status in the query', ({ ask, admin }) => ask('GET', `/v1/jobs?status=${admin}`)],
  ['a cursor', ({ ask, admin }) => ask('GET', `/v1/jobs?cursor=${admin}`)],
  ['a flag', ({ ask, admin }) => ask('DELETE', `/v1/jobs/default/x?dryRun=${admin}`)],
  ['If-Match', ({ ask, admin }) => ask('DELETE', '/v1/jobs/default/x', { headers: { 'if-match': admin } })],
  ['Host', ({ ask, admin }) => ask('GET', '/v1/me', { headers: { host: admin } })],
  ['Origin', ({ ask, admin }) => ask('GET', '/v1/me', { headers: { origin: admin } })],
  [
    'Content-Type',
    ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { body: {}, headers: { 'content-type': admin } }),
  ],
  ['an unknown field', ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { body: { ...JOB, [admin]: 1 } })],
  ['the value of a field', ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { body: { ...JOB, status: admin } })],
  ['a cron', ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { body: { ...JOB, schedules: [{ cron: admin }] } })],
  [
    'a long cron',
    ({ ask, admin }) =>
      ask('PUT', '/v1/jobs/default/x', { body: { ...JOB, schedules: [{ cron: `* * * * ${admin}` }] } }),
  ],
  [
    'a zone',
    ({ ask, admin }) =>
      ask('PUT', '/v1/jobs/default/x', { body: { ...JOB, schedules: [{ cron: '* * * * *', zone: admin }] } }),
  ],
  ['a template', ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { body: { ...JOB, template: admin } })],
  ['a body that is no JSON', ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { raw: admin })],
  [
    'JSON that breaks inside',
    ({ ask, admin }) =>
      ask('PUT', '/v1/jobs/default/x', { raw: `{"description":"${admin.slice(0, 40)}\n${admin.slice(40)}"}` }),
  ],
  ['JSON without quotes', ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { raw: `{"description": ${admin}}` })],
  [
    'JSON that breaks behind',
    ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { raw: `{"description":"${admin}" x}` }),
  ],
  [
    'a key that stands twice',
    ({ ask, admin }) => ask('PUT', '/v1/jobs/default/x', { raw: `{"${admin}":1,"${admin}":2}` }),
  ],
  [
    'an item of a batch',
    ({ ask, admin }) =>
      ask('POST', '/v1/jobs/batch', {
        body: { items: [{ delete: { name: admin } }, { put: { name: 'x', status: admin } }] },
      }),
  ],
]

test.each(MISPLACED)('a key sent as %s is not said back', async (_, send) => {
  const opened = await openApi()
  const { status, text, headers } = await send(opened)
  expect(status).toBeLessThan(500)
  expect(holds(text + JSON.stringify(headers), opened.admin), text).toBe(false)
})

test('a key sent as Tickring-Actor is recorded masked', async () => {
  const { ask, admin } = await openApi()
  await ask('PUT', '/v1/jobs/default/x', { body: JOB, headers: { 'tickring-actor': `anna ${admin}` } })
  const { json, text } = await ask('GET', '/v1/audit?action=job.create')
  expect(json.items[0].by.onBehalfOf).toBe('anna tkr_…')
  expect(holds(text, admin)).toBe(false)
})

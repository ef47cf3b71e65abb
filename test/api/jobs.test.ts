// Jobs through the API, as a user meets them.

import { expect, test } from 'vitest'
import { openApi } from '../support/api/open-api.ts'

const ECHO = { type: 'handler', handler: 'echo' }
const EVERY = { schedules: [{ every: 30 }], target: ECHO }

test('a job is created with 201 and its place, read with its ETag, and what GET answered can be PUT', async () => {
  const { ask } = await openApi()
  const created = await ask('PUT', '/v1/jobs/default/hello', { body: EVERY })
  expect(created.status).toBe(201)
  expect(created.headers).toMatchObject({ etag: '"1"', location: '/v1/jobs/default/hello' })
  const read = await ask('GET', '/v1/jobs/default/hello')
  expect(read.headers.etag).toBe('"1"')
  expect(read.json).toMatchObject({ namespace: 'default', name: 'hello', version: 1, timeout: 60, stopped: null })
  const again = await ask('PUT', '/v1/jobs/default/hello', { body: read.json })
  expect(again.status).toBe(200)
  expect(again.json.version).toBe(1)
})

test('a dry run of an edit says which fires appear and which vanish, and changes nothing', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/default/hello', { body: { schedules: [{ cron: '30 2 * * *' }], target: ECHO } })
  const dry = await ask('PATCH', '/v1/jobs/default/hello?dryRun', { body: { schedules: [{ cron: '0 3 * * *' }] } })
  expect(dry.status).toBe(200)
  expect(dry.json).toMatchObject({
    dryRun: true,
    result: 'UPDATED',
    changes: [{ path: '/schedules/0/cron', from: '30 2 * * *', to: '0 3 * * *' }],
    fires: { same: 0, appear: { count: 1 }, vanish: { count: 1 } },
  })
  expect((await ask('GET', '/v1/jobs/default/hello')).json.version).toBe(1)
})

test('a patch that no job would take is 422 also where there is no job, and a good one is 404', async () => {
  const { ask } = await openApi()
  const patch = async (body: object) => {
    const { status, json } = await ask('PATCH', '/v1/jobs/default/none', { body })
    return [status, json.errors.map(({ path }: { path: string }) => path)]
  }
  expect(await patch({ timeout: -1 })).toEqual([422, ['/timeout']])
  expect(await patch({ foo: 1 })).toEqual([422, ['/foo']])
  expect(await patch({ timeout: 5, payload: null })).toEqual([404, []])
})

test('what a reschedule changed is told in the words of the API', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/default/j', { body: { ...EVERY, schedules: [{ every: '1h' }] } })
  const { json: job } = await ask('GET', '/v1/jobs/default/j')
  const { json } = await ask('POST', '/v1/jobs/default/j/reschedule?dryRun', { body: { at: null } })
  expect(json.changes).toEqual([{ path: '/moved', from: [], to: [{ from: job.next[0], to: null }] }])
})

test('a value of a list that there is not is quoted whole', async () => {
  const { ask } = await openApi()
  const { json } = await ask('GET', '/v1/jobs?status=RUNNING,NOPE')
  expect(json.errors[0]).toMatchObject({ in: 'query', path: '/status' })
  expect(json.errors[0].message).toContain('"RUNNING,NOPE"')
})

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

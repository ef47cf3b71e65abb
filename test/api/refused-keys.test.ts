// What an Idempotency-Key is worth after its request was refused.

import { expect, test } from 'vitest'
import { openApi } from '../support/api/open-api.ts'

test('a key that was not made because it reached too far can be made with the same Idempotency-Key and less reach', async () => {
  const { ask, makeKey } = await openApi()
  const key = await makeKey('admin', ['billing'])
  const headers = { 'idempotency-key': 'once' }
  const wanted = { name: 'ops', role: 'operator' }
  const tooFar = await ask('POST', '/v1/keys', { key, headers, body: { ...wanted, namespaces: ['*'] } })
  expect(tooFar.status).toBe(403)
  const made = await ask('POST', '/v1/keys', { key, headers, body: { ...wanted, namespaces: ['billing'] } })
  expect(made.status).toBe(201)
  expect(made.headers).not.toHaveProperty('idempotency-replayed')
})

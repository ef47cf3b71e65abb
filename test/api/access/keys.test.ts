// Keys of the API: who may make, see, rotate and delete them, how long they open, and what a use of them leaves behind.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { opens, type StoredKey } from '../../../shared/core/access/key.ts'
import { SYSTEM } from '../../../shared/core/actor.ts'
import { installAdminKey, newKeyText } from '../../../shared/flow/access/keys.ts'
import { journal } from '../../support/api/journal.ts'
import { type OpenedApi, openApi } from '../../support/api/open-api.ts'

const idOf = (key: string): string => key.split('_')[1]
const wish = (...namespaces: string[]) => ({ name: 'made', role: 'viewer', namespaces })
const isOpen = async ({ ask }: Pick<OpenedApi, 'ask'>, key: string): Promise<boolean> =>
  (await ask('GET', '/v1/me', { key })).status === 200

test.each([
  [['billing'], ['billing'], 201],
  [['billing'], ['*'], 403],
  [['billing'], ['acme'], 403],
  [['billing'], ['billing', 'acme'], 403],
  [['billing'], ['billing*'], 403],
  [['billing'], ['billing-*'], 403],
  [['billing'], ['b*'], 403],
  [['billing'], ['shared'], 403],
  [['cust-*'], ['cust-*'], 201],
  [['cust-*'], ['cust-7', 'cust-8'], 201],
  [['cust-*'], ['cust-7-*'], 201],
  [['cust-*'], ['cust*'], 403],
  [['cust-*'], ['cust'], 403],
  [['cust-*'], ['c*'], 403],
  [['billing', 'cust-*'], ['billing', 'cust-1'], 201],
  [['*'], ['*'], 201],
])('an admin of %j who asks for a key of %j is answered %i', async (own, wanted, status) => {
  const opened = await openApi()
  const key = await opened.makeKey('admin', own)
  for (const path of ['/v1/keys?dryRun', '/v1/keys']) {
    const answer = await opened.ask('POST', path, { key, body: wish(...wanted) })
    expect(answer.status, path).toBe(path.endsWith('dryRun') && status === 201 ? 200 : status)
  }
})

test('an admin of billing neither sees nor rotates nor deletes a key that reaches further', async () => {
  const opened = await openApi()
  const key = await opened.makeKey('admin', ['billing'])
  const own = await opened.makeKey('viewer', ['billing'])
  const further = [
    await opened.makeKey('viewer', ['billing', 'acme']),
    await opened.makeKey('viewer', ['billing*']),
    opened.admin,
  ]
  const listed = (await opened.ask('GET', '/v1/keys', { key })).json.items.map(({ id }: { id: string }) => id)
  expect(listed.toSorted()).toEqual([idOf(key), idOf(own)].toSorted())
  for (const id of further.map(idOf)) {
    for (const [method, path] of [
      ['GET', `/v1/keys/${id}`],
      ['DELETE', `/v1/keys/${id}`],
      ['DELETE', `/v1/keys/${id}?dryRun`],
      ['POST', `/v1/keys/${id}/rotate`],
      ['POST', `/v1/keys/${id}/rotate?dryRun`],
    ] as const) {
      expect((await opened.ask(method, path, { key })).status, `${method} ${path}`).toBe(404)
    }
  }
  for (const other of further) expect(await isOpen(opened, other)).toBe(true)
})

test('the last admin of everything cannot be deleted; neither an expiring one nor one of a namespace counts as another', async () => {
  const opened = await openApi()
  const later = Math.floor(opened.nowMs() / 1000) + 3600
  await opened.makeKey('admin', ['*'], { expiresAt: later })
  await opened.makeKey('admin', ['billing'])
  await opened.makeKey('editor', ['*'])
  const path = `/v1/keys/${idOf(opened.admin)}`
  for (const each of [path, `${path}?dryRun`]) {
    expect((await opened.ask('DELETE', each)).json).toMatchObject({ status: 409, code: 'conflict' })
  }
  const second = await opened.makeKey('admin', ['*'])
  expect((await opened.ask('DELETE', path)).status).toBe(204)
  expect(await isOpen(opened, opened.admin)).toBe(false)
  expect((await opened.ask('DELETE', `/v1/keys/${idOf(second)}`, { key: second })).status).toBe(409)
})

test('of two deletes at once of the last two admins of everything one is refused', async () => {
  const made = journal()
  const here = await openApi({}, made)
  const there = await openApi({}, made)
  const answers = await Promise.all([
    here.ask('DELETE', `/v1/keys/${idOf(there.admin)}`),
    there.ask('DELETE', `/v1/keys/${idOf(here.admin)}`),
  ])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409])
  expect((await made.world.apiKeys.all()).keys).toHaveLength(1)
})

test('the same request again does not bring back a key that was deleted', async () => {
  const opened = await openApi()
  const headers = { 'idempotency-key': 'make-one' }
  const body = { name: 'gone', role: 'viewer', namespaces: ['billing'] }
  const made = await opened.ask('POST', '/v1/keys', { body, headers })
  await opened.ask('DELETE', `/v1/keys/${made.json.id}`)
  const again = await opened.ask('POST', '/v1/keys', { body, headers })
  const { secret, ...known } = made.json
  expect([again.status, again.headers['idempotency-replayed'], again.json]).toEqual([201, 'true', known])
  expect(await isOpen(opened, secret)).toBe(false)
  expect((await opened.ask('GET', `/v1/keys/${made.json.id}`)).status).toBe(404)
})

test('after a rotation both secrets open for the overlap, then the new one only', async () => {
  const opened = await openApi()
  const old = await opened.makeKey('viewer', ['billing'])
  const { status, json } = await opened.ask('POST', `/v1/keys/${idOf(old)}/rotate`, { body: { overlap: '1h' } })
  expect(status).toBe(200)
  expect(json.previousUntil).toBe('2027-02-10T11:00:01Z')
  expect(idOf(json.secret)).toBe(idOf(old))
  expect([await isOpen(opened, old), await isOpen(opened, json.secret)]).toEqual([true, true])
  opened.advance(3599)
  expect([await isOpen(opened, old), await isOpen(opened, json.secret)]).toEqual([true, true])
  opened.advance(2)
  expect([await isOpen(opened, old), await isOpen(opened, json.secret)]).toEqual([false, true])
})

test('a rotation without overlap closes the old secret within a second', async () => {
  const opened = await openApi()
  const old = await opened.makeKey('viewer', ['billing'])
  await opened.ask('POST', `/v1/keys/${idOf(old)}/rotate`, { body: { overlap: 0 } })
  opened.advance(1)
  expect(await isOpen(opened, old)).toBe(false)
})

test('a key opens until its end and not from it on', async () => {
  const opened = await openApi()
  const body = { ...wish('billing'), expiresAt: '2027-02-10T11:00:00Z' }
  const { secret } = (await opened.ask('POST', '/v1/keys', { body })).json
  opened.advance(3599)
  expect(await isOpen(opened, secret)).toBe(true)
  opened.advance(0.5)
  expect(await isOpen(opened, secret)).toBe(false)
  const late = await opened.ask('POST', '/v1/keys', { body })
  expect([late.status, late.json.errors[0].path]).toEqual([422, '/expiresAt'])
})

test('that a key is used is written once a minute at most, and shown', async () => {
  const made = journal()
  const opened = await openApi({}, made)
  const key = await opened.makeKey('viewer', ['billing'])
  const touches = () => made.writes.filter(({ what, carried }) => what === 'apiKeys.touch' && carried[0] === idOf(key))
  for (let request = 0; request < 59; request++) {
    await opened.ask('GET', '/v1/me', { key })
    opened.advance(1)
  }
  expect(touches()).toHaveLength(1)
  opened.advance(2)
  await opened.ask('GET', '/v1/me', { key })
  expect(touches()).toHaveLength(2)
  const shown = await opened.ask('GET', `/v1/keys/${idOf(key)}`)
  expect(shown.json.lastUsedAt).toBe('2027-02-10T10:01:01.500Z')
})

test('a deleted key is refused at once where it was deleted, and within 10 s everywhere else', async () => {
  const made = journal()
  const here = await openApi({}, made)
  const there = await openApi({}, made)
  const key = await here.makeKey('admin', ['*'])
  expect([await isOpen(here, key), await isOpen(there, key)]).toEqual([true, true])
  await here.ask('DELETE', `/v1/keys/${idOf(key)}`)
  expect(await isOpen(here, key)).toBe(false)
  made.advance(9.9)
  expect(await isOpen(there, key)).toBe(false)
})

test('an unknown id, a wrong secret and a text that is no key have the same answer', async () => {
  const opened = await openApi()
  const other = newKeyText({ entropy: (count) => new Uint8Array(count).fill(7) })
  const wrongSecret = `tkr_${idOf(opened.admin)}_${'0'.repeat(43)}`
  const said = async (key: string) => {
    const { status, json, headers } = await opened.ask('GET', '/v1/me', { key })
    return { status, json: { ...json, requestId: '' }, headers: { ...headers, 'x-request-id': '' } }
  }
  const first = await said(other)
  expect(first).toMatchObject({
    status: 401,
    json: { code: 'unauthorized' },
    headers: { 'www-authenticate': 'Bearer' },
  })
  for (const key of [wrongSecret, 'default_token', `${opened.admin}x`, opened.admin.toUpperCase()]) {
    expect(await said(key), key).toEqual(first)
  }
})

test('an unknown id takes as much work as a wrong secret', () => {
  const key: StoredKey = {
    ...{ id: 'k1234567', name: 'k', role: 'viewer', namespaces: ['a'], createdAtMs: 0, lastUsedAtMs: null },
    ...{ digest: '0'.repeat(64), previous: null, expiresAt: null },
  }
  const medianOf = (of: StoredKey | null) => {
    const times = Array.from({ length: 2001 }, () => {
      const start = performance.now()
      opens(of, '1'.repeat(43), 0)
      return performance.now() - start
    })
    return times.toSorted((a, b) => a - b)[1000]
  }
  medianOf(key)
  medianOf(null)
  const ratio = medianOf(null) / medianOf(key)
  expect(ratio).toBeGreaterThan(0.4)
  expect(ratio).toBeLessThan(2.5)
})

test.each([
  '',
  'Bearer',
  'Bearer ',
  'Bearer  ',
  'Bearer null',
  'Bearer undefined',
  'Bearer tkr__',
  'Basic YWRtaW46YWRtaW4=',
])('an Authorization of %j opens nothing', async (authorization) => {
  const opened = await openApi()
  const answer = await opened.ask('GET', '/v1/jobs', { key: null, headers: { authorization } })
  expect(answer.status).toBe(401)
})

test('where there is no key at all everything is closed, whatever is sent', async () => {
  const made = journal()
  const opened = await openApi({}, made)
  const ring = await made.world.apiKeys.all()
  const { digest, ...rest } = ring.keys[0]
  const audit = (await made.world.audit.ofDay('*', Math.floor(opened.nowMs() / 86_400_000), 0, opened.nowMs()))[0]
  await made.world.apiKeys.write({ remove: rest.id }, ring.revision, audit)
  for (const key of [null, '', 'admin', 'default_token', `tkr_${rest.id}_`, `tkr_${rest.id}_${digest.slice(0, 43)}`]) {
    expect((await opened.ask('GET', '/v1/jobs', { key })).status, String(key)).toBe(401)
  }
})

test.each(['', ' ', 'default', 'default_token', 'admin', 'tkr_', 'tkr_admin_admin', `tkr_abcdef_${'x'.repeat(42)}`])(
  'an installation whose admin key is %j does not start, and makes no key',
  async (text) => {
    const made = journal()
    const { world } = await openApi({}, made)
    made.writes.length = 0
    await expect(installAdminKey(world, text, SYSTEM)).rejects.toThrow('not a key of Tickring')
    expect(made.writes).toEqual([])
  },
)

test('without its environment the function answers nothing', async () => {
  await expect(import('../../../functions/lambda/api.ts')).rejects.toThrow('is not set')
})

const ROOT = new URL('../../../', import.meta.url).pathname

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (['node_modules', '.git', 'cdk.out', 'coverage', 'dist', '.tickring'].includes(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else if (entry.isFile()) yield path
  }
}

test('no key stands in the tree that would open an installation', () => {
  const found = [...files(ROOT)].filter((path) =>
    /tkr_[0-9A-Za-z]{6,16}_[0-9A-Za-z]{43}/.test(readFileSync(path, 'utf8')),
  )
  expect(found).toEqual([])
})

test('two keys made one after another share neither id nor secret', async () => {
  const { ask: asked } = await openApi()
  const [a, b] = [
    await asked('POST', '/v1/keys', { body: wish('a') }),
    await asked('POST', '/v1/keys', { body: wish('a') }),
  ]
  expect(a.json.secret).toMatch(/^tkr_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/)
  expect(a.json.id).not.toBe(b.json.id)
  expect(a.json.secret.split('_')[2]).not.toBe(b.json.secret.split('_')[2])
})

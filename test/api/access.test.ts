// The matrix of tenants: every route, asked by every kind of caller about every kind of namespace. What is expected comes from a policy
// that this test has for itself, so that a route cannot be forgotten.

import { expect, test } from 'vitest'
import { ROUTES } from '../../functions/http/routes.ts'
import { type OpenedApi, openApi } from '../support/api/open-api.ts'
import { Fixtures, type Line, POLICY, tenantsIn } from './access/policy.ts'

const LADDER = ['viewer', 'operator', 'editor', 'admin'] as const
const CALLERS = [...LADDER, 'worker', 'no key', 'expired key', 'deleted key'] as const
type CallerKind = (typeof CALLERS)[number]

/** The key of a caller reaches billing and cust-*. Names that only resemble those are foreign. */
const REACH = ['billing', 'cust-*']
const OWN = ['billing', 'cust-7']
const FOREIGN = ['acme', 'billing-2', 'cust', 'bill']
const NAMESPACES = [...OWN, ...FOREIGN, 'shared']

test('every route has a line in the policy, and every line has a route with that name and least role', () => {
  const routes = ROUTES.map(({ method, path, operationId, access }) => [`${method} ${path}`, operationId, access])
  const lines = Object.entries(POLICY).map(([place, { operationId, least }]) => [place, operationId, least])
  expect(routes.toSorted()).toEqual(lines.toSorted())
})

function hasRole(caller: CallerKind, { least }: Line): boolean {
  if (least === 'any key') return true
  const ladder: readonly string[] = LADDER
  return ladder.includes(caller) && ladder.indexOf(caller) >= ladder.indexOf(least)
}

function expectedOf(line: Line, caller: CallerKind, namespace: string): number {
  if (line.least === 'open') return line.ok
  if (['no key', 'expired key', 'deleted key'].includes(caller)) return 401
  const isOwn = OWN.includes(namespace) || (namespace === 'shared' && line.isSharedReadable === true)
  if (line.tenantIn === 'path' && !isOwn) return 404
  if (!hasRole(caller, line)) return 403
  if (isOwn || ['nowhere', 'list', 'items'].includes(line.tenantIn)) return line.ok
  return line.tenantIn === 'wish' ? 403 : 404
}

async function keysOf({ makeKey, ask, nowMs }: OpenedApi): Promise<Record<CallerKind, string | null>> {
  const ended = await makeKey('admin', REACH, { expiresAt: Math.floor(nowMs() / 1000) })
  const deleted = await makeKey('admin', REACH)
  await ask('DELETE', `/v1/keys/${deleted.split('_')[1]}`)
  return {
    viewer: await makeKey('viewer', REACH),
    operator: await makeKey('operator', REACH),
    editor: await makeKey('editor', REACH),
    admin: await makeKey('admin', REACH),
    worker: await makeKey('worker', REACH),
    'no key': null,
    'expired key': ended,
    'deleted key': deleted,
  }
}

const DOCS = { docs: () => ({ type: 'text/html', content: '<!doctype html>' }) }

test.each(Object.entries(POLICY))(
  '%s answers each role about each namespace as the policy says',
  async (place, line) => {
    const opened = await openApi(DOCS)
    const fixtures = new Fixtures(opened)
    const keys = await keysOf(opened)
    const [method] = place.split(' ')
    for (const namespace of NAMESPACES) {
      for (const caller of CALLERS) {
        const { path, body } = await line.request(fixtures, namespace)
        const answer = await opened.ask(method, path, { key: keys[caller], ...(body === undefined ? {} : { body }) })
        const expected = expectedOf(line, caller, namespace)
        expect(answer.status, `${place} by ${caller} about ${namespace}: ${answer.text}`).toBe(expected)
        if (line.tenantIn === 'items' && expected === 200) {
          const ofItem = answer.json.results[0].status
          expect(ofItem, `an item about ${namespace} by ${caller}`).toBe(OWN.includes(namespace) ? 200 : 404)
        }
        if (line.tenantIn === 'list' && expected === 200) {
          const foreign = FOREIGN.filter((each) => new RegExp(`"${each}["/]`).test(tenantsIn(answer)))
          expect(foreign, `${place} by ${caller} about ${namespace}`).toEqual([])
        }
      }
    }
  },
)

test('a list about a namespace of its own shows what is there, so that an empty list about a foreign one means something', async () => {
  const opened = await openApi()
  const fixtures = new Fixtures(opened)
  const key = await opened.makeKey('admin', REACH)
  for (const [place, line] of Object.entries(POLICY).filter(([, { tenantIn }]) => tenantIn === 'list')) {
    for (const namespace of OWN) {
      const { path } = await line.request(fixtures, namespace)
      const { json } = await opened.ask('GET', path, { key })
      expect(json.items.length, place).toBeGreaterThan(0)
    }
    const { path } = await line.request(fixtures, 'acme')
    const { json } = await opened.ask('GET', path, { key })
    const isOfAll = !path.includes('namespace=')
    if (!isOfAll) expect(json.items, place).toEqual([])
    expect((await opened.ask('GET', path)).text, place).toContain('acme')
  }
})

test('HEAD is refused as GET is, without a body', async () => {
  const opened = await openApi()
  const fixtures = new Fixtures(opened)
  const keys = await keysOf(opened)
  for (const [place, line] of Object.entries(POLICY).filter(([each]) => each.startsWith('GET /v1'))) {
    for (const [caller, namespace] of [
      ['no key', 'billing'],
      ['worker', 'billing'],
      ['viewer', 'acme'],
    ] as const) {
      const { path } = await line.request(fixtures, namespace)
      const { status, text } = await opened.ask('HEAD', path, { key: keys[caller] })
      expect(status, `HEAD of ${place} by ${caller}`).toBe(expectedOf(line, caller, namespace))
      expect(text).toBe('')
    }
  }
})

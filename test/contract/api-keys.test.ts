import { expect, test } from 'vitest'
import { digestOf, leavesAnAdmin, type StoredKey } from '../../shared/core/access/key.ts'
import { NO_NAMESPACE } from '../../shared/core/audit-entry.ts'
import { inEachBackend } from '../support/backends/backends.ts'
import { auditOf } from '../support/put-document.ts'

const AT_MS = 1_790_000_000_000
const DAY = Math.floor(AT_MS / 86_400_000)

const keyOf = (id: string, part: Partial<StoredKey> = {}): StoredKey => ({
  id,
  name: `key-${id.toLowerCase()}`,
  role: 'admin',
  namespaces: ['*'],
  digest: digestOf(id),
  previous: null,
  createdAtMs: AT_MS,
  expiresAt: null,
  lastUsedAtMs: null,
  ...part,
})

let entries = 0
const audit = (id: string) => {
  entries += 1
  const action = 'key.create' as const
  return { ...auditOf(id, AT_MS), id: `e${entries}`, namespace: NO_NAMESPACE, action }
}

inEachBackend('a key of the API', (make) => {
  test('is read as it was put, and taken away', async () => {
    const { apiKeys } = await make()
    expect(await apiKeys.read('AAAAAA')).toBeNull()
    expect(await apiKeys.all()).toEqual({ keys: [], revision: 0 })
    const key = keyOf('AAAAAA', { previous: { digest: digestOf('old'), until: 5 }, expiresAt: 9, namespaces: ['a-*'] })
    expect(await apiKeys.write({ put: key }, 0, audit('AAAAAA'))).toBe(true)
    expect(await apiKeys.read('AAAAAA')).toEqual(key)
    expect(await apiKeys.all()).toEqual({ keys: [key], revision: 1 })
    expect(await apiKeys.write({ remove: 'AAAAAA' }, 1, audit('AAAAAA'))).toBe(true)
    expect(await apiKeys.read('AAAAAA')).toBeNull()
    expect(await apiKeys.all()).toEqual({ keys: [], revision: 2 })
  })

  test('is changed only by an admin who saw all keys as they are', async () => {
    const world = await make()
    const { apiKeys } = world
    await apiKeys.write({ put: keyOf('AAAAAA') }, 0, audit('AAAAAA'))
    expect(await apiKeys.write({ put: keyOf('BBBBBB') }, 0, audit('BBBBBB'))).toBe(false)
    expect(await apiKeys.read('BBBBBB')).toBeNull()
    expect(await world.audit.ofDay(NO_NAMESPACE, DAY, AT_MS, AT_MS)).toHaveLength(1)
  })

  test('that is one of the last two admins cannot go together with the other', async () => {
    const world = await make()
    await world.apiKeys.write({ put: keyOf('AAAAAA') }, 0, audit('AAAAAA'))
    await world.apiKeys.write({ put: keyOf('BBBBBB') }, 1, audit('BBBBBB'))
    const removals = await Promise.all(
      ['AAAAAA', 'BBBBBB'].map(async (id) => {
        const { apiKeys } = world.again()
        const { keys, revision } = await apiKeys.all()
        return leavesAnAdmin(keys, id) && apiKeys.write({ remove: id }, revision, audit(id))
      }),
    )
    expect(removals.filter((isDone) => isDone)).toHaveLength(1)
    expect((await world.apiKeys.all()).keys).toHaveLength(1)
  })

  test('notes when it was used, and does not come back by that', async () => {
    const { apiKeys } = await make()
    await apiKeys.write({ put: keyOf('AAAAAA') }, 0, audit('AAAAAA'))
    await apiKeys.touch('AAAAAA', AT_MS + 5)
    expect(await apiKeys.read('AAAAAA')).toEqual(keyOf('AAAAAA', { lastUsedAtMs: AT_MS + 5 }))
    await apiKeys.write({ remove: 'AAAAAA' }, 1, audit('AAAAAA'))
    await apiKeys.touch('AAAAAA', AT_MS + 6)
    expect(await apiKeys.read('AAAAAA')).toBeNull()
  })
})

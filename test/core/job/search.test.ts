import { describe, expect, test } from 'vitest'
import { type Searchable, searchJobs } from '../../../shared/core/job/search.ts'

const job = (
  name: string,
  part: Partial<Searchable> & { tags?: Record<string, string>; description?: string } = {},
) => {
  const { tags = {}, description = '', ...rest } = part
  const definition = { namespace: 'default', name, description, tags }
  return { id: `id-${name}`, definition, status: 'RUNNING', updatedAt: 0, ...rest } satisfies Searchable
}

const JOBS: Searchable[] = [
  job('b', { updatedAt: 3, tags: { team: 'billing' } }),
  job('a', { updatedAt: 5, description: 'Sends the REPORT' }),
  job('c', { updatedAt: 4, status: 'STOPPED', tags: { team: 'search', tier: '1' } }),
  job('d', { status: 'DELETED' }),
]
const names = (query: Parameters<typeof searchJobs>[1], jobs = JOBS) =>
  searchJobs(jobs, query).items.map(({ definition }) => definition.name)

describe('a search', () => {
  test('shows what is not deleted, by name', () => {
    expect(names({})).toEqual(['a', 'b', 'c'])
  })

  test('filters by namespace, status, tag and text', () => {
    expect(names({ namespace: 'other' })).toEqual([])
    expect(names({ status: 'STOPPED' })).toEqual(['c'])
    expect(names({ tag: 'team' })).toEqual(['b', 'c'])
    expect(names({ tag: 'team:billing' })).toEqual(['b'])
    expect(names({ tag: 'toString' })).toEqual([])
    expect(names({ q: 'report' })).toEqual(['a'])
    expect(names({ q: 'DEFAULT/B' })).toEqual(['b'])
  })

  test('sorts either way by name and by time', () => {
    expect(names({ sort: '-name' })).toEqual(['c', 'b', 'a'])
    expect(names({ sort: 'updated' })).toEqual(['b', 'c', 'a'])
    expect(names({ sort: '-updated' })).toEqual(['a', 'c', 'b'])
  })

  test('goes on where the page before ended, also between jobs of one second', () => {
    const many = Array.from({ length: 250 }, (_, n) => job(`j${String(n).padStart(3, '0')}`))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = searchJobs(many, { sort: '-updated', limit: 500, ...(cursor === undefined ? {} : { cursor }) })
      expect(page.items.length).toBeLessThanOrEqual(100)
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(many.map(({ id }) => id).reverse())
  })

  test('counts all that match, by namespace, status and tag', () => {
    const { facets, total } = searchJobs(JOBS, { limit: 1 })
    expect(total).toBe(3)
    expect(facets).toEqual({
      namespaces: { default: 3 },
      statuses: { RUNNING: 2, STOPPED: 1 },
      tags: { 'team:billing': 1, 'team:search': 1, 'tier:1': 1 },
    })
  })

  test.each(['nonsense', '%', '[1]', '{}', '["a",1]', '[null,"a"]'])('refuses %s as a cursor', (cursor) => {
    expect(() => searchJobs(JOBS, { cursor })).toThrow('is not a cursor')
  })
})

import { describe, expect, test } from 'vitest'
import type { Position } from '../../../shared/core/job/first-few.ts'
import { type JobQuery, JobSearch, matcherOf } from '../../../shared/core/job/search.ts'
import { SearchedJob } from '../../../shared/core/job/searched-job.ts'
import type { StoredJob } from '../../../shared/core/job/stored.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import { stopOf, storedJob } from '../../support/stored-job.ts'

const NOW = 2000

interface SearchFacts {
  readonly next?: number
  readonly failedMs?: number
}

function found(job: StoredJob, { next = NEVER, failedMs }: SearchFacts = {}): SearchedJob {
  const searched = new SearchedJob(job, { lastOf: () => failedMs ?? null })
  searched.next = () => next
  return searched
}

const job = (name: string, part: object = {}, more: Partial<StoredJob> = {}, asked: SearchFacts = {}) =>
  found({ ...storedJob(name, part), ...more }, asked)

const stopped = (name: string, until: number | null, asked: SearchFacts = {}) =>
  found(storedJob(name, {}, { status: 'STOPPED', stopped: stopOf({ until }) }), asked)

const billing = { tags: { team: 'billing', x: '1=1' } }
const JOBS: readonly SearchedJob[] = [
  job('b', billing, { updatedAtMs: 3, managedBy: 'code' }, { next: 2050, failedMs: 900 }),
  job('a', { description: 'Sends the REPORT', namespace: 'other' }, { updatedAtMs: 5 }, { next: 2010 }),
  stopped('c', null, { failedMs: 1900 }),
  found(storedJob('d', {}, { status: 'DELETED' })),
]

const ALL: JobQuery = { sort: 'name', isReversed: false, limit: 100, after: null, facets: [], sees: () => true }

function search(query: Partial<JobQuery>, jobs = JOBS) {
  const search = new JobSearch({ ...ALL, ...query }, NOW)
  for (const each of jobs) search.offer(each)
  return search.page()
}

const names = (query: Partial<JobQuery>, jobs = JOBS) =>
  search(query, jobs).items.map(({ job: { definition } }) => definition.name)

describe('a search', () => {
  test('shows what is not deleted, by namespace and name', () => {
    expect(names({})).toEqual(['b', 'c', 'a'])
  })

  test('shows only namespaces that the asker sees', () => {
    expect(names({ sees: (namespace) => namespace === 'other' })).toEqual(['a'])
  })

  test.each<[string, Partial<JobQuery>, string[]]>([
    ['namespace', { namespace: 'other' }, ['a']],
    ['status', { statuses: ['STOPPED'] }, ['c']],
    ['one of two statuses', { statuses: ['STOPPED', 'RUNNING'] }, ['b', 'c', 'a']],
    ['a tag with any value', { tags: [{ key: 'team', value: null }] }, ['b']],
    ['a tag with its value', { tags: [{ key: 'team', value: 'billing' }] }, ['b']],
    ['a tag with another value', { tags: [{ key: 'team', value: 'search' }] }, []],
    [
      'one tag of two that has another value',
      { tags: ['billing', 'none'].map((value) => ({ key: 'team', value })) },
      [],
    ],
    ['what is no key but reads like a tag and its value', { tags: [{ key: 'team=billing\r', value: null }] }, []],
    ['what is no key but begins like a tag', { tags: [{ key: 'x=1', value: null }] }, []],
    ['a tag that every object has', { tags: [{ key: 'toString', value: null }] }, []],
    ['text in a description', { q: 'report' }, ['a']],
    ['text in a name', { q: 'DEFAULT/B' }, ['b']],
    ['type of target', { target: { type: 'handler', name: null } }, ['b', 'c', 'a']],
    ['target', { target: { type: 'handler', name: 'other' } }, []],
    ['type of target that none has', { target: { type: 'sqs', name: null } }, []],
    ['owner', { managedBy: 'code' }, ['b']],
    ['no owner', { managedBy: null }, ['c', 'a']],
    ['failure since a time', { failedSinceMs: 1000 }, ['c']],
    ['full name', { fullName: 'default/b' }, ['b']],
    ['id', { id: JOBS[0].job.id }, ['b']],
  ])('filters by %s', (_, query, expected) => {
    expect(names(query)).toEqual(expected)
  })

  test('tells one-time jobs from others, and jobs that only others start from both', () => {
    const jobs = [
      job('once', { schedules: [{ at: '2030-01-01T00:00:00Z' }] }),
      job('often'),
      job('called', { schedules: [] }),
    ]
    expect(names({ isOnce: true }, jobs)).toEqual(['once'])
    expect(names({ isOnce: false }, jobs)).toEqual(['called', 'often'])
  })

  test('takes a job whose stop has come to its end as running', () => {
    const jobs = [stopped('over', NOW), stopped('not-over', NOW + 1)]
    expect(names({ statuses: ['RUNNING'] }, jobs)).toEqual(['over'])
  })

  test.each<[string, object, string]>([
    ['http', { url: 'https://example.org/a' }, 'https://example.org/a'],
    ['lambda', { function: 'f' }, 'f'],
    ['sqs', { queue: 'q' }, 'q'],
    ['event', { bus: 'b', source: 's', detailType: 't' }, 'b'],
    ['group', { group: 'g', handler: 'h' }, 'g'],
  ])('finds a target of type %s by its name', (type, target, name) => {
    const jobs = [job('it', { target: { type, ...target } })]
    expect(names({ target: { type, name } }, jobs)).toEqual(['it'])
  })

  test('sorts either way, and what has nothing to be sorted by comes last either way', () => {
    expect(names({ isReversed: true })).toEqual(['a', 'c', 'b'])
    expect(names({ sort: 'updated' })).toEqual(['b', 'a', 'c'])
    expect(names({ sort: 'next' })).toEqual(['a', 'b', 'c'])
    expect(names({ sort: 'next', isReversed: true })).toEqual(['b', 'a', 'c'])
    expect(names({ sort: 'lastFailure', isReversed: true })).toEqual(['c', 'b', 'a'])
  })

  test.each(['updated', 'next'] as const)('goes on where the page before ended, by %s, each job once', (sort) => {
    const many = Array.from({ length: 250 }, (_, n) => {
      const next = n % 5 === 0 ? NEVER : NOW + (n % 7)
      return job(`j${n}`, {}, { updatedAtMs: n % 3 }, { next })
    })
    const seen: string[] = []
    let after: Position | null = null
    do {
      const page = search({ sort, isReversed: true, limit: 40, after }, many)
      expect(page.items.length).toBeLessThanOrEqual(40)
      seen.push(...page.items.map((each) => each.job.id))
      after = page.next
    } while (after !== null)
    expect(seen).toHaveLength(250)
    expect(seen).toEqual(search({ sort, isReversed: true, limit: 1000 }, many).items.map((each) => each.job.id))
  })

  test('counts all that match, by what it was asked to, and not only its page', () => {
    const { facets, total } = search({ limit: 1, facets: ['namespace', 'status', 'target', 'managedBy', 'tag'] })
    expect(total).toBe(3)
    expect(facets).toEqual({
      counts: {
        namespace: { default: 2, other: 1 },
        status: { RUNNING: 2, STOPPED: 1 },
        target: { handler: 3 },
        managedBy: { none: 2, code: 1 },
      },
      tag: { team: { billing: 1 }, x: { '1=1': 1 } },
      truncated: [],
    })
    expect(search({ facets: ['status'] }).facets?.tag).toBeNull()
    expect(search({}).facets).toBeNull()
  })

  test('names at most fifty values a list, the most frequent first, and says which lists it cut', () => {
    const many = Array.from({ length: 120 }, (_, n) =>
      job(`j${n}`, { tags: { customer: `c-${Math.max(n, 60)}`, [`k${n % 60}`]: 'x' } }),
    )
    const { facets } = search({ facets: ['tag'] }, many)
    const { customer = {}, ...others } = facets?.tag ?? {}
    expect(Object.keys(customer)).toHaveLength(50)
    expect(Object.entries(customer)[0]).toEqual(['c-60', 61])
    expect(Object.keys(others)).toHaveLength(49)
    expect(facets?.truncated).toEqual(['tag', 'tag.customer'])
  })
})

test('a filter alone says of each job whether it is meant', () => {
  const isWanted = matcherOf({ sees: () => true, q: 'b' }, NOW)
  expect(JOBS.filter(isWanted)).toEqual([JOBS[0]])
})

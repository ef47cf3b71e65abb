// Finding jobs: filters, order, pages and counts over whatever jobs are at hand.

import { InputError } from '../errors.ts'
import type { Job } from './job.ts'
import type { VersionStatus } from './version.ts'

export interface Searchable {
  readonly id: string
  readonly definition: Pick<Job, 'namespace' | 'name' | 'description' | 'tags'>
  readonly status: VersionStatus
  readonly updatedAt: number
}

export const SORTS = ['name', '-name', 'updated', '-updated'] as const
export type Sort = (typeof SORTS)[number]

export interface JobQuery {
  readonly namespace?: string
  readonly status?: 'RUNNING' | 'STOPPED'
  /** "team" or "team:billing". */
  readonly tag?: string
  /** Part of a name or description, in any case of letters. */
  readonly q?: string
  readonly sort?: Sort
  readonly limit?: number
  readonly cursor?: string
}

export interface Facets {
  readonly namespaces: Readonly<Record<string, number>>
  readonly statuses: Readonly<Record<string, number>>
  readonly tags: Readonly<Record<string, number>>
}

export interface JobPage<Found> {
  readonly items: readonly Found[]
  readonly next: string | null
  readonly total: number
  /** Of all that match, not only of this page. */
  readonly facets: Facets
}

const MOST_ITEMS = 100

export function searchJobs<Found extends Searchable>(jobs: Iterable<Found>, query: JobQuery): JobPage<Found> {
  const { sort = 'name', limit = MOST_ITEMS } = query
  const matching = [...jobs].filter((job) => matches(job, query))
  const keyed = matching.map((job) => ({ job, key: sortKeyOf(job, sort) })).sort((a, b) => compare(a.key, b.key, sort))
  const after = query.cursor === undefined ? null : readCursor(query.cursor)
  const rest = after === null ? keyed : keyed.filter(({ key }) => compare(key, after, sort) > 0)
  const page = rest.slice(0, Math.min(limit, MOST_ITEMS))
  const hasMore = rest.length > page.length
  return {
    items: page.map(({ job }) => job),
    next: hasMore ? writeCursor(page[page.length - 1].key) : null,
    total: matching.length,
    facets: facetsOf(matching),
  }
}

function matches({ definition, status }: Searchable, { namespace, status: wanted, tag, q }: JobQuery): boolean {
  const { tags, name, description } = definition
  const [key, value] = tag?.split(/:(.*)/s) ?? []
  const hasTag = key === undefined || (Object.hasOwn(tags, key) && (value === undefined || tags[key] === value))
  const text = `${definition.namespace}/${name}\n${description}`.toLowerCase()
  return (
    status !== 'DELETED' &&
    (namespace === undefined || definition.namespace === namespace) &&
    (wanted === undefined || status === wanted) &&
    hasTag &&
    (q === undefined || text.includes(q.toLowerCase()))
  )
}

type SortKey = readonly [first: string | number, id: string]

const nameOf = ({ definition }: Searchable): string => `${definition.namespace}/${definition.name}`

const sortKeyOf = (job: Searchable, sort: Sort): SortKey => [
  sort === 'name' || sort === '-name' ? nameOf(job) : job.updatedAt,
  job.id,
]

function compare(a: SortKey, b: SortKey, sort: Sort): number {
  const order = compareParts(a[0], b[0]) || compareParts(a[1], b[1])
  return sort.startsWith('-') ? -order : order
}

const compareParts = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0)

const writeCursor = (key: SortKey): string => encodeURIComponent(JSON.stringify(key))

function readCursor(cursor: string): SortKey {
  try {
    const [first, id]: unknown[] = JSON.parse(decodeURIComponent(cursor))
    if ((typeof first === 'string' || typeof first === 'number') && typeof id === 'string') return [first, id]
  } catch {
    // Said below.
  }
  const problem = 'is not a cursor'
  const remedy = 'Use the value of next from the answer before, or leave it out'
  throw new InputError({ code: 'search.cursor', field: 'cursor', value: cursor, problem, remedy })
}

function facetsOf(jobs: readonly Searchable[]): Facets {
  return {
    namespaces: countBy(jobs.map(({ definition }) => definition.namespace)),
    statuses: countBy(jobs.map(({ status }) => status)),
    tags: countBy(jobs.flatMap(({ definition }) => Object.entries(definition.tags).map((tag) => tag.join(':')))),
  }
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => compareParts(a, b)))
}

// Finding jobs: filters, order, pages and counts over whatever jobs are at hand.

import { NEVER } from '../time/instants.ts'
import type { Job } from './job.ts'
import { type StoredJob, statusAt } from './stored.ts'

/** A job as search sees it. What costs to know is asked only where a query needs it. */
export interface Searchable {
  readonly job: StoredJob
  /** The next second from now on at which it starts, or NEVER. */
  next(now: number): number
  /** When it last failed in the days that are looked at, or null. */
  lastFailureMs(): number | null
}

export const SORTS = ['name', 'updated', 'next', 'lastFailure'] as const
export type Sort = (typeof SORTS)[number]

export const FACETS = ['namespace', 'status', 'tag', 'target', 'managedBy'] as const
export type Facet = (typeof FACETS)[number]

export interface TagWish {
  readonly key: string
  /** Null where any value will do. */
  readonly value: string | null
}

export interface JobFilter {
  /** Which namespaces may be seen at all. */
  readonly sees: (namespace: string) => boolean
  readonly namespace?: string | undefined
  readonly statuses?: readonly string[] | undefined
  /** All of them must match. */
  readonly tags?: readonly TagWish[] | undefined
  /** Part of a name or description, in any case of letters. */
  readonly q?: string | undefined
  readonly target?: { readonly type: string; readonly name: string | null } | undefined
  /** Null for jobs that nothing manages. */
  readonly managedBy?: string | null | undefined
  readonly isOnce?: boolean | undefined
  readonly failedSinceMs?: number | undefined
  /** "namespace/name". */
  readonly fullName?: string | undefined
  readonly id?: string | undefined
}

/** Where a page ended. Null as first part stands for a job that has nothing to be sorted by. */
export type Position = readonly [first: string | number | null, id: string]

export interface JobQuery extends JobFilter {
  readonly sort: Sort
  readonly isReversed: boolean
  readonly limit: number
  readonly after: Position | null
  readonly facets: readonly Facet[]
}

type Counts = Readonly<Record<string, number>>

export interface Facets {
  readonly counts: Readonly<Partial<Record<Exclude<Facet, 'tag'>, Counts>>>
  readonly tag: Readonly<Record<string, Counts>> | null
  /** The lists that were cut. */
  readonly truncated: readonly string[]
}

export interface JobPage<Found> {
  readonly items: readonly Found[]
  readonly next: Position | null
  readonly total: number
  /** Of all that match, not only of this page; null where none were asked for. */
  readonly facets: Facets | null
}

export function searchJobs<Found extends Searchable>(
  jobs: Iterable<Found>,
  query: JobQuery,
  now: number,
): JobPage<Found> {
  const matching: Found[] = []
  const isWanted = matcherOf(query, now)
  for (const job of jobs) if (isWanted(job)) matching.push(job)
  const order = (a: Position, b: Position) => compare(a, b, query.isReversed)
  const page = new FirstFew<Found>(query.limit + 1, order)
  for (const found of matching) {
    const position = positionOf(found, query.sort, now)
    if (query.after === null || order(position, query.after) > 0) page.offer(position, found)
  }
  const items = page.items.slice(0, query.limit)
  return {
    items: items.map(({ item }) => item),
    next: page.items.length > query.limit ? items[items.length - 1].position : null,
    total: matching.length,
    facets: query.facets.length === 0 ? null : facetsOf(matching, query.facets, now),
  }
}

export function matcherOf(filter: JobFilter, now: number): (found: Searchable) => boolean {
  const q = filter.q?.toLowerCase()
  return (found) => {
    const { definition, managedBy, id } = found.job
    const { namespace, name, tags, target } = definition
    const status = statusAt(found.job, now)
    return (
      status !== 'DELETED' &&
      filter.sees(namespace) &&
      (filter.namespace === undefined || namespace === filter.namespace) &&
      (filter.id === undefined || id === filter.id) &&
      (filter.fullName === undefined || `${namespace}/${name}` === filter.fullName) &&
      (filter.statuses === undefined || filter.statuses.includes(status)) &&
      (filter.managedBy === undefined || managedBy === filter.managedBy) &&
      (filter.isOnce === undefined || isOneTime(definition) === filter.isOnce) &&
      (filter.tags ?? []).every(
        ({ key, value }) => Object.hasOwn(tags, key) && (value === null || tags[key] === value),
      ) &&
      (filter.target === undefined ||
        (target.type === filter.target.type &&
          (filter.target.name === null || targetName(target) === filter.target.name))) &&
      (q === undefined || `${namespace}/${name}\n${definition.description}`.toLowerCase().includes(q)) &&
      (filter.failedSinceMs === undefined ||
        (found.lastFailureMs() ?? Number.NEGATIVE_INFINITY) >= filter.failedSinceMs)
    )
  }
}

const isOneTime = ({ schedules, template }: Job): boolean =>
  template === null && schedules.length > 0 && schedules.every((schedule) => 'at' in schedule)

/** By what a target is told from others of its type. */
function targetName(target: Job['target']): string {
  switch (target.type) {
    case 'handler':
      return target.handler
    case 'http':
      return target.url
    case 'lambda':
      return target.function
    case 'sqs':
      return target.queue
    case 'event':
      return target.bus
    case 'group':
      return target.group
  }
}

function positionOf(found: Searchable, sort: Sort, now: number): Position {
  const { id, definition, updatedAtMs } = found.job
  switch (sort) {
    case 'name':
      return [`${definition.namespace}/${definition.name}`, id]
    case 'updated':
      return [updatedAtMs, id]
    case 'next': {
      const next = found.next(now)
      return [next === NEVER ? null : next, id]
    }
    case 'lastFailure':
      return [found.lastFailureMs(), id]
  }
}

const compareParts = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0)

/** Jobs without what is sorted by come last, whatever the direction. */
function compare([a, idA]: Position, [b, idB]: Position, isReversed: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null) || compareParts(idA, idB)
  const order = compareParts(a, b) || compareParts(idA, idB)
  return isReversed ? -order : order
}

/** The first few of many in some order, without sorting all of them. */
class FirstFew<Item> {
  readonly items: { readonly position: Position; readonly item: Item }[] = []
  readonly #most: number
  readonly #order: (a: Position, b: Position) => number

  constructor(most: number, order: (a: Position, b: Position) => number) {
    this.#most = most
    this.#order = order
  }

  offer(position: Position, item: Item): void {
    const { items } = this
    const isFull = items.length === this.#most
    if (isFull && this.#order(position, items[items.length - 1].position) >= 0) return
    if (isFull) items.pop()
    let [low, high] = [0, items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#order(items[middle].position, position) < 0) low = middle + 1
      else high = middle
    }
    items.splice(low, 0, { position, item })
  }
}

const MOST_VALUES = 50

function facetsOf(found: readonly Searchable[], wanted: readonly Facet[], now: number): Facets {
  const truncated: string[] = []
  const readers: Record<Exclude<Facet, 'tag'>, (each: Searchable) => string> = {
    namespace: ({ job }) => job.definition.namespace,
    status: ({ job }) => statusAt(job, now),
    target: ({ job }) => job.definition.target.type,
    managedBy: ({ job }) => job.managedBy ?? 'none',
  }
  const cut = (name: string, counts: ReadonlyMap<string, number>): Counts => {
    const most = [...counts].sort(([a, countA], [b, countB]) => countB - countA || compareParts(a, b))
    if (most.length > MOST_VALUES) truncated.push(name)
    return Object.fromEntries(most.slice(0, MOST_VALUES))
  }
  const simple = wanted.filter((facet) => facet !== 'tag')
  return {
    counts: Object.fromEntries(simple.map((facet) => [facet, cut(facet, countBy(found.map(readers[facet])))])),
    tag: wanted.includes('tag') ? tagCounts(found, cut, truncated) : null,
    truncated,
  }
}

function tagCounts(
  found: readonly Searchable[],
  cut: (name: string, counts: ReadonlyMap<string, number>) => Counts,
  truncated: string[],
): Record<string, Counts> {
  const byKey = new Map<string, string[]>()
  for (const { job } of found) {
    for (const [key, value] of Object.entries(job.definition.tags)) {
      const values = byKey.get(key)
      if (values === undefined) byKey.set(key, [value])
      else values.push(value)
    }
  }
  const keys = [...byKey].sort(([a, x], [b, y]) => y.length - x.length || compareParts(a, b))
  if (keys.length > MOST_VALUES) truncated.push('tag')
  return Object.fromEntries(
    keys.slice(0, MOST_VALUES).map(([key, values]) => [key, cut(`tag.${key}`, countBy(values))]),
  )
}

function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

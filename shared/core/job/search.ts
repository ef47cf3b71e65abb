// Finding jobs: filters, order, pages and counts over whatever jobs are at hand, offered one by one.

import { NEVER } from '../time/instants.ts'
import { type Facet, FacetCounts, type Facets } from './facets.ts'
import { FirstFew, type Position } from './first-few.ts'
import { type SearchedJob, tagLine } from './searched-job.ts'

export const SORTS = ['name', 'updated', 'next', 'lastFailure'] as const
export type Sort = (typeof SORTS)[number]

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

export interface JobQuery extends JobFilter {
  readonly sort: Sort
  readonly isReversed: boolean
  readonly limit: number
  /** Where the page before ended. */
  readonly after: Position | null
  readonly facets: readonly Facet[]
}

export interface JobPage {
  readonly items: readonly SearchedJob[]
  readonly next: Position | null
  readonly total: number
  /** Of all that match, not only of this page; null where none were asked for. */
  readonly facets: Facets | null
}

export class JobSearch {
  readonly #query: JobQuery
  readonly #now: number
  readonly #isWanted: (found: SearchedJob) => boolean
  readonly #page: FirstFew<SearchedJob>
  readonly #facets: FacetCounts | null
  #total = 0

  constructor(query: JobQuery, now: number) {
    this.#query = query
    this.#now = now
    this.#isWanted = matcherOf(query, now)
    // One more than is shown tells whether there is a next page.
    this.#page = new FirstFew(query.limit + 1, query.isReversed, query.after)
    this.#facets = query.facets.length === 0 ? null : new FacetCounts(query.facets, now)
  }

  offer(found: SearchedJob): void {
    if (!this.#isWanted(found)) return
    this.#total += 1
    this.#facets?.add(found)
    this.#page.offer([firstPart(found, this.#query.sort, this.#now), found.id], found)
  }

  page(): JobPage {
    const { limit } = this.#query
    const held = this.#page.items
    const items = held.slice(0, limit)
    return {
      items: items.map(({ item }) => item),
      next: held.length > limit ? items[items.length - 1].position : null,
      total: this.#total,
      facets: this.#facets?.facets() ?? null,
    }
  }
}

type Condition = (found: SearchedJob) => boolean

/** Only what is asked for is looked at, and first what most jobs fail: a search asks this of every job there is. */
export function matcherOf(filter: JobFilter, now: number): Condition {
  const conditions = [...conditionsOf(filter, now), ...everyTime(filter, now)]
  return (found) => {
    for (const holds of conditions) if (!holds(found)) return false
    return true
  }
}

function conditionsOf(filter: JobFilter, now: number): Condition[] {
  const { namespace, id, fullName, statuses, managedBy, isOnce, target, failedSinceMs } = filter
  const q = filter.q?.toLowerCase()
  const conditions: Condition[] = []
  if (id !== undefined) conditions.push((found) => found.id === id)
  if (fullName !== undefined) conditions.push((found) => found.fullName === fullName)
  for (const { key, value } of filter.tags ?? []) {
    const line = tagLine(key, value)
    conditions.push((found) => found.tagLines.includes(line) && found.hasTag(key, value))
  }
  if (q !== undefined) conditions.push((found) => found.text.includes(q))
  if (namespace !== undefined) conditions.push((found) => found.namespace === namespace)
  if (statuses !== undefined) conditions.push((found) => statuses.includes(found.statusAt(now)))
  if (managedBy !== undefined) conditions.push((found) => found.managedBy === managedBy)
  if (isOnce !== undefined) conditions.push((found) => found.isOneTime === isOnce)
  if (target !== undefined) {
    const { type, name } = target
    conditions.push((found) => found.targetType === type && (name === null || found.targetName === name))
  }
  if (failedSinceMs !== undefined)
    conditions.push((found) => (found.lastFailureMs() ?? Number.NEGATIVE_INFINITY) >= failedSinceMs)
  return conditions
}

const everyTime = ({ sees }: JobFilter, now: number): Condition[] => {
  const isSeen = askedOnce(sees)
  return [(found) => found.statusAt(now) !== 'DELETED', (found) => isSeen(found.namespace)]
}

/** Many jobs are in few namespaces: each of those is asked about once. */
function askedOnce(sees: JobFilter['sees']): JobFilter['sees'] {
  const known = new Map<string, boolean>()
  return (namespace) => {
    const said = known.get(namespace)
    if (said !== undefined) return said
    const isSeen = sees(namespace)
    known.set(namespace, isSeen)
    return isSeen
  }
}

function firstPart(found: SearchedJob, sort: Sort, now: number): Position[0] {
  switch (sort) {
    case 'name':
      return found.fullName
    case 'updated':
      return found.updatedAtMs
    case 'next': {
      const next = found.next(now)
      return next === NEVER ? null : next
    }
    case 'lastFailure':
      return found.lastFailureMs()
  }
}

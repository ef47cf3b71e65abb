// Counts of jobs by what they have in common, taken job by job. Long lists are cut, and it is said which.

import { compareParts } from './first-few.ts'
import type { SearchedJob } from './searched-job.ts'

export const FACETS = ['namespace', 'status', 'tag', 'target', 'managedBy'] as const
export type Facet = (typeof FACETS)[number]
type PlainFacet = Exclude<Facet, 'tag'>

type Counts = Readonly<Record<string, number>>

export interface Facets {
  readonly counts: Readonly<Partial<Record<PlainFacet, Counts>>>
  readonly tag: Readonly<Record<string, Counts>> | null
  /** The lists that were cut. */
  readonly truncated: readonly string[]
}

const MOST_VALUES = 50

const READERS: Readonly<Record<PlainFacet, (found: SearchedJob, now: number) => string>> = {
  namespace: ({ namespace }) => namespace,
  status: (found, now) => found.statusAt(now),
  target: ({ targetType }) => targetType,
  managedBy: ({ managedBy }) => managedBy ?? 'none',
}

export class FacetCounts {
  readonly #now: number
  readonly #plain: ReadonlyMap<PlainFacet, Map<string, number>>
  readonly #tags: Map<string, TagCounts> | null

  constructor(wanted: readonly Facet[], now: number) {
    this.#now = now
    this.#plain = new Map(wanted.filter((facet) => facet !== 'tag').map((facet) => [facet, new Map()]))
    this.#tags = wanted.includes('tag') ? new Map() : null
  }

  add(found: SearchedJob): void {
    for (const [facet, counts] of this.#plain) countOne(counts, READERS[facet](found, this.#now))
    if (this.#tags === null) return
    for (const [key, value] of Object.entries(found.tags)) {
      const known = this.#tags.get(key)
      const counts = known ?? { jobs: 0, values: new Map() }
      if (known === undefined) this.#tags.set(key, counts)
      counts.jobs += 1
      countOne(counts.values, value)
    }
  }

  facets(): Facets {
    const truncated: string[] = []
    const counts = [...this.#plain].map(([facet, values]) => [facet, cut(facet, values, truncated)])
    return {
      counts: Object.fromEntries(counts),
      tag: this.#tags === null ? null : cutTags(this.#tags, truncated),
      truncated,
    }
  }
}

interface TagCounts {
  jobs: number
  readonly values: Map<string, number>
}

const countOne = (counts: Map<string, number>, value: string): void => {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}

function cut(name: string, counts: ReadonlyMap<string, number>, truncated: string[]): Counts {
  const most = [...counts].sort(([a, countA], [b, countB]) => countB - countA || compareParts(a, b))
  if (most.length > MOST_VALUES) truncated.push(name)
  return Object.fromEntries(most.slice(0, MOST_VALUES))
}

function cutTags(tags: ReadonlyMap<string, TagCounts>, truncated: string[]): Record<string, Counts> {
  const keys = [...tags].sort(([a, x], [b, y]) => y.jobs - x.jobs || compareParts(a, b))
  if (keys.length > MOST_VALUES) truncated.push('tag')
  return Object.fromEntries(
    keys.slice(0, MOST_VALUES).map(([key, { values }]) => [key, cut(`tag.${key}`, values, truncated)]),
  )
}

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

/** How many jobs have each value. */
class Tally {
  readonly counts = new Map<string, { jobs: number }>()

  add(value: string, jobs = 1): void {
    const known = this.counts.get(value)
    if (known === undefined) this.counts.set(value, { jobs })
    else known.jobs += jobs
  }
}

interface TagSet {
  readonly tags: SearchedJob['tags']
  jobs: number
}

export class FacetCounts {
  readonly #now: number
  readonly #plain: readonly { readonly facet: PlainFacet; readonly tally: Tally }[]
  /** By `tagLines`: many jobs have the same tags, which are taken apart once. */
  readonly #tagSets: Map<string, TagSet> | null

  constructor(wanted: readonly Facet[], now: number) {
    this.#now = now
    this.#plain = wanted.filter((facet) => facet !== 'tag').map((facet) => ({ facet, tally: new Tally() }))
    this.#tagSets = wanted.includes('tag') ? new Map() : null
  }

  add(found: SearchedJob): void {
    for (const { facet, tally } of this.#plain) tally.add(READERS[facet](found, this.#now))
    if (this.#tagSets === null) return
    const known = this.#tagSets.get(found.tagLines)
    if (known === undefined) this.#tagSets.set(found.tagLines, { tags: found.tags, jobs: 1 })
    else known.jobs += 1
  }

  facets(): Facets {
    const truncated: string[] = []
    const counts = this.#plain.map(({ facet, tally }) => [facet, cut(facet, tally, truncated)])
    return {
      counts: Object.fromEntries(counts),
      tag: this.#tagSets === null ? null : cutTags(this.#tagSets.values(), truncated),
      truncated,
    }
  }
}

function cut(name: string, { counts }: Tally, truncated: string[]): Counts {
  const most = [...counts].sort(([a, x], [b, y]) => y.jobs - x.jobs || compareParts(a, b))
  if (most.length > MOST_VALUES) truncated.push(name)
  return Object.fromEntries(most.slice(0, MOST_VALUES).map(([value, { jobs }]) => [value, jobs]))
}

function cutTags(sets: Iterable<TagSet>, truncated: string[]): Record<string, Counts> {
  const byKey = new Map<string, { jobs: number; readonly values: Tally }>()
  for (const { tags, jobs } of sets) {
    for (const [key, value] of Object.entries(tags)) {
      const known = byKey.get(key)
      const ofKey = known ?? { jobs: 0, values: new Tally() }
      if (known === undefined) byKey.set(key, ofKey)
      ofKey.jobs += jobs
      ofKey.values.add(value, jobs)
    }
  }
  const keys = [...byKey].sort(([a, x], [b, y]) => y.jobs - x.jobs || compareParts(a, b))
  if (keys.length > MOST_VALUES) truncated.push('tag')
  return Object.fromEntries(
    keys.slice(0, MOST_VALUES).map(([key, { values }]) => [key, cut(`tag.${key}`, values, truncated)]),
  )
}

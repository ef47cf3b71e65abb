// The list of jobs behind a snapshot, kept in the order of priority and id, with what the run index needs of each.
// The list is replaced whole at every change, so that a snapshot that holds it can tell whether it is still the same.

import { firstPlace } from '../binary-search.ts'
import { hashOfId, pageBitsOf } from '../job/id.ts'
import { governedOf, type VersionedJob } from '../job/version.ts'
import { NO_SHAPE } from '../run-index/fleet.ts'
import { ShapeTable } from '../run-index/shape-table.ts'

export interface Entry {
  readonly job: VersionedJob
  readonly priority: number
  readonly pageBits: number
  /** The shape that the job has from `shapeFrom` on; before that second older versions may have their say. */
  readonly shape: number
  readonly shapeFrom: number
  /** There is no older version, so before `shapeFrom` the job has nothing at all. */
  readonly isNew: boolean
  /** From this second on a deleted job is never due. */
  readonly goneFrom: number
}

/** What a change means for a ticker that has planned the job already. */
export type JobChange =
  | { readonly type: 'added' | 'updated' | 'deleted'; readonly jobId: string }
  /** A definition that does not compile. It is left out, with what was known of the job before, so that no other suffers. */
  | { readonly type: 'broken'; readonly jobId: string; readonly reason: string }

function changeOf(job: VersionedJob, isKnown: boolean): JobChange {
  const isDeleted = job.versions[job.versions.length - 1].status === 'DELETED'
  return { type: isDeleted ? 'deleted' : isKnown ? 'updated' : 'added', jobId: job.id }
}

/** Shapes that no job has any more are kept until they are this many more than the jobs. */
const SPARE_SHAPES = 1000

/** A change of one job among a hundred thousand must not sort them all again. */
const SORTED_IN_ONE_BY_ONE = 64

function byPriorityAndId(a: Entry, b: Entry): number {
  return b.priority - a.priority || compareTexts(a.job.id, b.job.id)
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const lastVersion = (job: VersionedJob): number => job.versions[job.versions.length - 1].version

export class Roster {
  entries: readonly Entry[] = []
  shapes = new ShapeTable()
  readonly #byId = new Map<string, Entry>()
  #byIdOrder: VersionedJob[] | null = null

  find(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  /** Jobs after a given one in order of id: the order in which a backlog is worked off. */
  jobsAfter(id: string | null, count: number): VersionedJob[] {
    this.#byIdOrder ??= this.entries.map(({ job }) => job).sort((a, b) => compareTexts(a.id, b.id))
    const jobs = this.#byIdOrder
    const first = id === null ? 0 : firstPlace(jobs.length, (place) => jobs[place].id > id)
    return jobs.slice(first, first + count)
  }

  /** Adds or replaces jobs, and says what that meant for each. What is known already, or newer, stays. */
  put(jobs: Iterable<VersionedJob>): JobChange[] {
    const changed = new Map<string, Entry>()
    const broken: JobChange[] = []
    for (const job of jobs) {
      const known = changed.get(job.id) ?? this.#byId.get(job.id)
      if (known !== undefined && lastVersion(job) <= lastVersion(known.job)) continue
      try {
        changed.set(job.id, this.#entryOf(job))
      } catch (error) {
        broken.push({ type: 'broken', jobId: job.id, reason: (error as Error).message })
      }
    }
    if (changed.size === 0) return broken
    const changes = [...changed.values()].map(({ job }) => changeOf(job, this.#byId.has(job.id))).concat(broken)
    const isFew = changed.size <= SORTED_IN_ONE_BY_ONE
    const entries = isFew ? [...this.entries] : []
    for (const [id, entry] of changed) {
      const known = this.#byId.get(id)
      if (isFew && known !== undefined) entries.splice(insertionPlaceOf(entries, known), 1)
      if (isFew) entries.splice(insertionPlaceOf(entries, entry), 0, entry)
      this.#byId.set(id, entry)
    }
    this.#replace(isFew ? entries : this.#merged(changed))
    return changes
  }

  /** Two lists in order, one after the other, are sorted in one pass: a shard is loaded in hundreds of parts. */
  #merged(changed: ReadonlyMap<string, Entry>): Entry[] {
    const others = this.entries.filter(({ job }) => !changed.has(job.id))
    return [...others, ...[...changed.values()].sort(byPriorityAndId)].sort(byPriorityAndId)
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) this.#byId.delete(id)
    this.#replace(this.entries.filter(({ job }) => this.#byId.has(job.id)))
  }

  #replace(entries: readonly Entry[]): void {
    this.#byIdOrder = null
    this.entries = entries
    if (this.shapes.size <= entries.length + SPARE_SHAPES) return
    this.shapes = new ShapeTable()
    this.entries = entries.map(({ job }) => this.#entryOf(job))
    for (const entry of this.entries) this.#byId.set(entry.job.id, entry)
  }

  #entryOf(job: VersionedJob): Entry {
    const all = governedOf(job)
    const { version, timing, from } = all[all.length - 1]
    const olderSpread = all.slice(0, -1).reduce((most, older) => Math.max(most, older.timing.spreadSeconds), 0)
    const hasShape = version.status === 'RUNNING' && version.moves === undefined
    return {
      job,
      priority: version.priority,
      pageBits: pageBitsOf(hashOfId(job.id)),
      shape: hasShape && timing.shape !== null ? this.shapes.intern(timing.shape) : NO_SHAPE,
      shapeFrom: from + olderSpread,
      isNew: all.length === 1,
      goneFrom: version.status === 'DELETED' ? from : Number.POSITIVE_INFINITY,
    }
  }
}

/** Where an entry is in the list, or would be. */
const insertionPlaceOf = (entries: readonly Entry[], entry: Entry): number =>
  firstPlace(entries.length, (place) => byPriorityAndId(entries[place], entry) >= 0)

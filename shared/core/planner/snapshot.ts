// The jobs of a shard as a ticker holds them in memory, and what is due in any range of seconds. Changes are put in at
// the start of a plan. A look at one second touches only the jobs that are due in it.

import { statusAt } from '../job/stored.ts'
import type { VersionedJob } from '../job/version.ts'
import { tableFromFleet } from '../run-index/build.ts'
import { makeFleet, NO_SHAPE, type SingleJob } from '../run-index/fleet.ts'
import { EMPTY_TABLE, queryTable, RunIndex, type RunTable } from '../run-index/run-index.ts'
import { NEVER } from '../time/instants.ts'
import { candidatesOf, type DueItem, dueBetween, nextDue, RUNS } from './due.ts'
import { type Entry, type JobChange, Roster } from './roster.ts'

export interface PlannedRun extends DueItem {
  readonly jobId: string
  /** The first bits of the job's hash, from which its page follows. */
  readonly pageBits: number
}

/** The index covers this much: from a little before the tick, for seconds that are sent again, to well after it. */
const WINDOW_SECONDS = 3600
const WINDOW_BEGINS_BEFORE_SECONDS = 120
const ROLLED_BEFORE_END_SECONDS = 60
const WINDOW_RUNS = 2_000_000

export class Snapshot {
  readonly #roster = new Roster()
  readonly #index = new RunIndex(EMPTY_TABLE)
  #indexed: readonly Entry[] = []
  #runs = new Int32Array(1024)
  #seconds = new Float64Array(1024)
  /** How many jobs were looked at one by one since the start. */
  examined = 0

  get size(): number {
    return this.#roster.entries.length
  }

  job(id: string): VersionedJob | null {
    return this.#roster.find(id)?.job ?? null
  }

  /** Jobs after a given one in order of id: the order in which a backlog is worked off. */
  jobsAfter(id: string | null, count: number): VersionedJob[] {
    return this.#roster.jobsAfter(id, count)
  }

  /** Adds or replaces jobs. A change that is known already, or older than what is known, changes nothing. */
  apply(jobs: Iterable<VersionedJob>): JobChange[] {
    return this.#roster.put(jobs)
  }

  /** Takes out deleted jobs whose tombstones are not needed any more. */
  forget(ids: Iterable<string>): void {
    this.#roster.remove(ids)
  }

  /** Everything due in [from, to), by second, priority, job id and kind. */
  due(from: number, to: number): PlannedRun[] {
    const found: PlannedRun[] = []
    for (let start = from; start < to; ) {
      const { table } = this.#index
      const isIndexed = this.#isCurrent() && start >= table.from && start < table.to
      const used = isIndexed ? table : this.#build(start, to)
      const end = Math.min(to, used.to)
      this.#collect(used, start, end, found)
      start = end
    }
    return found
  }

  /** Moves the index along, so that it covers what a tick at this second asks about. */
  roll(second: number): void {
    const { table } = this.#index
    const isCovered = second >= table.from && second + ROLLED_BEFORE_END_SECONDS < table.to
    if (this.#isCurrent() && isCovered) return
    const start = second - WINDOW_BEGINS_BEFORE_SECONDS
    const built = this.#build(start, start + WINDOW_SECONDS)
    // A fleet so busy that its window was cut short may not even reach the second that is asked about.
    this.#index.swap(second < built.to ? built : this.#build(second, second + WINDOW_SECONDS))
    this.#indexed = this.#roster.entries
  }

  /** The first second at or after the given one at which anything is due, or NEVER. */
  nextDue(second: number): number {
    this.roll(second)
    let t = this.#index.peek(second)
    while (t !== NEVER && this.due(t, t + 1).length === 0) t = this.#index.peek(t + 1)
    return t
  }

  /** True where a job runs by its last version and yet will never be due for a run again after a second. */
  hasNothingLeft(id: string, after: number): boolean {
    const job = this.job(id)
    return job !== null && statusAt(job, after) === 'RUNNING' && nextDue(job, after, RUNS) === NEVER
  }

  /** Of some jobs those that were due under their last version and never will be again. Jobs that only others trigger are not among them. */
  finished(jobs: readonly VersionedJob[], after: number): string[] {
    const wasDue = ({ id, versions }: VersionedJob) =>
      nextDue({ id, versions }, versions[versions.length - 1].activeFrom - 1, RUNS) !== NEVER
    return jobs.filter((job) => this.hasNothingLeft(job.id, after) && wasDue(job)).map(({ id }) => id)
  }

  #isCurrent(): boolean {
    return this.#indexed === this.#roster.entries
  }

  #collect(table: RunTable, from: number, to: number, found: PlannedRun[]): void {
    let count = queryTable(table, from, to, this.#runs, this.#seconds)
    if (count > this.#runs.length) {
      this.#runs = new Int32Array(count)
      this.#seconds = new Float64Array(count)
      count = queryTable(table, from, to, this.#runs, this.#seconds)
    }
    this.examined += count
    for (let position = 0; position < count; position++) {
      const entry = this.#roster.entries[this.#runs[position]]
      const second = this.#seconds[position]
      const { job, pageBits } = entry
      if (hasShapeAt(entry, second)) {
        // The shape is the whole truth about this second, so nothing else needs to be asked.
        const version = job.versions[job.versions.length - 1]
        found.push({ second, nominal: second, kind: 'start', version, jobId: job.id, pageBits })
        continue
      }
      const items: DueItem[] = []
      dueBetween(job, second, second + 1, items)
      for (const item of items) found.push({ ...item, jobId: job.id, pageBits })
    }
  }

  #build(from: number, to: number): RunTable {
    const { entries, shapes } = this.#roster
    const single: SingleJob[] = []
    const shapeOf = new Int32Array(entries.length)
    for (let job = 0; job < entries.length; job++) {
      const entry = entries[job]
      // A shape may say too much about the seconds before it holds; what is collected from there is asked of the job.
      const usesShape = entry.shape !== NO_SHAPE && (entry.isNew || entry.shapeFrom <= from)
      shapeOf[job] = usesShape ? entry.shape : NO_SHAPE
      if (!usesShape && entry.goneFrom > from) single.push({ job, start: candidatesOf(entry.job) })
    }
    return tableFromFleet(makeFleet(shapes, shapeOf, single), from, to, WINDOW_RUNS)
  }
}

const hasShapeAt = (entry: Entry, second: number): boolean => entry.shape !== NO_SHAPE && entry.shapeFrom <= second

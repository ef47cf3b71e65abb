// When jobs need to run, in order of time. The second is the bucket: a table of starts per second and one array of job
// numbers. It is never changed, only replaced whole, so a caller that holds an old table reads on undisturbed.

import { NEVER } from '../time/instants.ts'

/** Jobs are numbered by priority and then by id, so that a sort of plain numbers puts a second into that order. */
export type JobNumbers = Uint16Array | Int32Array

/** Runs of a window [from, to): those of second s are jobs[starts[s - from]] up to jobs[starts[s - from + 1]]. */
export interface RunTable {
  readonly from: number
  readonly to: number
  readonly starts: Int32Array
  readonly jobs: JobNumbers
  /** The second of each run, counted from `from`, where runs are so few that a search in `starts` would be long. */
  readonly seconds: Int32Array | null
  /** The first run at or after a second past the window, or NEVER. */
  readonly beyond: (second: number) => number
}

const SORTED_BY_INSERTION = 24

function sortNumbers(values: Int32Array, from: number, to: number): void {
  if (to - from > SORTED_BY_INSERTION) {
    values.subarray(from, to).sort()
    return
  }
  for (let index = from + 1; index < to; index++) {
    const value = values[index]
    let hole = index
    for (; hole > from && values[hole - 1] > value; hole--) values[hole] = values[hole - 1]
    values[hole] = value
  }
}

export class RunIndex {
  #table: RunTable

  constructor(table: RunTable) {
    this.#table = table
  }

  /** What a reader keeps while it works through a window. */
  get table(): RunTable {
    return this.#table
  }

  get len(): number {
    return this.#table.jobs.length
  }

  swap(table: RunTable): void {
    this.#table = table
  }

  /**
   * Writes the jobs due in [from, to) into the caller's array, ordered by second, priority and job id, and their seconds
   * beside them. Answers how many there are; where they are more than the array holds it writes nothing.
   */
  query(from: number, to: number, jobs: Int32Array, seconds?: Float64Array): number {
    return queryTable(this.#table, from, to, jobs, seconds)
  }

  /** The second of the first run at or after `from`, also past the window, or NEVER. */
  peek(from: number = this.#table.from): number {
    const { from: first, to, starts, jobs, seconds, beyond } = this.#table
    if (from >= to) return beyond(from)
    let low = Math.max(from - first, 0)
    const position = starts[low]
    if (position === jobs.length) return beyond(to)
    if (starts[low + 1] > position) return first + low
    if (seconds !== null) return first + seconds[position]
    let high = to - first
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle] > position) high = middle
      else low = middle
    }
    return first + low
  }
}

export function queryTable(
  table: RunTable,
  from: number,
  to: number,
  jobs: Int32Array,
  seconds?: Float64Array,
): number {
  const first = Math.max(from - table.from, 0)
  const end = Math.min(to, table.to) - table.from
  if (first >= end) return 0
  const { starts } = table
  const count = starts[end] - starts[first]
  if (count > jobs.length) return count
  let written = 0
  for (let second = first; second < end; second++) {
    const begin = written
    for (let position = starts[second]; position < starts[second + 1]; position++)
      jobs[written++] = table.jobs[position]
    sortNumbers(jobs, begin, written)
    seconds?.fill(table.from + second, begin, written)
  }
  return count
}

export const EMPTY_TABLE: RunTable = {
  from: 0,
  to: 0,
  starts: new Int32Array(1),
  jobs: new Uint16Array(0),
  seconds: null,
  beyond: () => NEVER,
}

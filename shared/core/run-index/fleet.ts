// Jobs as a run index takes them in: shared shapes where the schedule is all there is, single runs for the rest.

import type { Timing } from '../schedule/timing.ts'
import { between, type Instants, NEVER } from '../time/instants.ts'
import type { JobNumbers } from './run-index.ts'
import { ShapeTable } from './shape-table.ts'

/** The jobs of each shape, by job number: those of shape s are jobs[starts[s]] up to jobs[starts[s + 1]]. */
export interface Members {
  readonly starts: Int32Array
  readonly jobs: JobNumbers
}

/** Runs that no shape has: once-only ones, and those of jobs with calendars, bounds or several schedules. */
export interface RunPairs {
  readonly seconds: ArrayLike<number>
  readonly jobs: ArrayLike<number>
}

export interface Fleet {
  readonly jobCount: number
  readonly shapes: ShapeTable
  readonly members: Members
  /** The single runs of a window, or some of them if they are more than the limit. */
  readonly pairs: (from: number, to: number, limit: number) => RunPairs
  /** The first single run at or after a second, or NEVER. */
  readonly nextPair: (second: number) => number
}

/** Two bytes a run are enough for most fleets. */
export const jobArray = (length: number, jobCount: number): JobNumbers =>
  jobCount <= 65_536 ? new Uint16Array(length) : new Int32Array(length)

export const NO_SHAPE = -1

/** A job whose runs come one by one: its number and its instants. */
export interface SingleJob {
  readonly job: number
  readonly start: Pick<Instants, 'next'>
}

/** `shapeOf` has the shape of each job number, or NO_SHAPE for those in `single` and for those that are not due at all. */
export function makeFleet(shapes: ShapeTable, shapeOf: Int32Array, single: readonly SingleJob[]): Fleet {
  return {
    jobCount: shapeOf.length,
    shapes,
    members: membersOf(shapeOf, shapes.size),
    pairs(from, to, limit) {
      const seconds: number[] = []
      const jobs: number[] = []
      for (const { job, start } of single) {
        between(start, from, to, seconds)
        while (jobs.length < seconds.length) jobs.push(job)
        if (jobs.length > limit) break
      }
      return { seconds, jobs }
    },
    nextPair(second) {
      const next = single.map(({ start }) => start.next(second - 1)).filter((t) => t !== NEVER)
      return next.length === 0 ? NEVER : next.reduce((first, t) => Math.min(first, t))
    },
  }
}

/** The number of a job is its place in the list. */
export function fleetOf(timings: readonly Timing[]): Fleet {
  const shapes = new ShapeTable()
  const shapeOf = Int32Array.from(timings, ({ shape }) => (shape === null ? NO_SHAPE : shapes.intern(shape)))
  const single = timings.flatMap(({ shape, start }, job) => (shape === null ? [{ job, start }] : []))
  return makeFleet(shapes, shapeOf, single)
}

/** Sorts the jobs by shape, by counting. */
function membersOf(shapeOf: Int32Array, shapeCount: number): Members {
  const starts = new Int32Array(shapeCount + 1)
  for (let job = 0; job < shapeOf.length; job++) if (shapeOf[job] >= 0) starts[shapeOf[job] + 1] += 1
  for (let shape = 0; shape < shapeCount; shape++) starts[shape + 1] += starts[shape]
  const jobs = jobArray(starts[shapeCount], shapeOf.length)
  const cursor = starts.slice()
  for (let job = 0; job < shapeOf.length; job++) if (shapeOf[job] >= 0) jobs[cursor[shapeOf[job]]++] = job
  return { starts, jobs }
}

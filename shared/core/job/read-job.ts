// From an untrusted body to a job: the shape by its schema, the schedules by compiling them.

import { InputError } from '../errors.ts'
import { compileSchedule } from '../schedule/schedule.ts'
import { compileTiming } from '../schedule/timing.ts'
import { type Fault, faultsOf, InvalidInput } from './invalid.ts'
import { type Job, jobSchema } from './job.ts'
import { LIMITS } from './limits.ts'

export interface ReadJob {
  readonly job: Job
  /** What was accepted but may not mean what its author thinks. */
  readonly warnings: readonly string[]
}

/** Throws InvalidInput with every fault at once. */
export function readJob(input: unknown, jobId: string): ReadJob {
  if (isDeeperThan(input, LIMITS.depth)) {
    throw new InvalidInput([{ path: '', message: `is nested too deep. Use at most ${LIMITS.depth} levels.` }])
  }
  const result = jobSchema.safeParse(input)
  if (!result.success) throw new InvalidInput(faultsOf(result.error.issues, input))
  const job = result.data
  const faults = scheduleFaults(job, jobId)
  if (faults.length > 0) throw new InvalidInput(faults)
  return { job, warnings: compileTiming({ ...job, jobId, calendars: [] }).warnings }
}

/** Level by level, because a body nested deep enough would break whatever walks it by calling itself. */
function isDeeperThan(input: unknown, levels: number): boolean {
  let level: unknown[] = [input]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return level.length > 0
}

function scheduleFaults(job: Job, jobId: string): Fault[] {
  const each = job.schedules.flatMap((schedule, index) =>
    faultOf(`schedules.${index}`, () => compileSchedule(schedule, { jobId, dst: job.dst, anchor: 0 })),
  )
  return each.length > 0 ? each : faultOf('', () => compileTiming({ ...job, jobId, calendars: [] }))
}

function faultOf(path: string, attempt: () => unknown): Fault[] {
  try {
    attempt()
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const field = error.field.split(' ')[0]
    return [{ path: path === '' ? field : `${path}.${field}`, message: error.message }]
  }
}

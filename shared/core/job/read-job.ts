// From an untrusted body to a job: the shape by its schema, the schedules by compiling them, and rules between fields.

import { DEFAULT_DST } from '../cron/cron.ts'
import { InputError } from '../errors.ts'
import { isSameJson } from '../json-equal.ts'
import { compileSchedule, scheduleSchema } from '../schedule/schedule.ts'
import { compileTiming } from '../schedule/timing.ts'
import { type Fault, faultOfError, faultsOf, InvalidInput, pointer } from './invalid.ts'
import { type Job, jobSchema } from './job.ts'
import { LIMITS } from './limits.ts'

/** What was accepted but may not mean what its author thinks. */
export type Warning = Fault

export interface ReadJob {
  readonly job: Job
  /** What is wrong with it though its shape is right. */
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
}

/** Throws InvalidInput with every fault of its shape at once, and what can be said of the schedules of a body that is no job. */
export function readJob(input: unknown, jobId: string): ReadJob {
  if (isDeeperThan(input, LIMITS.depth)) {
    const message = `is nested too deep. Use at most ${LIMITS.depth} levels.`
    throw new InvalidInput([{ path: '', code: 'json.too-deep', message }])
  }
  const { success, data: job, error } = jobSchema.safeParse(input)
  if (!success) throw new InvalidInput([...faultsOf(error.issues, input), ...faultsBeside(input, jobId)])
  const schedules = scheduleFaults(job, jobId)
  const faults = [...missingSchedules(input, job), ...schedules, ...ruleFaults(job)]
  return { job, faults, warnings: schedules.length > 0 ? [] : warningsOf(job, jobId) }
}

/** Level by level, because a body nested deep enough would break whatever walks it by calling itself. */
function isDeeperThan(input: unknown, levels: number): boolean {
  let level: unknown[] = [input]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return level.length > 0
}

/** A job without schedules runs only when it is triggered, which must be said and not forgotten. */
function missingSchedules(input: unknown, { template }: Pick<Job, 'template'>): Fault[] {
  if (template !== null || Object.hasOwn(Object(input), 'schedules')) return []
  const message = 'is missing. Give schedules or a template; [] is a job that only a trigger or another job starts.'
  return [{ path: '/schedules', code: 'field.required', message }]
}

/** Schedules that are such by their shape are looked at, whatever else is wrong with the body. */
export function faultsBeside(input: unknown, jobId: string): Fault[] {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  if (!isObject) return []
  const { schedules, template = null } = input as { schedules?: unknown; template?: string | null }
  const given: unknown[] = Array.isArray(schedules) ? schedules.slice(0, LIMITS.schedules) : []
  const compiled = given.flatMap((each, index) => {
    const { success, data } = scheduleSchema.safeParse(each)
    if (!success) return []
    return faultOf(pointer(['schedules', index]), () => compileSchedule(data, { jobId, dst: DEFAULT_DST, anchor: 0 }))
  })
  return [...missingSchedules(input, { template }), ...compiled]
}

const contextOf = (job: Job, jobId: string) => ({ jobId, dst: job.dst, anchor: 0 })

function scheduleFaults(job: Job, jobId: string): Fault[] {
  const each = job.schedules.flatMap((schedule, index) =>
    faultOf(pointer(['schedules', index]), () => compileSchedule(schedule, contextOf(job, jobId))),
  )
  return each.length > 0 ? each : faultOf('', () => compileTiming({ ...job, jobId, calendars: [] }))
}

function faultOf(path: string, attempt: () => unknown): Fault[] {
  try {
    attempt()
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return [faultOfError(error, path)]
  }
}

/** Fields that contradict one another, and fields whose work is not built yet. */
function ruleFaults(job: Job): Fault[] {
  const hasNoSchedule = job.schedules.length === 0 && job.template === null
  return [
    ...(job.maxLateness !== null && job.misfire.policy === 'CATCH_UP'
      ? [
          {
            path: '/maxLateness',
            code: 'field.conflict',
            message: 'cannot go with misfire CATCH_UP, which starts late runs. Use its window, or remove maxLateness.',
          },
        ]
      : []),
    ...(job.deleteAfter !== null && hasNoSchedule
      ? [
          {
            path: '/deleteAfter',
            code: 'field.conflict',
            message: 'counts from the last instant, and this job has no schedules. Remove it, or delete the job.',
          },
        ]
      : []),
    ...unavailable(job),
  ]
}

const DEFAULTS = jobSchema.parse({ name: 'any', target: { type: 'handler', handler: 'any' } })

/** Saved now, these would be silently ignored or fail at every run. */
function unavailable({ target, timeout, heartbeat, notify, stopAfterFailures }: Job): Fault[] {
  const notYet = (path: string, message: string): Fault => ({ path, code: 'field.not-available', message })
  return [
    ...(target.type === 'handler'
      ? []
      : [notYet('/target/type', `got "${target.type}". Only handler can be delivered in this version.`)]),
    ...(timeout > LIMITS.handlerTimeoutSeconds
      ? [notYet('/timeout', `got ${timeout}. A handler has ${LIMITS.handlerTimeoutSeconds} s at most.`)]
      : []),
    ...(heartbeat === DEFAULTS.heartbeat ? [] : [notYet('/heartbeat', 'is not available in this version. Use null.')]),
    ...(isSameJson(notify, DEFAULTS.notify)
      ? []
      : [
          notYet(
            '/notify',
            `is not available in this version. Leave it out, or use ${JSON.stringify(DEFAULTS.notify)}.`,
          ),
        ]),
    ...(stopAfterFailures === DEFAULTS.stopAfterFailures
      ? []
      : [notYet('/stopAfterFailures', 'is not available in this version. Use null.')]),
  ]
}

function warningsOf(job: Job, jobId: string): Warning[] {
  return job.schedules.flatMap((schedule, index) => {
    const compiled = compileSchedule(schedule, contextOf(job, jobId))
    const found = compiled.type === 'cron' ? compiled.instants.warnings : []
    return found.map((message) => ({ path: pointer(['schedules', index, 'cron']), code: 'cron.ambiguous', message }))
  })
}

// One schedule of a job as the user writes it: cron, every or at, of kind start, stop or restart.

import { z } from 'zod'
import { type Cron, compileCron, type Dst } from '../cron/cron.ts'
import { InputError } from '../errors.ts'
import { parseInstant } from '../time/instant.ts'
import type { Instants } from '../time/instants.ts'
import { zoneOf } from '../time/zones.ts'
import { Every, LONGEST_INTERVAL_SECONDS } from './every.ts'
import { once } from './once.ts'

const kind = z.enum(['start', 'stop', 'restart']).optional()
const zone = z.string().optional()

export const scheduleSchema = z.union([
  z.strictObject({ kind, cron: z.string(), zone }),
  z.strictObject({ kind, every: z.number(), anchor: z.string().optional(), zone }),
  z.strictObject({ kind, at: z.string(), zone }),
])

export type ScheduleSpec = Readonly<z.infer<typeof scheduleSchema>>
export type Kind = NonNullable<ScheduleSpec['kind']>

/** A named set of schedules that jobs take over. */
export interface Template {
  readonly name: string
  readonly schedules: readonly ScheduleSpec[]
}

/** A job that names a template has its schedules, and its own beside them. */
export function schedulesOf(own: readonly ScheduleSpec[], template: Template | null): readonly ScheduleSpec[] {
  return template === null ? own : [...template.schedules, ...own]
}

export interface ScheduleContext {
  readonly jobId: string
  readonly dst: Dst
  /** What `every` counts from where it has no anchor of its own. */
  readonly anchor: number
}

export type CompiledSchedule =
  | { readonly type: 'cron'; readonly instants: Cron }
  | { readonly type: 'every'; readonly instants: Every }
  | { readonly type: 'at'; readonly instants: Instants }

export function compileSchedule(spec: ScheduleSpec, context: ScheduleContext): CompiledSchedule {
  // Intervals and single times need a zone only for calendars, but a wrong one is wrong without them too.
  if (spec.zone !== undefined) zoneOf(spec.zone)
  if ('cron' in spec) {
    const options = { zone: spec.zone ?? 'UTC', dst: context.dst, hashSeed: context.jobId }
    return { type: 'cron', instants: compileCron(spec.cron, options) }
  }
  if ('every' in spec) {
    const anchor = spec.anchor === undefined ? context.anchor : parseInstant(spec.anchor, 'anchor')
    return { type: 'every', instants: new Every(checkInterval(spec.every), anchor) }
  }
  return { type: 'at', instants: once(parseInstant(spec.at, 'at')) }
}

function checkInterval(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= LONGEST_INTERVAL_SECONDS) return seconds
  throw new InputError({
    code: 'every.interval',
    field: 'every',
    value: seconds,
    problem: 'is not a whole number of seconds that an interval can have',
    remedy: `Use 1 to ${LONGEST_INTERVAL_SECONDS} (ten years)`,
  })
}

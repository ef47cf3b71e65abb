// One schedule of a job as the user writes it: cron, every or at, of kind start, stop or restart.

import * as z from 'zod'
import { type Cron, compileCron, type Dst } from '../cron/cron.ts'
import { duration, time } from '../fields.ts'
import { parseInstant } from '../time/instant.ts'
import type { Instants } from '../time/instants.ts'
import { zoneOf } from '../time/zones.ts'
import { Every, LONGEST_INTERVAL_SECONDS } from './every.ts'
import { once } from './once.ts'

const kind = z.enum(['start', 'stop', 'restart']).optional()
const zone = z.string().optional()

export const cronSchema = z.strictObject({ kind, cron: z.string(), zone })
export const everySchema = z.strictObject({
  kind,
  every: duration(1, LONGEST_INTERVAL_SECONDS),
  anchor: time('anchor').optional(),
  zone,
})
export const atSchema = z.strictObject({ kind, at: time('at'), zone })

export const scheduleSchema = z.union([cronSchema, everySchema, atSchema], {
  error:
    'Use one of {"cron": text}, {"every": seconds} and {"at": time}, with kind start, stop or restart, and no other fields',
})

export type ScheduleSpec = Readonly<z.infer<typeof scheduleSchema>>
export type Kind = NonNullable<ScheduleSpec['kind']>

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
    return { type: 'every', instants: new Every(spec.every, anchor) }
  }
  return { type: 'at', instants: once(parseInstant(spec.at, 'at')) }
}

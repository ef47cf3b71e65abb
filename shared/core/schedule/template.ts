// Named schedules that jobs take over: those that users put, and a few that are always there.

import * as z from 'zod'
import { type ScheduleSpec, scheduleSchema } from './schedule.ts'

export const templateBody = z.strictObject({
  description: z.string().max(1000).default(''),
  schedules: z.array(scheduleSchema).min(1).max(20),
})

export type Template = Readonly<z.infer<typeof templateBody>>

/** What a job took over from a template when it was saved. */
export interface TemplateSpec {
  readonly name: string
  readonly schedules: readonly ScheduleSpec[]
}

/** A job that names a template has its schedules, and its own beside them. */
export function schedulesOf(own: readonly ScheduleSpec[], template: TemplateSpec | null): readonly ScheduleSpec[] {
  return template === null ? own : [...template.schedules, ...own]
}

/** In the namespace `shared`. No key can change them, so a job that names one means the same everywhere. */
export const BUILT_IN_TEMPLATES: ReadonlyMap<string, Template> = new Map([
  ['every-5-minutes', { description: 'Every five minutes', schedules: [{ cron: '*/5 * * * *' }] }],
  ['hourly', { description: 'Every hour, on the hour', schedules: [{ cron: '0 * * * *' }] }],
  ['daily-at-midnight', { description: 'Every day at 00:00', schedules: [{ cron: '0 0 * * *' }] }],
  ['weekdays-at-9', { description: 'Monday to Friday at 09:00', schedules: [{ cron: '0 9 * * 1-5' }] }],
  ['monthly', { description: 'The first of every month at 00:00', schedules: [{ cron: '0 0 1 * *' }] }],
])

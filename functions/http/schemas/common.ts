// Pieces of many schemas: times, positions in lists, problems.

import * as z from 'zod'
import { actorSchema } from '../../../shared/core/actor.ts'
import { InputError } from '../../../shared/core/errors.ts'
import { parseDuration } from '../../../shared/core/time/duration.ts'
import { parseInstant } from '../../../shared/core/time/instant.ts'
import { PROBLEMS } from '../problem.ts'

/** An instant: whole seconds, in Z. */
export const instant = z.string().describe('A time to the second, in UTC, as 2026-11-16T01:30:00Z')
/** When something happened: milliseconds, in Z. */
export const moment = z.string().describe('A time to the millisecond, in UTC, as 2026-11-16T01:30:00.212Z')
export const actor = actorSchema
export { json } from '../../../shared/core/job/job.ts'

export const fault = z.strictObject({
  in: z.enum(['body', 'query', 'path', 'header']),
  path: z.string().describe('A JSON Pointer'),
  code: z.string(),
  message: z.string(),
})

export const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.enum(Object.keys(PROBLEMS) as [keyof typeof PROBLEMS]),
  detail: z.string(),
  requestId: z.string(),
  errors: z.array(fault),
  currentVersion: z.int().optional(),
})

export const warning = z.strictObject({ code: z.string(), path: z.string(), message: z.string() })
export const fieldChange = z.strictObject({ path: z.string(), from: z.unknown(), to: z.unknown() })

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), next: z.string().nullable().describe('Goes back as ?cursor') })

const text = (rule: string) => z.string().max(1000, rule)

/** A whole number in a query. */
export const count = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `Use a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.int().min(least).max(most))

export const limit = (most = 100) => count(1, most).optional().describe(`How many at most, up to ${most}`)
export const cursor = text('Use the next of an answer').optional().describe('The next of the answer before')

const TIME_RULE = 'Use a time with zone, such as 2026-12-01T09:00:00Z'
const FRACTION = /\.(\d+)(?=Z$|[+-]\d\d:\d\d$)/

/** A time in a query, as a second; fractions are rounded up. */
export const time = text(TIME_RULE)
  .transform((value, context): number => {
    const fraction = FRACTION.exec(value)
    try {
      const second = parseInstant(value.replace(FRACTION, ''), 'time')
      return fraction !== null && /[1-9]/.test(fraction[1]) ? second + 1 : second
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      context.addIssue({ code: 'custom', message: TIME_RULE, params: { code: error.code } })
      return 0
    }
  })
  .pipe(z.int())

/** How far back: a time, or a span such as 1h. */
export const since = text('Use a time or a span such as 1h')
  .transform((value, context): { second: number } | { window: number } => {
    const window = parseDuration(/^\d+$/.test(value) ? Number(value) : value)
    if (window !== null) return { window }
    const { success, data } = time.safeParse(value)
    if (!success) context.addIssue({ code: 'custom', message: `${TIME_RULE}, or a span such as 1h` })
    return { second: data ?? 0 }
  })
  .pipe(z.union([z.strictObject({ second: z.int() }), z.strictObject({ window: z.int() })]))

/** Several values by commas. */
export const list = <Values extends readonly [string, ...string[]]>(values: Values) =>
  text(`Use some of ${values.join(', ')}`)
    .transform((value, context) => {
      const parts = value.split(',')
      const isKnown = parts.every((part) => values.includes(part)) && parts.length <= values.length
      if (!isKnown) context.addIssue({ code: 'custom', message: `Use some of ${values.join(', ')}` })
      return parts
    })
    .pipe(z.array(z.enum(values)).max(values.length))

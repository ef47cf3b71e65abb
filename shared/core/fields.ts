// Fields that many schemas share: names, durations and times. What a person may write in several ways is saved in one.

import * as z from 'zod'
import { InputError } from './errors.ts'
import { parseDuration } from './time/duration.ts'
import { formatInstant, parseInstant } from './time/instant.ts'

const NAME_PATTERN = '[a-z0-9][a-z0-9._-]{0,125}'

export const NAME = new RegExp(`^${NAME_PATTERN}$`)
export const NAME_RULE = 'Use 1 to 126 of a-z, 0-9, dot, underscore and hyphen, the first a letter or digit'

export const name = z.string().regex(NAME, NAME_RULE)

/** Another job, template or calendar, with its namespace. */
export const fullName = z
  .string()
  .regex(new RegExp(`^${NAME_PATTERN}/${NAME_PATTERN}$`), 'Use namespace/name, as in default/send-report')

const DURATION_RULE = 'Use whole seconds, or "90s", "5m", "2h", "1d"'

/** Whole seconds, or text with a unit; a number of seconds once it is read. */
export const duration = (min: number, max: number) =>
  z
    .union([z.number(), z.string()], { error: DURATION_RULE })
    .transform((value, context): number => {
      const seconds = parseDuration(value)
      if (seconds === null) context.addIssue({ code: 'custom', message: DURATION_RULE, params: { code: 'duration' } })
      return seconds ?? min
    })
    .pipe(z.int().min(min).max(max))

/** An ISO 8601 time to the second, with Z or an offset; in Z once it is read. */
export const time = (field: string) =>
  z
    .string()
    .transform((text, context): string => {
      try {
        return formatInstant(parseInstant(text, field))
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        context.addIssue({ code: 'custom', message: error.message, params: { code: error.code, isWhole: true } })
        return text
      }
    })
    .pipe(z.string())

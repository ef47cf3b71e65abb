// The six fields of a cron expression: their names, ranges and words. It knows the grammar's vocabulary, not its meaning.

export type FieldName = 'second' | 'minute' | 'hour' | 'day of month' | 'month' | 'day of week'

export interface Field {
  readonly name: FieldName
  readonly min: number
  readonly max: number
  /** Three-letter words, in the order of their values from `min` on. */
  readonly words: readonly string[]
  /** How many values there are before the field begins again; Sunday is both 0 and 7. */
  readonly size: number
}

const field = (
  name: FieldName,
  min: number,
  max: number,
  words: readonly string[] = [],
  size = max - min + 1,
): Field => ({
  name,
  min,
  max,
  words,
  size,
})

const MONTH_WORDS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
export const WEEKDAY_WORDS = 'SUN MON TUE WED THU FRI SAT'.split(' ')

const SECOND = field('second', 0, 59)
const MINUTE = field('minute', 0, 59)
const HOUR = field('hour', 0, 23)
export const DAY_OF_MONTH = field('day of month', 1, 31)
export const MONTH = field('month', 1, 12, MONTH_WORDS)
export const DAY_OF_WEEK = field('day of week', 0, 7, WEEKDAY_WORDS, 7)

/** In the order in which a six-field expression has them. */
export const FIELDS: readonly Field[] = [SECOND, MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK]

export const ALIASES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@minutely': '* * * * *',
  '@secondly': '* * * * * *',
  '@weekdays': '0 0 * * 1-5',
  '@weekends': '0 0 * * 0,6',
}

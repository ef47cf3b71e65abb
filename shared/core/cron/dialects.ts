// Other schedulers' ways of writing a schedule: recognised, converted where that is possible, and refused with the
// conversion in the message, because the same text would mean something else here.

import { InputError, quote } from '../errors.ts'
import { LONGEST_INTERVAL_SECONDS } from '../schedule/every.ts'
import { parseInstant } from '../time/instant.ts'
import { zoneOf } from '../time/zones.ts'
import { WEEKDAY_WORDS } from './fields.ts'

/** What another scheduler's text is here: a schedule to write instead, or why there is none. */
interface Foreign {
  readonly dialect: string
  readonly instead: { cron: string; zone?: string } | { every: number } | { at: string } | null
  readonly note?: string
}

/** Says why a text is no expression of ours, or null where it is one. */
type WhyRefused = (cron: string) => string | null

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  second: 1,
  m: 60,
  minute: 60,
  h: 3600,
  hour: 3600,
  d: 86_400,
  day: 86_400,
}

function every(dialect: string, seconds: number): Foreign {
  const isPossible = seconds >= 1 && seconds <= LONGEST_INTERVAL_SECONDS
  return { dialect, instead: isPossible ? { every: seconds } : null }
}

/** Quartz and EventBridge count Sunday as 1, let L alone mean Saturday and end a step with the week. */
function convertWeekday(text: string): string | null {
  const [range, step] = text.split('/')
  const [base, rest = ''] = range.split(/(?=[#L])/)
  const ends = base === 'L' ? ['7'] : base.split('-')
  const converted = ends.map((end) => (/^[1-7]$/.test(end) ? String(Number(end) - 1) : end))
  if (converted.some((end) => end !== '*' && end !== '?' && !/^[0-6]$/.test(end) && !WEEKDAY_WORDS.includes(end)))
    return null
  if (step === undefined) return converted.join('-') + rest
  const isOpen = converted.length === 1 && converted[0] !== '*'
  return `${isOpen ? `${converted[0]}-6` : converted.join('-')}/${step}`
}

function convertFields(dialect: string, fields: string[], year: string): Foreign {
  const weekdays = fields[fields.length - 1].toUpperCase().split(',').map(convertWeekday)
  if (weekdays.includes(null))
    return { dialect, instead: null, note: 'its day of week has no equal here. Use 0 to 7, or MON to SUN' }
  const cron = [...fields.slice(0, -1), weekdays.join(',')].map((field) => (field === '?' ? '*' : field)).join(' ')
  if (year === '*' || year === '?') return { dialect, instead: { cron } }
  const [first, last = first] = year.split('-').map((text) => (/^\d{4}$/.test(text) ? Number(text) : 0))
  if (first < 1970 || last < first)
    return {
      dialect,
      instead: null,
      note: `its year field ${quote(year)} has no equal here. Use startAt and endAt of the job`,
    }
  const until = `"startAt": "${first}-01-01T00:00:00Z", "endAt": "${last}-12-31T23:59:59Z"`
  return { dialect, instead: { cron }, note: `for the years give the job ${until}` }
}

function recogniseCall(text: string): Foreign | null {
  const call = /^(cron|rate|at)\s*\((.*)\)$/i.exec(text)
  if (call === null) return null
  const dialect = 'EventBridge'
  const inside = call[2].trim()
  switch (call[1].toLowerCase()) {
    case 'at':
      return { dialect, instead: { at: /(Z|[+-]\d\d:\d\d)$/.test(inside) ? inside : `${inside}Z` } }
    case 'rate': {
      const rate = /^(\d{1,9})\s+(second|minute|hour|day)s?$/i.exec(inside)
      return rate === null
        ? { dialect, instead: null }
        : every(dialect, Number(rate[1]) * UNIT_SECONDS[rate[2].toLowerCase()])
    }
    default: {
      const fields = inside.split(/\s+/)
      if (fields.length !== 6) return { dialect, instead: null, note: 'it should have 6 fields inside cron( )' }
      return convertFields(dialect, fields.slice(0, 5), fields[5])
    }
  }
}

function recogniseAlias(text: string): Foreign | null {
  const duration = /^@every\s+((?:\d{1,9}[dhms])+)$/i.exec(text)
  if (duration !== null) {
    const parts = [...duration[1].matchAll(/(\d+)([dhms])/gi)]
    return every(
      'Go cron',
      parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_SECONDS[unit.toLowerCase()], 0),
    )
  }
  if (/^@every\b/i.test(text)) return { dialect: 'Go cron', instead: null, note: 'give whole seconds: {"every": 300}' }
  if (/^@reboot$/i.test(text)) {
    return { dialect: 'crontab', instead: null, note: 'nothing reboots here; trigger the job from your deployment' }
  }
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/i.exec(text)
  return zoned === null ? null : { dialect: 'crontab with CRON_TZ', instead: { cron: zoned[2], zone: zoned[1] } }
}

function recogniseFields(text: string): Foreign | null {
  const fields = text.split(/\s+/)
  if (fields.length === 7) return convertFields('Quartz (7 fields)', fields.slice(0, 6), fields[6])
  const isYearLast =
    fields.length === 6 &&
    (/^(19|20|21)\d\d(-\d{4})?$/.test(fields[5]) ||
      /MON|TUE|WED|THU|FRI|SAT|SUN/i.test(fields[4]) ||
      fields[2] === '?' ||
      fields[4] === '?')
  return isYearLast ? convertFields('EventBridge (year last)', fields.slice(0, 5), fields[5]) : null
}

/** A conversion that would itself be refused is no help: then its reason is. */
function whyNot(instead: Foreign['instead'], whyRefused: WhyRefused): string | null {
  try {
    if (instead === null || 'every' in instead) return null
    if ('at' in instead) parseInstant(instead.at, 'at')
    else if (instead.zone !== undefined) zoneOf(instead.zone)
  } catch (error) {
    return (error as Error).message
  }
  return 'cron' in instead ? whyRefused(instead.cron) : null
}

export function refuseOtherDialects(text: string, whyRefused: WhyRefused): void {
  const foreign = recogniseCall(text) ?? recogniseAlias(text) ?? recogniseFields(text)
  if (foreign === null) return
  const { dialect, instead, note } = foreign
  const problem = `is written for ${dialect}`
  const refused = whyNot(instead, whyRefused)
  const write =
    instead === null || refused !== null
      ? []
      : [`Write ${JSON.stringify(instead).replaceAll('":', '": ').replaceAll(',"', ', "')}`]
  const remedies = [
    ...write,
    ...(refused === null ? [] : [`Here it would be refused: ${refused.replace(/\.$/, '')}`]),
    ...(note === undefined ? [] : [note]),
  ]
  const remedy =
    remedies.length === 0 ? 'Use five fields, such as "0 9 * * 1-5", or {"every": seconds}' : remedies.join('; ')
  throw new InputError({ code: 'cron.dialect', field: 'cron', value: text, problem, remedy })
}

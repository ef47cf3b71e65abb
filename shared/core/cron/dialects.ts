// Other schedulers' ways of writing a schedule: recognised, converted where that is possible, and refused with the
// conversion in the message, because the same text would mean something else here.

import { InputError, quote } from '../errors.ts'

interface Foreign {
  readonly dialect: string
  /** What to write here instead, as a JSON fragment, or null where there is no equal. */
  readonly instead: string | null
  readonly note?: string
}

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

const every = (seconds: number): string | null => (seconds >= 1 ? `{"every": ${seconds}}` : null)

/** Quartz and EventBridge count Sunday as 1 and let L alone mean Saturday. Names need no change. */
function convertWeekdays(text: string): string {
  if (text === '?') return '*'
  if (text.toUpperCase() === 'L') return '6'
  const isStepOrNth = (before: string | undefined) => before === '/' || before === '#'
  return text.replace(/([/#]?)(\d+)/g, (all, before, digits) =>
    isStepOrNth(before) ? all : `${before}${(Number(digits) + 6) % 7}`,
  )
}

function convertFields(dialect: string, fields: string[], year: string): Foreign {
  const weekday = fields.length - 1
  const cron = fields
    .map((field, index) => (index === weekday ? convertWeekdays(field) : field === '?' ? '*' : field))
    .join(' ')
  if (year === '*' || year === '?') return { dialect, instead: `{"cron": ${JSON.stringify(cron)}}` }
  const years = /^(\d{4})(?:-(\d{4}))?$/.exec(year)
  if (years === null) return { dialect, instead: null, note: `its year field ${quote(year)} has no equal here` }
  const [, first, last = first] = years
  const until = `"startAt": "${first}-01-01T00:00:00Z", "endAt": "${last}-12-31T23:59:59Z"`
  return { dialect, instead: `{"cron": ${JSON.stringify(cron)}}`, note: `for the years give the job ${until}` }
}

const GO_DURATION = /^@every\s+((?:\d+[dhms])+)$/i

function recognise(text: string): Foreign | null {
  const call = /^(cron|rate|at)\s*\((.*)\)$/is.exec(text)
  if (call !== null) {
    const [, name, inside] = call
    const fields = inside.trim().split(/\s+/)
    if (name.toLowerCase() === 'at')
      return { dialect: 'EventBridge', instead: `{"at": ${JSON.stringify(`${inside.trim()}Z`)}}` }
    if (name.toLowerCase() === 'rate') {
      const rate = /^(\d{1,9})\s+(minute|hour|day|second)s?$/i.exec(inside.trim())
      return { dialect: 'EventBridge', instead: rate && every(Number(rate[1]) * UNIT_SECONDS[rate[2].toLowerCase()]) }
    }
    if (fields.length !== 6)
      return { dialect: 'EventBridge', instead: null, note: 'it should have 6 fields inside cron( )' }
    return convertFields('EventBridge', fields.slice(0, 5), fields[5])
  }
  const duration = GO_DURATION.exec(text)
  if (duration !== null) {
    const parts = [...duration[1].matchAll(/(\d+)([dhms])/gi)]
    const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_SECONDS[unit.toLowerCase()], 0)
    return { dialect: 'Go cron', instead: every(seconds) }
  }
  if (/^@every\b/i.test(text)) return { dialect: 'Go cron', instead: null, note: 'give whole seconds: {"every": 300}' }
  if (/^@reboot$/i.test(text)) {
    return { dialect: 'crontab', instead: null, note: 'nothing reboots here; trigger the job from your deployment' }
  }
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/is.exec(text)
  if (zoned !== null) {
    const instead = `{"cron": ${JSON.stringify(zoned[2])}, "zone": ${JSON.stringify(zoned[1])}}`
    return { dialect: 'crontab with CRON_TZ', instead }
  }
  const fields = text.split(/\s+/)
  if (fields.length === 7) return convertFields('Quartz (7 fields)', fields.slice(0, 6), fields[6])
  const endsInYear =
    fields.length === 6 &&
    (/^(19|20|21)\d\d(-\d{4})?$/.test(fields[5]) || /MON|TUE|WED|THU|FRI|SAT|SUN/i.test(fields[4]))
  if (endsInYear) return convertFields('EventBridge (year last)', fields.slice(0, 5), fields[5])
  return null
}

export function refuseOtherDialects(text: string): void {
  const foreign = recognise(text)
  if (foreign === null) return
  const { dialect, instead, note } = foreign
  const remedy = [instead === null ? null : `Write ${instead}`, note ?? null].filter((part) => part !== null).join('; ')
  throw new InputError({
    code: 'cron.dialect',
    field: 'cron',
    value: text,
    problem: `is written for ${dialect}`,
    remedy: remedy === '' ? 'Use five fields, such as "0 9 * * 1-5", or {"every": seconds}' : remedy,
  })
}

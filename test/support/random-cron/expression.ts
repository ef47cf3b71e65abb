// Knows how to write a random cron expression: the ones people write, and the ones they should not.
import {
  type Feature,
  type FieldShape,
  HOUR,
  MINUTE,
  MONTH,
  MONTH_DAY,
  type RandomField,
  randomField,
  SECOND,
  WEEKDAY,
} from './field.ts'
import type { Random } from './random.ts'

export interface RandomExpression {
  text: string
  uses: Feature[]
  // How often it runs on a day on which it runs.
  runsPerDay: number
}

interface Alias {
  text: string
  runsPerDay: number
  uses: Feature[]
}

const ALIASES: readonly Alias[] = [
  ...['@yearly', '@annually', '@monthly', '@weekly', '@daily'].map((text) => ({ text, runsPerDay: 1, uses: [] })),
  { text: '@hourly', runsPerDay: 24, uses: [] },
  { text: '@midnight', runsPerDay: 1, uses: ['alias @midnight'] },
  { text: '@weekdays', runsPerDay: 1, uses: ['alias beyond vixie'] },
  { text: '@weekends', runsPerDay: 1, uses: ['alias beyond vixie'] },
  { text: '@minutely', runsPerDay: 1440, uses: ['alias beyond vixie'] },
  { text: '@secondly', runsPerDay: 86400, uses: ['alias beyond vixie'] },
]

function realistic(random: Random): RandomExpression {
  const minute = random.pick([0, 0, 15, 30, 45, random.below(60)])
  const hour = random.chance(0.6) ? random.below(4) : random.below(24)
  const step = random.pick([2, 3, 4, 6, 8, 12])
  const minuteStep = random.pick([1, 2, 5, 10, 15, 20, 30])
  const day = random.between(1, 28)
  const [text, runsPerDay] = random.pick<[string, number]>([
    [`${minute} ${hour} * * *`, 1],
    [`${minute} ${hour} * * 1-5`, 1],
    [`${minute} ${hour} * * SUN`, 1],
    [`${minute} ${hour} ${day} * *`, 1],
    [`${minute} ${hour} 1 */3 *`, 1],
    [`${minute} * * * *`, 24],
    [`*/${minuteStep} * * * *`, 1440 / minuteStep],
    [`*/${minuteStep} ${hour} * * *`, 60 / minuteStep],
    [`${minute} */${step} * * *`, 24 / step],
    [`${minute} ${hour},${(hour + 12) % 24} * * *`, 2],
    [`${minute},${(minute + 30) % 60} 0-6 * * *`, 14],
    [`*/${minuteStep} 1-3 * * *`, 180 / minuteStep],
    [`0 ${minute} ${hour} * * *`, 1],
    [`*/10 ${minute} ${hour} * * *`, 6],
  ])
  return { text, uses: text.split(' ').length === 6 ? ['seconds field'] : [], runsPerDay }
}

function alias(random: Random): RandomExpression {
  const { text, runsPerDay, uses } = random.pick(ALIASES)
  return { text, runsPerDay, uses: ['alias', ...uses] }
}

function nasty(random: Random): RandomExpression {
  const fields: RandomField[] = []
  const add = (shape: FieldShape, starChance: number) => fields.push(randomField(random, shape, starChance))
  const uses: Feature[] = []
  if (random.chance(0.25)) {
    uses.push('seconds field')
    add(SECOND, 0.03)
  }
  add(MINUTE, 0.1)
  add(HOUR, 0.25)
  const runsPerDay = fields.reduce((product, { count }) => product * count, 1)
  add(MONTH_DAY, 0.65)
  add(MONTH, 0.85)
  add(WEEKDAY, 0.65)
  const gap = random.chance(0.05) ? '\t ' : ' '
  const [day, weekday] = [fields.at(-3), fields.at(-1)]
  if (day?.text === '?' && weekday?.text === '?') day.text = '*'
  return {
    text: fields.map((field) => field.text).join(gap),
    uses: [...new Set([...uses, ...fields.flatMap((field) => field.uses)])],
    runsPerDay,
  }
}

export function randomExpression(random: Random): RandomExpression {
  const kind = random.below(100)
  if (kind < 5) return alias(random)
  return kind < 40 ? realistic(random) : nasty(random)
}

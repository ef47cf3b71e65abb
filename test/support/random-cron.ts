// Knows how to make the n-th random case of a seed: an expression, a zone, a rule for clock changes and an instant.
import { offsetAt, transitionsBetween } from './oracle/zone.ts'
import { randomExpression } from './random-cron/expression.ts'
import type { Feature } from './random-cron/field.ts'
import { createRandom, type Random } from './random-cron/random.ts'

export type { Feature } from './random-cron/field.ts'

export interface CronCase {
  index: number
  expression: string
  uses: Feature[]
  runsPerDay: number
  zone: string
  dst: { gap: 'shift' | 'skip'; overlap: 'first' | 'last' | 'both' }
  instantSecond: number
}

// From the days before Samoa and Tokelau dropped 30 December 2011.
const FIRST_SECOND = Date.UTC(2011, 11, 26) / 1000
const LAST_SECOND = Date.UTC(2039, 0, 1) / 1000
const NEAR_SECONDS = 36 * 3600
const VERY_NEAR_SECONDS = 3 * 3600
const STRIDE_SECONDS = 30 * 86400

const ZONES = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])].sort()
// Clocks that change by other than an hour, off the hour, at midnight, or by a whole day.
const ODD_ZONES = [
  'Africa/Cairo',
  'America/Caracas',
  'America/Havana',
  'America/Nuuk',
  'America/Scoresbysund',
  'Antarctica/Casey',
  'Antarctica/Troll',
  'Asia/Amman',
  'Asia/Pyongyang',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Fakaofo',
]
const stridesByZone = new Map<string, number[]>()

// The starts of strides in which the zone changes its clocks; a change that is undone within one stride is not seen.
function stridesWithChange(zone: string): number[] {
  let starts = stridesByZone.get(zone)
  if (starts === undefined) {
    starts = []
    let offset = offsetAt(zone, FIRST_SECOND)
    for (let start = FIRST_SECOND; start + STRIDE_SECONDS <= LAST_SECOND; start += STRIDE_SECONDS) {
      const next = offsetAt(zone, start + STRIDE_SECONDS)
      if (next !== offset) starts.push(start)
      offset = next
    }
    stridesByZone.set(zone, starts)
  }
  return starts
}

function randomZone(random: Random): string {
  if (random.chance(0.12)) return random.pick(ODD_ZONES)
  const zone = random.pick(ZONES)
  // Half of the zones never change their clocks in these years: one more draw keeps them to a quarter of the cases.
  return stridesWithChange(zone).length > 0 ? zone : random.pick(ZONES)
}

function instantNearTransition(random: Random, zone: string): number | undefined {
  const strides = stridesWithChange(zone)
  if (strides.length === 0) return undefined
  const start = random.pick(strides)
  const { atSecond } = random.pick(transitionsBetween(zone, start, start + STRIDE_SECONDS))
  const reach = random.pick([NEAR_SECONDS, VERY_NEAR_SECONDS])
  return atSecond + random.between(-reach, reach)
}

function randomInstant(random: Random, zone: string): number {
  const near = random.chance(0.75) ? instantNearTransition(random, zone) : undefined
  const second = near ?? random.between(FIRST_SECOND, LAST_SECOND)
  return random.chance(0.5) ? second - (second % 60) : second
}

export function randomCase(seed: number, index: number): CronCase {
  const random = createRandom(Math.imul(seed, 0x9e3779b1) + index)
  const zone = randomZone(random)
  const { text, uses, runsPerDay } = randomExpression(random)
  const dst: CronCase['dst'] = random.chance(0.4)
    ? { gap: 'shift', overlap: 'first' }
    : { gap: random.pick(['shift', 'skip']), overlap: random.pick(['first', 'last', 'both']) }
  return { index, expression: text, uses, runsPerDay, zone, dst, instantSecond: randomInstant(random, zone) }
}

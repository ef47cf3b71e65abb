// Ten thousand schedules as a company might have them: mostly every few minutes, some hourly, daily and monthly, in
// twelve zones. The same seed gives the same fleet.

import type { ScheduleSpec } from '../shared/core/schedule/schedule.ts'
import { compileTiming, type Timing } from '../shared/core/schedule/timing.ts'
import { createRandom, type Random } from '../test/support/random-cron/random.ts'

const ZONES = [
  'UTC',
  'UTC',
  'America/New_York',
  'America/Los_Angeles',
  'America/Sao_Paulo',
  'Europe/London',
  'Europe/Brussels',
  'Europe/Istanbul',
  'Asia/Kolkata',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Sydney',
]

function expressionOf(random: Random): string {
  const share = random.below(100)
  const minute = random.below(60)
  const hour = random.below(24)
  if (share < 20) return '* * * * *'
  if (share < 45) return `${random.below(5)}-59/5 * * * *`
  if (share < 60) return `${random.below(15)}-59/15 * * * *`
  if (share < 75) return `${minute} * * * *`
  if (share < 85) return `${minute} ${hour} * * *`
  if (share < 92) return `${random.below(4) * 15} 9-17 * * 1-5`
  if (share < 96) return `${minute} ${hour} * * ${random.below(7)}`
  if (share < 99) return `${minute} ${hour} ${random.below(2) === 0 ? 'L' : 1 + random.below(28)} * *`
  return `${minute},${(minute + 7) % 60} ${hour % 12},${12 + (hour % 12)} 1,15 * *`
}

export function mixedSchedules(count: number, seed: number): ScheduleSpec[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => ({
    cron: expressionOf(random),
    zone: ZONES[random.below(ZONES.length)],
  }))
}

/** Equal schedules are compiled once, so that a million of them fit into memory as easily as into an index. */
export function timingsOf(schedules: readonly ScheduleSpec[]): Timing[] {
  const compiled = new Map<string, Timing>()
  return schedules.map((schedule) => {
    const key = JSON.stringify(schedule)
    const timing = compiled.get(key) ?? compileTiming({ jobId: 'default/job', schedules: [schedule] })
    compiled.set(key, timing)
    return timing
  })
}

/** No two alike: sixteen minutes of every hour each, so about as many runs as the mixed ones have. */
export function uniqueSchedules(count: number): ScheduleSpec[] {
  const random = createRandom(count)
  const cron = () => `${Array.from({ length: 16 }, () => random.below(60)).join(',')} * * * *`
  return Array.from({ length: count }, () => ({ cron: cron(), zone: random.pick(ZONES) }))
}

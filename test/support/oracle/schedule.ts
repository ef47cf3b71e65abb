// Knows of any second whether a schedule of a job says it: cron, every or at, before bounds, calendars and counts.
import { type OracleDst, oracleInstantsInWindow } from './oracle.ts'

// Exactly one of cron, every and at.
export interface OracleSchedule {
  kind?: 'start' | 'stop' | 'restart' | undefined
  cron?: string
  every?: number
  anchor?: string | undefined
  at?: string
  zone?: string | undefined
}

export interface ScheduleSetting {
  dst: OracleDst
  startAt: string | null
  // What a single time means: its own second, or a later one where it had just passed when it was first saved.
  meantBy: (atSecond: number) => number
}

export type SecondTest = (second: number) => boolean

// Cron is evaluated and kept one such stretch at a time.
const STRETCH_SECONDS = 15 * 60
const MOST_STRETCHES = 20_000
const stretches = new Map<string, Set<number>>()

export const secondOf = (text: string): number => Date.parse(text) / 1000

export function saidBy(schedule: OracleSchedule, { dst, startAt, meantBy }: ScheduleSetting): SecondTest {
  const { cron, every, at, anchor = startAt, zone = 'UTC' } = schedule
  if (cron !== undefined) return cronTest(cron, zone, dst)
  if (every !== undefined) {
    const anchorSecond = anchor === null ? 0 : secondOf(anchor)
    return (second) => (second - anchorSecond) % every === 0
  }
  if (at === undefined) throw new Error(`oracle: neither cron nor every nor at: ${JSON.stringify(schedule)}`)
  const atSecond = meantBy(secondOf(at))
  return (second) => second === atSecond
}

function cronTest(cron: string, zone: string, dst: OracleDst): SecondTest {
  let start = Number.NaN
  let due = new Set<number>()
  return (second) => {
    if (!(second >= start && second < start + STRETCH_SECONDS)) {
      start = Math.floor(second / STRETCH_SECONDS) * STRETCH_SECONDS
      due = stretchOf(cron, zone, dst, start)
    }
    return due.has(second)
  }
}

function stretchOf(cron: string, zone: string, dst: OracleDst, start: number): Set<number> {
  const key = JSON.stringify([cron, zone, dst.gap, dst.overlap, start])
  const known = stretches.get(key)
  if (known !== undefined) return known
  const due = oracleInstantsInWindow(cron, zone, dst, start, start + STRETCH_SECONDS)
  if (stretches.size >= MOST_STRETCHES) stretches.clear()
  stretches.set(key, due)
  return due
}

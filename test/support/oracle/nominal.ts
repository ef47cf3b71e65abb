// Knows which nominal seconds a version has for each kind: schedules within bounds, calendars and the end by maxRuns.
import { excludedBy } from './calendar.ts'
import type { OracleVersion } from './job.ts'
import { type OracleSchedule, type SecondTest, saidBy, secondOf } from './schedule.ts'

export type Kind = 'start' | 'stop' | 'restart'
export type NominalTest = (kind: Kind, second: number) => boolean

export interface Nominal {
  // What the schedules say within bounds and calendars.
  isScheduled: NominalTest
  // That, but only as long as maxRuns lasts.
  isNominal: NominalTest
}

const JUST_PAST_SECONDS = 60

export function nominalOf(versions: readonly OracleVersion[], place: number): Nominal {
  const { schedules, startAt, endAt, maxRuns } = versions[place]
  const first = startAt === null ? Number.NEGATIVE_INFINITY : secondOf(startAt)
  const last = endAt === null ? Number.POSITIVE_INFINITY : secondOf(endAt)
  const parts = schedules.map((_, index) => partOf(versions, place, index))
  const isScheduled: NominalTest = (kind, second) =>
    first <= second && second <= last && parts.some((part) => part.kind === kind && part.isDue(second))
  if (maxRuns === null) return { isScheduled, isNominal: isScheduled }
  const isStart = (second: number) => isScheduled('start', second)
  const isCounted = withinFirst(maxRuns, isStart, versions[countingBegan(versions, place)].activeFrom)
  const isNominal: NominalTest = (kind, second) => isScheduled(kind, second) && (kind === 'stop' || isCounted(second))
  return { isScheduled, isNominal }
}

function partOf(versions: readonly OracleVersion[], place: number, index: number): { kind: Kind; isDue: SecondTest } {
  const { schedules, templateSchedules = 0, dst, startAt, calendars } = versions[place]
  const { kind = 'start', zone = 'UTC' } = schedules[index]
  // A template's single times are taken over as they are, also when they have passed.
  const savedFrom = index < templateSchedules ? null : firstSavedFrom(versions, place, schedules[index])
  const meantBy = (atSecond: number) => (savedFrom === null ? atSecond : meantAt(atSecond, savedFrom))
  const isSaid = saidBy(schedules[index], { dst, startAt, meantBy })
  const isExcluded = excludedBy(kind === 'stop' ? [] : calendars, zone)
  return { kind, isDue: (second) => isSaid(second) && !isExcluded(second) }
}

// A single time that had just passed when it was first saved is meant as the beginning of that version.
const meantAt = (atSecond: number, savedFrom: number): number =>
  atSecond < savedFrom && savedFrom - atSecond <= JUST_PAST_SECONDS ? savedFrom : atSecond

function firstSavedFrom(versions: readonly OracleVersion[], place: number, schedule: OracleSchedule): number {
  const before = versions[place - 1]
  const isKnown = before !== undefined && before.status !== 'DELETED' && hasOwn(before, schedule)
  return isKnown ? firstSavedFrom(versions, place - 1, schedule) : versions[place].activeFrom
}

const hasOwn = ({ schedules, templateSchedules = 0 }: OracleVersion, schedule: OracleSchedule): boolean =>
  schedules.slice(templateSchedules).some((own) => textOf(own) === textOf(schedule))

const textOf = ({ kind, cron, every, anchor, at, zone }: OracleSchedule): string =>
  JSON.stringify({ kind, cron, every, anchor, at, zone })

// Where the times and maxRuns became what they are in a version; an edit that leaves both alone goes on counting.
function countingBegan(versions: readonly OracleVersion[], place: number): number {
  const before = versions[place - 1]
  const goesOn = before !== undefined && before.status !== 'DELETED' && timesOf(before) === timesOf(versions[place])
  return goesOn ? countingBegan(versions, place - 1) : place
}

const timesOf = ({ schedules, startAt, endAt, maxRuns, dst, spread, calendars }: OracleVersion): string =>
  JSON.stringify([
    schedules.map(textOf),
    [startAt, endAt, maxRuns, dst.gap, dst.overlap, spread],
    calendars.map(({ name, dates }) => [name, dates]),
  ])

// Whether a second is not after the last of so many starts, counted second by second as far as is asked.
function withinFirst(maxRuns: number, isStart: SecondTest, countFrom: number): SecondTest {
  let runs = 0
  let counted = countFrom
  let lastStart = Number.POSITIVE_INFINITY
  return (second) => {
    for (; counted <= second && runs < maxRuns; counted++) {
      if (!isStart(counted)) continue
      runs++
      if (runs === maxRuns) lastStart = counted
    }
    return second <= lastStart
  }
}

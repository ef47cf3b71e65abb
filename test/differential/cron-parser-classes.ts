// Knows the ways in which cron-parser differs from the rule for clock changes, each with the exact test for it.
import { transitionsBetween } from '../support/oracle/zone.ts'
import { type ClockChange, endsAtMidnight, holdsMidnight, isOfOneHour, isOnTheHour, isTouched } from './clock-change.ts'
import type { DisagreementClass, Situation } from './library.ts'

const SECONDS_PER_DAY = 86400

type Test = (change: ClockChange, situation: Situation) => boolean

// Instants that are missing or too many, at a clock change of this kind.
function at(kind: ClockChange['kind'], test: Test): DisagreementClass['explains'] {
  return (situation) => {
    const { change } = situation
    if (situation.kind !== 'missing' && situation.kind !== 'extra') return false
    return change?.kind === kind && isTouched(change, situation.atSecond) && test(change, situation)
  }
}

function isEarlierThatDay(change: ClockChange, second: number): boolean {
  const { kind, atSecond, lengthSeconds } = change
  const dayStart = atSecond + lengthSeconds - SECONDS_PER_DAY
  return kind === 'gap' && endsAtMidnight(change) && second >= dayStart && second < atSecond
}

const isShifted = ({ kind, isOnTheClock }: Situation) => kind === 'missing' && !isOnTheClock

const startsAfter = (change: ClockChange, { testCase }: Situation) => testCase.instantSecond >= change.atSecond

const passesGap = (zone: string, fromSecond: number, toSecond: number): boolean =>
  transitionsBetween(zone, fromSecond, toSecond).some(({ offsetBefore, offsetAfter }) => offsetAfter > offsetBefore)

// In order: the first that explains a difference names it.
export const CRON_PARSER_CLASSES: readonly DisagreementClass[] = [
  {
    name: 'gives up',
    meaning: 'throws after 10,000 steps next to a clock change, though the schedule is due again',
    explains: ({ kind, change }) => kind === 'gives up' && change !== undefined,
  },
  {
    name: 'goes back',
    meaning: 'next() returns an instant that is not after the last one, next to a clock change',
    explains: ({ kind, change }) => kind === 'goes back' && change !== undefined,
  },
  {
    name: 'gap not of one hour',
    meaning: 'a gap of 30 minutes or of several hours: its times are lost or land elsewhere',
    explains: at('gap', (change) => !isOfOneHour(change)),
  },
  {
    name: 'fold not of one hour',
    meaning: 'a fold of 30 minutes or of several hours: its times repeat or move to the later pass',
    explains: at('fold', (change) => !isOfOneHour(change)),
  },
  {
    name: 'gap off the hour',
    meaning: 'a gap that does not start at a full hour (Chatham): its times are lost or land elsewhere',
    explains: at('gap', (change) => !isOnTheHour(change)),
  },
  {
    name: 'fold off the hour',
    meaning: 'a fold that does not start at a full hour (Chatham): its times repeat or are lost',
    explains: at('fold', (change) => !isOnTheHour(change)),
  },
  {
    name: 'gap lost by restart',
    meaning: 'asked from an instant after the jump, it forgets the shifted times still to come',
    explains: at('gap', (change, situation) => isShifted(situation) && startsAfter(change, situation)),
  },
  {
    name: 'fold repeated by restart',
    meaning: 'asked from an instant in the second pass, it runs the times of that pass again',
    explains: at(
      'fold',
      (change, situation) => situation.kind === 'extra' && situation.isOnTheClock && startsAfter(change, situation),
    ),
  },
  {
    name: 'midnight gap',
    meaning: 'a day that starts at 01:00: times of the missing first hour are dropped',
    explains: at('gap', (change, situation) => isShifted(situation) && holdsMidnight(change)),
  },
  {
    name: 'gap up to midnight',
    meaning: 'the last hour of a day is missing: its times, shifted into the next day, are dropped',
    explains: at('gap', (change, situation) => isShifted(situation) && endsAtMidnight(change)),
  },
  {
    name: 'day lost before a gap up to midnight',
    meaning: 'the end of a day is missing: one day on from that time of the day before lands beyond the whole day',
    explains: ({ kind, isOnTheClock, change, atSecond }) =>
      kind === 'missing' && isOnTheClock && change !== undefined && isEarlierThatDay(change, atSecond),
  },
  {
    name: 'gap carried on',
    meaning: 'days after a gap on its way it still adds the hour: it runs at a time that the schedule does not have',
    explains: ({ kind, isOnTheClock, testCase, atSecond }) =>
      kind === 'extra' && !isOnTheClock && passesGap(testCase.zone, testCase.instantSecond, atSecond),
  },
  {
    name: 'midnight fold',
    meaning: 'a day whose first hour comes twice: it runs in the second pass',
    explains: at('fold', holdsMidnight),
  },
]

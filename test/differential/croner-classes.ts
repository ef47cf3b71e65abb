// Knows the ways in which croner differs from the rule for clock changes and the calendar, with the exact test for each.
// Croner tells fixed times (one second, minute and hour) from interval jobs, which follow elapsed time.
import { CronPattern } from 'croner'
import { offsetAt } from '../support/oracle/zone.ts'
import type { DisagreementClass, Situation } from './library.ts'

const patternOf = ({ testCase }: Situation) => new CronPattern(testCase.expression, undefined, { sloppyRanges: true })
const isFixedTime = (situation: Situation) => patternOf(situation).isFixedTime

function isInGap({ change, atSecond, isOnTheClock }: Situation): boolean {
  const start = change?.atSecond ?? 0
  return change?.kind === 'gap' && !isOnTheClock && atSecond >= start && atSecond < start + change.lengthSeconds
}

function isSecondPass({ change, atSecond, isOnTheClock }: Situation): boolean {
  const start = change?.atSecond ?? 0
  return change?.kind === 'fold' && isOnTheClock && atSecond >= start && atSecond < start + change.lengthSeconds
}

// Croner looks for days up to the 31st in February too: the first one found after the last of February becomes a day
// of March, and due days of March before it are never seen.
function isLeaptOver(situation: Situation): boolean {
  const { kind, atSecond, testCase } = situation
  const local = new Date((atSecond + offsetAt(testCase.zone, atSecond)) * 1000)
  if (kind !== 'missing' || local.getUTCMonth() !== 2) return false
  const { month, day, dayOfWeek, starDOM, starDOW } = patternOf(situation)
  const daysInFebruary = new Date(Date.UTC(local.getUTCFullYear(), 2, 0)).getUTCDate()
  for (let found = daysInFebruary + 1; found <= 31; found++) {
    const weekday = new Date(Date.UTC(local.getUTCFullYear(), 1, found)).getUTCDay()
    const inWeek = !starDOW && dayOfWeek[weekday] !== 0
    const inMonth = !starDOM && day[found - 1] !== 0
    if (inWeek || inMonth) return month[1] !== 0 && found - daysInFebruary > local.getUTCDate()
  }
  return false
}

export const CRONER_CLASSES: readonly DisagreementClass[] = [
  {
    name: 'interval in fold',
    meaning: 'an interval job also runs in the second pass of a fold (by design)',
    explains: (situation) => situation.kind === 'extra' && !isFixedTime(situation) && isSecondPass(situation),
  },
  {
    name: 'interval in gap',
    meaning: 'an interval job drops the times of a gap (by design)',
    explains: (situation) => situation.kind === 'missing' && !isFixedTime(situation) && isInGap(situation),
  },
  {
    name: 'gap lands on the jump',
    meaning: 'a fixed time in a gap runs at the jump itself, and not when asked from later; across midnight never',
    explains: (situation) =>
      isFixedTime(situation) &&
      ((situation.kind === 'missing' && isInGap(situation)) ||
        (situation.kind === 'extra' &&
          situation.change?.kind === 'gap' &&
          situation.atSecond === situation.change.atSecond)),
  },
  {
    name: '30 February',
    meaning: 'a day 29 to 31 found in February lands in March, beyond due days before it (no clock change needed)',
    explains: isLeaptOver,
  },
]

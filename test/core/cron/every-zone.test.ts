import { expect, test } from 'vitest'
import { compileCron, type Dst } from '../../../shared/core/cron/cron.ts'
import { oracleInstants } from '../../support/oracle/oracle.ts'
import { transitionsBetween } from '../../support/oracle/zone.ts'

const EXPRESSIONS = ['30 2 * * *', '0 0 * * *', '*/20 * * * *', '15,45 0-4,22-23 * * *', '59 23 * * *']
const RULES: Dst[] = [
  { gap: 'shift', overlap: 'first' },
  { gap: 'skip', overlap: 'last' },
  { gap: 'shift', overlap: 'both' },
]
const DAY = 86_400

/** A year of today, and years with what is rare: Apia's lost day, the half hours of Caracas and Pyongyang. */
const YEARS = [2011, 2016, 2018, 2026]

test('every change of the clock in every IANA zone follows the rule, for every kind of schedule', () => {
  let windows = 0
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    for (const year of YEARS) {
      const changes = transitionsBetween(zone, Date.UTC(year, 0, 1) / 1000, Date.UTC(year + 1, 0, 1) / 1000)
      for (const [index, { atSecond }] of changes.entries()) {
        const [from, to] = [atSecond - 2 * DAY, atSecond + 2 * DAY]
        const dst = RULES[(index + year) % RULES.length]
        for (const expression of EXPRESSIONS) {
          const found: number[] = []
          compileCron(expression, { zone, dst }).between(from, to, found)
          const expected = oracleInstants(expression, zone, dst, from, to)
          if (found.join() !== expected.join())
            expect.fail(
              `${expression} in ${zone} around ${new Date(atSecond * 1000).toISOString()} ${JSON.stringify(dst)}`,
            )
          windows += 1
        }
      }
    }
  }
  expect(windows).toBeGreaterThan(3000)
})

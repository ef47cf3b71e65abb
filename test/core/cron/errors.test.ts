import { CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileCron } from '../../../shared/core/cron/cron.ts'
import { normaliseCron } from '../../../shared/core/cron/normalise.ts'
import { InputError } from '../../../shared/core/errors.ts'
import { randomExpression } from '../../support/random-cron/expression.ts'
import { createRandom } from '../../support/random-cron/random.ts'

/** The message of the InputError that an expression must cause. */
function refusal(expression: string): string {
  try {
    compileCron(expression)
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
  return expect.fail(`${JSON.stringify(expression)} was accepted`)
}

describe('a bad expression is refused with the field, the value and the remedy', () => {
  test.each([
    ['60 * * * *', 'cron minute "60": 60 is outside 0-59. Use 0-59.'],
    ['60 * * * * *', 'cron second "60": 60 is outside 0-59. Use 0-59.'],
    ['* 24 * * *', 'cron hour "24": 24 is outside 0-23. Use 0-23.'],
    ['0 0 32 * *', 'cron day of month "32": 32 is outside 1-31. Use 1-31.'],
    ['0 0 0 * *', 'cron day of month "0": 0 is outside 1-31. Use 1-31.'],
    ['0 0 1 13 *', 'cron month "13": 13 is outside 1-12. Use 1-12 or JAN-DEC.'],
    ['0 0 * * 8', 'cron day of week "8": 8 is outside 0-7. Use 0-7 or SUN-SAT.'],
    ['0 0 * * FOO', 'cron day of week "FOO": "FOO" is not a value of this field. Use 0-7 or SUN-SAT.'],
    ['0 0 1 JAN- *', 'cron month "JAN-": "" is not a value of this field. Use 1-12 or JAN-DEC.'],
    ['*/0 * * * *', 'cron minute "*/0": the step "0" is not a whole number above 0. Use a step such as */5.'],
    ['*/-1 * * * *', 'cron minute "*/-1"'],
    ['*/ * * * *', 'cron minute "*/": the step "" is not a whole number above 0'],
    ['*/90 * * * *', 'the step 90 never comes to a second value. Use 0 without the step, or {"every": seconds}'],
    ['*/99999999 * * * *', 'the step 99999999 never comes to a second value'],
    ['1-100 * * * *', 'cron minute "1-100": 100 is outside 0-59'],
    ['1,,2 * * * *', 'cron minute "": an element of the list is empty. Remove the extra comma.'],
    [', * * * *', 'an element of the list is empty'],
    ['1-2-3 * * * *', 'cron minute "1-2-3": is not a value, a range or a step'],
    ['1/2/3 * * * *', 'cron minute "1/2/3": is not a value, a range or a step'],
    ['*-5 * * * *', 'cron minute "*-5": * has no range. Use * or 1-5.'],
    ['+5 * * * *', 'cron minute "+5": "+5" is not a value'],
    ['５ * * * *', 'has a character that no schedule has. Use plain letters, digits and signs.'],
    ['0.5 * * * *', 'cron minute "0.5"'],
    ['L * * * *', 'cron minute "L": "L" is not a value of this field'],
    [
      '0 0 5L * *',
      'cron day of month "5L": a number before L means nothing here. Use L for the last day, or 5L as day of week.',
    ],
    ['0 0 L-0 * *', 'cron day of month "L-0": no month has that many days before its last. Use L-1 to L-30.'],
    ['0 0 L-31 * *', 'Use L-1 to L-30.'],
    ['0 0 32W * *', 'cron day of month "32W": 32 is outside 1-31'],
    ['0 0 W * *', 'cron day of month "W": "W" is not a value'],
    ['0 0 1-15W * *', 'cron day of month "1-15W": "15W" is not a value'],
    [
      '0 0 * * L',
      'cron day of week "L": L needs the weekday before it. Use 6 for Saturdays or 6L for the last Saturday of a month.',
    ],
    ['0 0 * * 1-5L', 'cron day of week "1-5L": "5L" is not a value'],
    ['0 0 * * 8L', 'cron day of week "8L": 8 is outside 0-7'],
    ['0 0 * * 5#6', 'cron day of week "5#6": no month has a weekday number "6". Use #1 to #5, as in 5#2.'],
    ['0 0 * * 5#', 'no month has a weekday number ""'],
    ['0 0 * * 5#2,1', 'cron day of week "5#2,1": a weekday with # cannot stand in a list. Use one schedule for each'],
    ['H(0-70) * * * *', 'cron minute "H(0-70)": 70 is outside 0-59'],
    [
      'HH * * * *',
      'cron minute "HH": H stands alone, with a range or with a step. Use H, H(0-29), H/15 or H(0-29)/10.',
    ],
    ['50/30 * * * *', 'cron minute "50/30": the step 30 never comes to a second value. Use 50 without the step'],
    ['0-10/20 * * * *', 'the step 20 never comes to a second value'],
    ['0 0 * * 6/3', 'the step 3 never comes to a second value'],
    ['H/60 * * * *', 'the step 60 never comes to a second value'],
    ['? * * * *', 'cron minute "?": ? stands for a day field of which the other decides. Use *.'],
    ['0 0 ?/2 * *', 'cron day of month "?/2": ? stands for a day field'],
    ['0 0 ? * ?', 'leaves both day fields to the other. Use * for one of them.'],
    ['0 0 31L * *', 'a number before L means nothing here. Use L for the last day.'],
    ['0 9 * * 1-5 # weekdays', 'has a comment. Remove # and what follows it.'],
    ['0 0 * * \u017fun', 'has a character that no schedule has'],
    ['H/0 * * * *', 'the step "0" is not a whole number above 0'],
    ['', 'cron "": is empty. Use five fields, such as "0 9 * * 1-5".'],
    ['   ', 'cron "   ": is empty'],
    [
      '5',
      'cron "5": has 1 field. Use 5 fields (minute hour day-of-month month day-of-week), or 6 with the second before them.',
    ],
    ['* * * *', 'cron "* * * *": has 4 fields'],
    ['* * * * * * * *', 'has 8 fields'],
    ['* *\n* * *', 'cron'],
    ['@fortnightly', 'cron "@fortnightly": is not a known alias. Use one of @yearly'],
    ['* '.repeat(200), 'has 400 characters, more than 256. Split it into several schedules of one job.'],
  ])('%j', (expression, message) => {
    expect(refusal(expression)).toContain(message)
  })
})

describe('an expression that never fires is an error', () => {
  test.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 31 4 *', '0 0 30W 2 *', '0 0 L-29 2 *'])('%s', (expression) => {
    expect(refusal(expression)).toContain('never fires: no year has such a day')
  })

  test('within 5 ms each, the best of several tries', () => {
    for (const expression of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 30W 2 *', '0 0 L-29,30 2 *']) {
      const times = Array.from({ length: 5 }, () => {
        const started = performance.now()
        expect(() => compileCron(expression)).toThrow(InputError)
        return performance.now() - started
      })
      expect(Math.min(...times)).toBeLessThan(5)
    }
  })
})

describe('other dialects are recognised and refused with the converted expression', () => {
  test.each([
    ['cron(0 10 ? * MON-FRI *)', 'is written for EventBridge. Write {"cron": "0 10 * * MON-FRI"}.'],
    ['cron(0 10 ? * 2-6 *)', 'Write {"cron": "0 10 * * 1-5"}.'],
    [
      'cron(15 12 L * ? 2027)',
      'Write {"cron": "15 12 L * *"}; for the years give the job "startAt": "2027-01-01T00:00:00Z", "endAt": "2027-12-31T23:59:59Z".',
    ],
    ['cron(0 10 ? * 6#3 2026-2028)', '"startAt": "2026-01-01T00:00:00Z", "endAt": "2028-12-31T23:59:59Z"'],
    ['cron(0 10 ? * L *)', 'Write {"cron": "0 10 * * 6"}.'],
    ['cron(0 10 ? * 6L *)', 'Write {"cron": "0 10 * * 5L"}.'],
    ['cron(0 10 * * ? 2026,2028)', 'its year field "2026,2028" has no equal here'],
    ['cron(0 10 * *)', 'it should have 6 fields inside cron( )'],
    ['0 10 ? * MON-FRI *', 'is written for EventBridge (year last). Write {"cron": "0 10 * * MON-FRI"}.'],
    ['0 10 * * ? 2027', 'EventBridge (year last)'],
    ['0 0 12 ? * 2-6 *', 'is written for Quartz (7 fields). Write {"cron": "0 0 12 * * 1-5"}.'],
    ['0 0 12 1/5 * ? *', 'Write {"cron": "0 0 12 1/5 * *"}.'],
    ['0 12 * * ? *', 'is written for EventBridge (year last). Write {"cron": "0 12 * * *"}.'],
    ['0 10 ? * 2-6 *', 'is written for EventBridge (year last). Write {"cron": "0 10 * * 1-5"}.'],
    ['cron(0 10 ? * 2/2 *)', 'Write {"cron": "0 10 * * 1-6/2"}.'],
    ['cron(0 10 ? * MON/2 *)', 'Write {"cron": "0 10 * * MON-6/2"}.'],
    ['cron(0 10 ? * */2 *)', 'Write {"cron": "0 10 * * */2"}.'],
    ['cron(0 10 ? * 2-6/2 *)', 'Write {"cron": "0 10 * * 1-5/2"}.'],
    ['cron(0 10 ? * 8 *)', 'its day of week has no equal here'],
    ['cron(0 10 ? * MON,L *)', 'Write {"cron": "0 10 * * MON,6"}.'],
    ['cron(*/90 10 ? * 2 *)', 'Here it would be refused: cron minute "*/90"'],
    ['cron(0 10 * * ? 1960)', 'its year field "1960" has no equal here'],
    ['cron(0 10 * * ? 2028-2026)', 'its year field "2028-2026" has no equal here'],
    ['at(2026-12-01T09:00:00+01:00)', 'Write {"at": "2026-12-01T09:00:00+01:00"}.'],
    ['at(tomorrow)', 'Here it would be refused: at "tomorrowZ": is not a time'],
    ['rate(999999999 days)', 'is written for EventBridge. Use five fields'],
    [
      'TZ=europe/brussels 0 9 * * *',
      'Here it would be refused: zone "europe/brussels": is not an IANA time zone. Use Europe/Brussels',
    ],
    [
      'CRON_TZ=UTC @every 5m',
      'Here it would be refused: cron "@every 5m": is written for Go cron. Write {"every": 300}',
    ],
    ['rate(5 minutes)', 'Write {"every": 300}.'],
    ['rate(1 day)', 'Write {"every": 86400}.'],
    ['rate(0 minutes)', 'Use five fields, such as "0 9 * * 1-5", or {"every": seconds}.'],
    ['rate(0.5 hours)', 'is written for EventBridge. Use five fields'],
    ['at(2026-12-01T09:00:00)', 'Write {"at": "2026-12-01T09:00:00Z"}.'],
    ['@every 1h30m', 'is written for Go cron. Write {"every": 5400}.'],
    ['@every 0s', 'is written for Go cron. Use five fields'],
    ['@every fortnight', 'give whole seconds: {"every": 300}'],
    ['@reboot', 'nothing reboots here; trigger the job from your deployment'],
    ['CRON_TZ=Asia/Tokyo 0 9 * * *', 'Write {"cron": "0 9 * * *", "zone": "Asia/Tokyo"}.'],
    ['TZ=UTC 0 9 * * *', 'Write {"cron": "0 9 * * *", "zone": "UTC"}.'],
  ])('%s', (expression, message) => {
    expect(refusal(expression)).toContain(message)
  })
})

test('a weekday number beside a question mark is accepted with a warning', () => {
  expect(compileCron('0 0 12 ? * 2-6').warnings[0]).toMatch(/"2-6" is read as crontab does.*Quartz counts from 1/)
  for (const fine of ['0 0 12 ? * MON-FRI', '0 0 12 ? * FRI#2', '0 0 12 ? * */2', '0 0 12 * * 2-6']) {
    expect(compileCron(fine).warnings).toEqual([])
  }
})

test('all that cron-parser still refuses after the check is a day that its month does not have', () => {
  const random = createRandom(5)
  for (let index = 0; index < 20_000; index++) {
    const { text } = normaliseCron(randomExpression(random).text, 'seed')
    try {
      CronExpressionParser.parse(text, { tz: 'UTC', currentDate: 0, hashSeed: 'x' })
    } catch (error) {
      expect((error as Error).message).toBe('Invalid explicit day of month definition')
    }
  }
})

test('no text makes the parser do anything but compile or refuse', () => {
  const character = fc.constantFrom(...'0123456789*/-,?LWH#() @\t\n.+JANMONFRI\u0000\u202e😀'.split(''))
  const texts = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.array(character, { maxLength: 40 }).map((all) => all.join('')),
  )
  const fields = fc.array(
    fc.array(character, { minLength: 1, maxLength: 6 }).map((all) => all.join('')),
    { minLength: 5, maxLength: 6 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        texts,
        fields.map((all) => all.join(' ')),
      ),
      (text) => {
        try {
          compileCron(text).next(1_800_000_000)
        } catch (error) {
          expect(error).toBeInstanceOf(InputError)
        }
      },
    ),
    { numRuns: 5000 },
  )
})

import { expect, test } from 'vitest'
import { InputError } from '../../../shared/core/errors.ts'
import { explainSchedule, explainSeconds } from '../../../shared/core/schedule/explain.ts'

test.each([
  ['* * * * *', 'every minute'],
  ['* * * * * *', 'every second'],
  ['*/5 * * * *', 'every 5 minutes'],
  ['3-59/5 * * * *', 'every 5 minutes from minute 3 on'],
  ['0 * * * *', 'every hour'],
  ['0 */2 * * *', 'every 2 hours'],
  ['0 1/2 * * *', 'every 2 hours from hour 1 on'],
  ['0 9 * * 1-5', 'at 09:00 on Monday through Friday'],
  ['*/15 9-17 * * MON-FRI', 'every 15 minutes during hours 09 through 17 on Monday through Friday'],
  ['0 0 1 * *', 'at 00:00 on day 1 of the month'],
  ['0 0 L * *', 'at 00:00 on the last day of the month'],
  ['0 0 L-1 * *', 'at 00:00 on the day before the last of the month'],
  ['0 0 L-3 1-3 *', 'at 00:00 on the day 3 days before the last of the month in January through March'],
  ['0 0 LW * *', 'at 00:00 on the last weekday of the month'],
  ['0 12 1,15W * *', 'at 12:00 on day 1 and the weekday nearest to day 15 of the month'],
  ['0 9 * * 5#2', 'at 09:00 on the second Friday of the month'],
  ['0 9 * * 1,5L', 'at 09:00 on Monday and the last Friday of the month'],
  ['0 0 1,15 * 1', 'at 00:00 on day 1 and 15 of the month or on Monday'],
  ['30 2 * * *', 'at 02:30 every day'],
  ['20,40 30 9 * * *', 'at 09:30:20 and 09:30:40 every day'],
  ['*/10 * * * * *', 'every 10 seconds'],
  ['10 * * * * *', 'at second 10 of every minute'],
  ['15 * * * *', 'at minute 15 of every hour'],
  ['0,7 * * * *', 'at minute 0 and 7 of every hour'],
  ['* 5 * * * *', 'every second of minute 5 of every hour'],
  ['10 5 * * * *', 'at second 10 of minute 5 of every hour'],
  ['10 */5 * * * *', 'at second 10 of every 5th minute'],
  ['*/10 1/2 * * * *', 'every 10 seconds of every 2nd minute from minute 1 on'],
  ['*/20 */3 * * * *', 'every 20 seconds of every 3rd minute'],
  ['*/25 * * * *', 'at minute 0, 25 and 50 of every hour'],
  ['0 */5 * * *', 'at 00:00, 05:00, 10:00, 15:00 and 20:00 every day'],
  ['* * 3 * * *', 'every second during hour 03'],
  ['1,2,3,9 1,5,9,13 * * *', 'at minute 1 through 3 and 9 during hours 01, 05, 09 and 13 every day'],
  ['0 9 1 JAN,MAR *', 'at 09:00 on day 1 of the month in January and March'],
])('%s is "%s"', (cron, english) => {
  expect(explainSchedule({ cron, zone: 'Europe/Brussels' })).toBe(`${english}, Europe/Brussels`)
})

test('intervals, single times and kinds', () => {
  expect(explainSchedule({ every: 60 })).toBe('every minute')
  expect(explainSchedule({ every: 5400, kind: 'start' })).toBe('every 1 hour and 30 minutes')
  expect(explainSchedule({ every: 30, anchor: '2026-01-01T00:00:07Z' })).toBe(
    'every 30 seconds, counted from 2026-01-01T00:00:07Z',
  )
  expect(explainSchedule({ at: '2026-12-01T09:00:00Z' })).toBe('once, at 2026-12-01T09:00:00Z')
  expect(explainSchedule({ kind: 'stop', cron: '0 18 * * *' })).toBe('stop at 18:00 every day, UTC')
  expect(explainSeconds(93_784)).toBe('1 day, 2 hours, 3 minutes and 4 seconds')
})

test('what is no schedule is not explained', () => {
  for (const bad of [{ at: 'junk' }, { cron: '60 * * * *' }, { every: 5, zone: 'Mars' }]) {
    expect(() => explainSchedule(bad)).toThrow(InputError)
  }
})

test('H is explained as the time that this job got', () => {
  expect(explainSchedule({ cron: 'H H * * *' }, 'default/report')).toMatch(/^at \d\d:\d\d every day, UTC$/)
})

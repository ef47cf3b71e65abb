// Knows facts about cron schedules worked out by hand with a calendar, and holds the brute-force oracle to them.
import { expect, test } from 'vitest'
import { type OracleDst, oracleInstants } from '../../support/oracle/oracle.ts'

const second = (iso: string) => Date.parse(iso) / 1000
const text = (instant: number) => new Date(instant * 1000).toISOString().replace('.000Z', 'Z')

function due(expression: string, zone: string, from: string, to: string, dst: Partial<OracleDst> = {}): string[] {
  const rule: OracleDst = { gap: 'shift', overlap: 'first', ...dst }
  return oracleInstants(expression, zone, rule, second(from), second(to)).map(text)
}

// The dates of a schedule that runs at midnight UTC.
function dates(expression: string, from: string, to: string): string[] {
  return due(expression, 'UTC', `${from}T00:00Z`, `${to}T00:00Z`).map((iso) => iso.replace('T00:00:00Z', ''))
}

test('29 February exists in leap years, and 2100 is none', () => {
  expect(dates('0 0 29 2 *', '2020-01-01', '2030-01-01')).toEqual(['2020-02-29', '2024-02-29', '2028-02-29'])
  expect(dates('0 0 29 2 *', '2095-01-01', '2101-01-01')).toEqual(['2096-02-29'])
})

test('L is the last day of each month', () => {
  expect(dates('0 0 L 2,4 *', '2023-01-01', '2025-01-01')).toEqual([
    '2023-02-28',
    '2023-04-30',
    '2024-02-29',
    '2024-04-30',
  ])
})

test('L-n counts back from the last day and has no match before the 1st', () => {
  expect(dates('0 0 L-3 2 *', '2024-01-01', '2025-01-01')).toEqual(['2024-02-26'])
  expect(dates('0 0 L-30 1-4 *', '2023-01-01', '2024-01-01')).toEqual(['2023-01-01', '2023-03-01'])
})

test('LW is the last weekday: 31 July 2022 is a Sunday, 31 December a Saturday', () => {
  expect(dates('0 0 LW 7-12 *', '2022-01-01', '2023-01-01')).toEqual([
    '2022-07-29',
    '2022-08-31',
    '2022-09-30',
    '2022-10-31',
    '2022-11-30',
    '2022-12-30',
  ])
})

test('1W never leaves its month: 1 January 2022 is a Saturday, 1 May a Sunday', () => {
  expect(dates('0 0 1W 1,5,6 *', '2022-01-01', '2023-01-01')).toEqual(['2022-01-03', '2022-05-02', '2022-06-01'])
})

test('31W never leaves its month and skips months without a 31st', () => {
  expect(dates('0 0 31W 6-12 *', '2022-01-01', '2023-01-01')).toEqual([
    '2022-07-29',
    '2022-08-31',
    '2022-10-31',
    '2022-12-30',
  ])
})

test('15W goes to the Friday before or the Monday after', () => {
  expect(dates('0 0 15W 5,10 *', '2022-01-01', '2023-01-01')).toEqual(['2022-05-16', '2022-10-14'])
})

test('L, W and numbers stand in one list', () => {
  expect(dates('0 0 2,15W,L-1,L,LW 7 *', '2022-01-01', '2023-01-01')).toEqual([
    '2022-07-02',
    '2022-07-15',
    '2022-07-29',
    '2022-07-30',
    '2022-07-31',
  ])
})

test('5#2 is the second Friday, 5#5 only exists in some months', () => {
  expect(dates('0 0 * * 5#2', '2024-01-01', '2024-04-01')).toEqual(['2024-01-12', '2024-02-09', '2024-03-08'])
  expect(dates('0 0 * * FRI#5', '2024-01-01', '2025-01-01')).toEqual([
    '2024-03-29',
    '2024-05-31',
    '2024-08-30',
    '2024-11-29',
  ])
})

test('5L is the last Friday, also in a list', () => {
  expect(dates('0 0 * * 5L', '2024-01-01', '2024-04-01')).toEqual(['2024-01-26', '2024-02-23', '2024-03-29'])
  expect(dates('0 0 * * 1,3L', '2024-02-01', '2024-03-01')).toEqual([
    '2024-02-05',
    '2024-02-12',
    '2024-02-19',
    '2024-02-26',
    '2024-02-28',
  ])
})

test('either day field is enough when both are restricted', () => {
  expect(dates('0 0 13 10 5', '2024-01-01', '2025-01-01')).toEqual([
    '2024-10-04',
    '2024-10-11',
    '2024-10-13',
    '2024-10-18',
    '2024-10-25',
  ])
})

test('a step or a full range is a restriction, a lone star or question mark is not', () => {
  expect(dates('0 0 */10 10 1', '2024-01-01', '2025-01-01')).toEqual([
    '2024-10-01',
    '2024-10-07',
    '2024-10-11',
    '2024-10-14',
    '2024-10-21',
    '2024-10-28',
    '2024-10-31',
  ])
  expect(dates('0 0 1-31 10 1', '2024-01-01', '2025-01-01')).toHaveLength(31)
  expect(dates('0 0 ? 10 1', '2024-01-01', '2025-01-01')).toEqual([
    '2024-10-07',
    '2024-10-14',
    '2024-10-21',
    '2024-10-28',
  ])
})

test('an hour range wraps at midnight and its step counts on across it', () => {
  expect(due('0 22-4/2 * * *', 'UTC', '2024-05-05T10:00Z', '2024-05-06T10:00Z')).toEqual([
    '2024-05-05T22:00:00Z',
    '2024-05-06T00:00:00Z',
    '2024-05-06T02:00:00Z',
    '2024-05-06T04:00:00Z',
  ])
  expect(due('0 21-3/4 * * *', 'UTC', '2024-05-05T10:00Z', '2024-05-06T10:00Z')).toEqual([
    '2024-05-05T21:00:00Z',
    '2024-05-06T01:00:00Z',
  ])
})

test('day and month ranges wrap after the 31st and after December', () => {
  expect(dates('0 0 30-2 11-2 *', '2023-11-15', '2024-03-15')).toEqual([
    '2023-11-30',
    '2023-12-01',
    '2023-12-02',
    '2023-12-30',
    '2023-12-31',
    '2024-01-01',
    '2024-01-02',
    '2024-01-30',
    '2024-01-31',
    '2024-02-01',
    '2024-02-02',
  ])
})

test('days of the week: 7 is Sunday, ranges run to 7 or wrap after Saturday', () => {
  const week = (field: string) =>
    dates(`0 0 * * ${field}`, '2024-01-07', '2024-01-14').map((date) => Number(date.slice(-2)) - 7)
  expect(week('7')).toEqual([0])
  expect(week('5-7')).toEqual([0, 5, 6])
  expect(week('5-1')).toEqual([0, 1, 5, 6])
  expect(week('fri-Mon')).toEqual([0, 1, 5, 6])
  expect(week('7-2')).toEqual([0, 1, 2])
  expect(week('6-3/2')).toEqual([1, 3, 6])
  expect(week('3-7/2')).toEqual([0, 3, 5])
  expect(week('*/2')).toEqual([0, 2, 4, 6])
})

test('a/s runs to the maximum and repeated values count once', () => {
  expect(due('50/4,50,50-52 5 6 7 *', 'UTC', '2024-01-01T00:00Z', '2025-01-01T00:00Z')).toEqual([
    '2024-07-06T05:50:00Z',
    '2024-07-06T05:51:00Z',
    '2024-07-06T05:52:00Z',
    '2024-07-06T05:54:00Z',
    '2024-07-06T05:58:00Z',
  ])
})

test('six fields start with seconds; the window holds its start and not its end', () => {
  expect(due('*/20 59 23 31 DEC *', 'UTC', '2024-12-31T23:59:20Z', '2024-12-31T23:59:40Z')).toEqual([
    '2024-12-31T23:59:20Z',
  ])
})

test('aliases', () => {
  expect(dates('@yearly', '2023-06-01', '2024-06-01')).toEqual(['2024-01-01'])
  expect(dates('@weekends', '2024-01-01', '2024-01-08')).toEqual(['2024-01-06', '2024-01-07'])
  expect(due('@secondly', 'UTC', '2024-01-01T00:00:00Z', '2024-01-01T00:00:03Z')).toHaveLength(3)
})

test('New York 10 March 2024, 02:00 to 03:00 is missing', () => {
  const day = ['2024-03-10T05:00Z', '2024-03-11T04:00Z'] as const
  expect(due('30 2 * * *', 'America/New_York', ...day)).toEqual(['2024-03-10T07:30:00Z'])
  expect(due('30 2 * * *', 'America/New_York', ...day, { gap: 'skip' })).toEqual([])
  expect(due('30 2,3 * * *', 'America/New_York', ...day)).toEqual(['2024-03-10T07:30:00Z'])
  expect(due('0,30 1-3 * * *', 'America/New_York', ...day)).toEqual([
    '2024-03-10T06:00:00Z',
    '2024-03-10T06:30:00Z',
    '2024-03-10T07:00:00Z',
    '2024-03-10T07:30:00Z',
  ])
})

test('New York 3 November 2024, 01:00 to 02:00 comes twice', () => {
  const day = ['2024-11-03T04:00Z', '2024-11-04T05:00Z'] as const
  expect(due('30 1 * * *', 'America/New_York', ...day)).toEqual(['2024-11-03T05:30:00Z'])
  expect(due('30 1 * * *', 'America/New_York', ...day, { overlap: 'last' })).toEqual(['2024-11-03T06:30:00Z'])
  expect(due('30 1 * * *', 'America/New_York', ...day, { overlap: 'both' })).toEqual([
    '2024-11-03T05:30:00Z',
    '2024-11-03T06:30:00Z',
  ])
})

test('a schedule of all 24 hours follows elapsed time, whatever the rule says', () => {
  const spring = ['2024-03-10T05:00Z', '2024-03-11T04:00Z'] as const
  const autumn = ['2024-11-03T04:00Z', '2024-11-04T05:00Z'] as const
  for (const hours of ['*', '0-23', '*/1', '12-11']) {
    expect(due(`30 ${hours} * * *`, 'America/New_York', ...spring)).toHaveLength(23)
    expect(due(`30 ${hours} * * *`, 'America/New_York', ...autumn, { overlap: 'last' })).toHaveLength(25)
  }
  expect(due('30 1-23 * * *', 'America/New_York', ...autumn)).toHaveLength(23)
})

test('Lord Howe moves by 30 minutes', () => {
  const zone = 'Australia/Lord_Howe'
  expect(due('15 2 * * *', zone, '2024-10-05T13:30Z', '2024-10-06T13:00Z')).toEqual(['2024-10-05T15:45:00Z'])
  const autumn = ['2024-04-06T13:00Z', '2024-04-07T13:30Z'] as const
  expect(due('45 1 * * *', zone, ...autumn)).toEqual(['2024-04-06T14:45:00Z'])
  expect(due('45 1 * * *', zone, ...autumn, { overlap: 'last' })).toEqual(['2024-04-06T15:15:00Z'])
  expect(due('15 1 * * *', zone, ...autumn, { overlap: 'both' })).toEqual(['2024-04-06T14:15:00Z'])
})

test('Cairo 28 April 2023 starts at 01:00', () => {
  const window = ['2023-04-26T12:00Z', '2023-04-28T22:00Z'] as const
  expect(due('0 0 * * *', 'Africa/Cairo', ...window)).toEqual([
    '2023-04-26T22:00:00Z',
    '2023-04-27T22:00:00Z',
    '2023-04-28T21:00:00Z',
  ])
  expect(due('30 0 * * FRI', 'Africa/Cairo', ...window)).toEqual(['2023-04-27T22:30:00Z'])
  expect(due('30 0 * * FRI', 'Africa/Cairo', ...window, { gap: 'skip' })).toEqual([])
})

test('Cairo 26 October 2023 repeats its last hour', () => {
  expect(due('30 23 * * *', 'Africa/Cairo', '2023-10-26T12:00Z', '2023-10-27T12:00Z', { overlap: 'both' })).toEqual([
    '2023-10-26T20:30:00Z',
    '2023-10-26T21:30:00Z',
  ])
})

test('Apia had no 30 December 2011', () => {
  const window = ['2011-12-29T00:00Z', '2012-01-02T00:00Z'] as const
  expect(due('0 0 30 12 *', 'Pacific/Apia', ...window)).toEqual(['2011-12-30T10:00:00Z'])
  expect(due('0 0 30 12 *', 'Pacific/Apia', ...window, { gap: 'skip' })).toEqual([])
  expect(due('0 12 29,30,31 12 *', 'Pacific/Apia', ...window)).toEqual(['2011-12-29T22:00:00Z', '2011-12-30T22:00:00Z'])
  expect(due('0 12 30 12 *', 'Pacific/Apia', ...window)).toEqual(['2011-12-30T22:00:00Z'])
})

test('Havana 3 November 2024 has midnight twice, 10 March has none', () => {
  const autumn = ['2024-11-02T12:00Z', '2024-11-03T12:00Z'] as const
  expect(due('0 0 * * *', 'America/Havana', ...autumn)).toEqual(['2024-11-03T04:00:00Z'])
  expect(due('0 0 * * *', 'America/Havana', ...autumn, { overlap: 'last' })).toEqual(['2024-11-03T05:00:00Z'])
  expect(due('30 0 * * *', 'America/Havana', '2024-03-09T12:00Z', '2024-03-10T12:00Z')).toEqual([
    '2024-03-10T05:30:00Z',
  ])
})

test('Chatham moves at 02:45 and 03:45', () => {
  const autumn = ['2024-04-06T11:00Z', '2024-04-07T11:00Z'] as const
  expect(due('0 3 * * *', 'Pacific/Chatham', ...autumn, { overlap: 'both' })).toEqual([
    '2024-04-06T13:15:00Z',
    '2024-04-06T14:15:00Z',
  ])
  expect(due('0 3 * * *', 'Pacific/Chatham', '2024-09-28T12:00Z', '2024-09-29T11:00Z')).toEqual([
    '2024-09-28T14:15:00Z',
  ])
})

test('Troll moves by two hours', () => {
  expect(due('30 1,2,4 31 3 *', 'Antarctica/Troll', '2024-03-31T00:00Z', '2024-04-01T00:00Z')).toEqual([
    '2024-03-31T01:30:00Z',
    '2024-03-31T02:30:00Z',
  ])
})

test('Monrovia was 44 minutes and 30 seconds behind until 7 January 1972', () => {
  expect(due('0 0 * * *', 'Africa/Monrovia', '1972-01-05T12:00Z', '1972-01-08T12:00Z')).toEqual([
    '1972-01-06T00:44:30Z',
    '1972-01-07T00:44:30Z',
    '1972-01-08T00:00:00Z',
  ])
})

test('the rules of New York still hold in 2099', () => {
  expect(due('30 2 8 3 *', 'America/New_York', '2099-01-01T00:00Z', '2100-01-01T00:00Z')).toEqual([
    '2099-03-08T07:30:00Z',
  ])
})

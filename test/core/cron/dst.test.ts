import { describe, expect, test } from 'vitest'
import { compileCron, type Dst } from '../../../shared/core/cron/cron.ts'
import { at, iso, nextFew } from '../../support/time.ts'

const next = (cron: string, zone: string, after: string, count: number, dst?: Dst) =>
  nextFew(compileCron(cron, dst === undefined ? { zone } : { zone, dst }), after, count)

describe('on the day clocks go forward', () => {
  test('a daily 02:30 fires once, an hour later', () => {
    expect(next('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:30:00Z',
      '2026-03-09T06:30:00Z',
    ])
  })

  test('a daily 02:30 still fires after a restart at 03:10', () => {
    expect(next('30 2 * * *', 'America/New_York', '2026-03-08T07:10:00Z', 1)).toEqual(['2026-03-08T07:30:00Z'])
  })

  test('a daily 02:30 that skips gaps fires the day after', () => {
    const skip: Dst = { gap: 'skip', overlap: 'first' }
    expect(next('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 1, skip)).toEqual(['2026-03-09T06:30:00Z'])
  })

  test('midnight in Cairo, which does not exist that day, fires at 01:00', () => {
    expect(next('0 0 * * *', 'Africa/Cairo', '2026-04-23T12:00:00Z', 1)).toEqual(['2026-04-23T22:00:00Z'])
  })

  test('02:15 on Lord Howe, whose gap is half an hour, fires at 02:45', () => {
    expect(next('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', 1)).toEqual(['2026-10-03T15:45:00Z'])
  })

  test('a shifted time that lands on another of the same schedule is one instant', () => {
    expect(next('0 2,3 * * *', 'America/New_York', '2026-03-08T06:00:00Z', 2)).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:00:00Z',
    ])
  })

  test('noon of the day that Apia left out fires a day later, with that day’s own', () => {
    expect(next('0 12 * * *', 'Pacific/Apia', '2011-12-29T12:00:00Z', 3)).toEqual([
      '2011-12-29T22:00:00Z',
      '2011-12-30T22:00:00Z',
      '2011-12-31T22:00:00Z',
    ])
    expect(next('0 12 30 12 *', 'Pacific/Apia', '2011-01-01T00:00:00Z', 1)).toEqual(['2011-12-30T22:00:00Z'])
  })

  test('an hourly job fires every hour that passes', () => {
    expect(next('0 * * * *', 'America/New_York', '2026-03-08T05:59:00Z', 3)).toEqual([
      '2026-03-08T06:00:00Z',
      '2026-03-08T07:00:00Z',
      '2026-03-08T08:00:00Z',
    ])
  })
})

describe('on the day clocks go back', () => {
  test('a daily 01:30 fires once, at its first occurrence', () => {
    expect(next('30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-02T06:30:00Z',
    ])
  })

  test('a daily 01:30 does not fire again after a restart in the second 01:10', () => {
    expect(next('30 1 * * *', 'America/New_York', '2026-11-01T06:10:00Z', 1)).toEqual(['2026-11-02T06:30:00Z'])
  })

  test('a daily 01:30 may ask for its last occurrence, or for both', () => {
    const zone = 'America/New_York'
    expect(next('30 1 * * *', zone, '2026-10-31T12:00:00Z', 1, { gap: 'shift', overlap: 'last' })).toEqual([
      '2026-11-01T06:30:00Z',
    ])
    expect(next('30 1 * * *', zone, '2026-10-31T12:00:00Z', 2, { gap: 'shift', overlap: 'both' })).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
    ])
  })

  test('a job every quarter of an hour runs through both passes', () => {
    expect(next('*/15 * * * *', 'America/New_York', '2026-11-01T05:29:00Z', 4)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T05:45:00Z',
      '2026-11-01T06:00:00Z',
      '2026-11-01T06:15:00Z',
    ])
  })

  test('a job every quarter of the night hours pauses through the repeated hour', () => {
    expect(next('*/15 0-6 * * *', 'America/New_York', '2026-11-01T05:29:00Z', 3)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T05:45:00Z',
      '2026-11-01T07:00:00Z',
    ])
  })
})

// Cases in which cron-parser's own iterator goes wrong; the letters are those of the report to its authors.
describe('what cron-parser gets wrong', () => {
  test('A: 32,57 in Chatham goes on forwards', () => {
    expect(next('32,57 * * * *', 'Pacific/Chatham', '2027-04-03T12:51:00Z', 4)).toEqual([
      '2027-04-03T13:12:00Z',
      '2027-04-03T13:47:00Z',
      '2027-04-03T14:12:00Z',
      '2027-04-03T14:47:00Z',
    ])
  })

  test('B: an hourly job on Lord Howe passes the half-hour fold', () => {
    expect(next('0 * * * *', 'Australia/Lord_Howe', '2026-04-04T13:30:00Z', 3)).toEqual([
      '2026-04-04T14:00:00Z',
      '2026-04-04T15:30:00Z',
      '2026-04-04T16:30:00Z',
    ])
  })

  test.each([
    ['Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00Z'],
    ['Asia/Beirut', '2026-03-28T12:00:00Z', '2026-03-28T22:00:00Z'],
    ['America/Havana', '2026-03-07T12:00:00Z', '2026-03-08T05:00:00Z'],
    ['America/Santiago', '2026-09-05T12:00:00Z', '2026-09-06T04:00:00Z'],
  ])('C: @daily in %s is not lost on the day without midnight', (zone, after, expected) => {
    expect(next('@daily', zone, after, 1)).toEqual([expected])
  })

  test('D: 18 12-22 in Nuuk loses none of its eleven runs', () => {
    const cron = compileCron('18 12-22 * * *', { zone: 'America/Nuuk' })
    const found: number[] = []
    cron.between(at('2026-03-28T04:00:00Z'), at('2026-03-29T04:00:00Z'), found)
    expect(found.map(iso)).toEqual(
      Array.from({ length: 11 }, (_, hour) => iso(at('2026-03-28T14:18:00Z') + hour * 3600)),
    )
  })

  test.each([
    ['America/Havana', '2026-10-31T12:00:00Z', '2026-11-01T04:00:00Z'],
    ['Asia/Amman', '2021-10-28T12:00:00Z', '2021-10-28T21:00:00Z'],
  ])('E: a repeated midnight in %s fires at its first occurrence', (zone, after, expected) => {
    expect(next('0 0 * * *', zone, after, 1)).toEqual([expected])
  })

  test('E: every minute of the first and the last day loses no run in the Azores', () => {
    const cron = compileCron('* * 1,L * *', { zone: 'Atlantic/Azores' })
    const found: number[] = []
    cron.between(at('2024-03-31T01:00:00Z'), at('2024-04-01T00:00:00Z'), found)
    expect(found).toHaveLength(23 * 60)
  })
})

test('a year far ahead has the same rule, found without walking there', () => {
  expect(next('30 2 * * *', 'Europe/Brussels', '9998-03-28T12:00:00Z', 2)).toEqual([
    '9998-03-29T01:30:00Z',
    '9998-03-30T00:30:00Z',
  ])
  expect(next('0 0 1 1 *', 'UTC', '9999-06-01T00:00:00Z', 2)).toEqual(['never'])
})

test('nothing comes before 1970', () => {
  const cron = compileCron('0 0 * * *', { zone: 'America/New_York' })
  expect(iso(cron.previous(at('1970-01-01T05:00:00Z')))).toBe('never')
  expect(iso(cron.previous(at('1970-01-01T05:00:01Z')))).toBe('1970-01-01T05:00:00Z')
  expect(iso(cron.previous(0))).toBe('never')
  expect(iso(cron.next(-1000))).toBe('1970-01-01T05:00:00Z')
})

test('a schedule that every year falls into the skipped hour never fires', () => {
  const cron = compileCron('30 2 * 3 0#2', { zone: 'America/Denver', dst: { gap: 'skip', overlap: 'first' } })
  expect(cron.next(at('2026-01-01T00:00:00Z'))).toBe(-1)
})

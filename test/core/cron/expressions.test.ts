import { describe, expect, test } from 'vitest'
import { compileCron } from '../../../shared/core/cron/cron.ts'
import { DAYS, WEEKDAYS } from '../../../shared/core/cron/masks.ts'
import { at, iso, nextFew } from '../../support/time.ts'

const days = (cron: string, after: string, count: number) =>
  nextFew(compileCron(cron), after, count).map((text) => text.slice(0, 10))

describe('what cron-parser lacks', () => {
  test('15W is the weekday nearest to the 15th', () => {
    expect(days('0 0 15W * *', '2026-01-01T00:00:00Z', 4)).toEqual([
      '2026-01-15',
      '2026-02-16',
      '2026-03-16',
      '2026-04-15',
    ])
  })

  test('1W on a Saturday is Monday the 3rd, and 31W on a Sunday the Friday before', () => {
    expect(days('0 0 1W 8 *', '2026-07-01T00:00:00Z', 1)).toEqual(['2026-08-03'])
    expect(days('0 0 31W 5 *', '2026-05-01T00:00:00Z', 1)).toEqual(['2026-05-29'])
  })

  test('31W skips months without a 31st', () => {
    expect(days('0 0 31W * *', '2026-03-31T12:00:00Z', 2)).toEqual(['2026-05-29', '2026-07-31'])
  })

  test('LW is the last day from Monday to Friday', () => {
    expect(days('0 0 LW * *', '2026-01-01T00:00:00Z', 3)).toEqual(['2026-01-30', '2026-02-27', '2026-03-31'])
    expect(days('0 0 WL * *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-30'])
  })

  test('L-3 is three days before the last, and L-30 only exists in months of 31 days', () => {
    expect(days('0 0 L-3 * *', '2026-01-01T00:00:00Z', 2)).toEqual(['2026-01-28', '2026-02-25'])
    expect(days('0 0 L-30 * *', '2026-01-15T00:00:00Z', 2)).toEqual(['2026-03-01', '2026-05-01'])
  })

  test('moving days stand in lists with plain ones', () => {
    expect(days('0 0 1,15W,L-1,LW * *', '2026-01-01T12:00:00Z', 3)).toEqual(['2026-01-15', '2026-01-30', '2026-02-01'])
  })

  test('a star beside a moving day does not make the field unrestricted', () => {
    expect(days('0 0 15W,* * 1', '2026-01-01T12:00:00Z', 3)).toEqual(['2026-01-02', '2026-01-03', '2026-01-04'])
  })

  test('a moving day beside a number that its month lacks still fires', () => {
    expect(days('0 0 16W,30 2 *', '2026-01-01T00:00:00Z', 2)).toEqual(['2026-02-16', '2027-02-16'])
    expect(days('0 0 LW,31 11 *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-11-30'])
    expect(days('0 0 L-19,31 9 *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-09-11'])
  })

  test('@midnight is @daily', () => {
    expect(nextFew(compileCron('@midnight'), '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-02T00:00:00Z'])
    expect(nextFew(compileCron('@DAILY'), '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-02T00:00:00Z'])
  })
})

describe('what cron-parser refuses', () => {
  test.each([
    ['0,0,30 * * * *', '0,30 * * * *'],
    ['*/5,10 * * * *', '*/5 * * * *'],
    ['1-10,5 * * * *', '1-10 * * * *'],
    ['0 0 * * 0,7', '0 0 * * 0'],
    ['0 0 * * 0-7', '0 0 * * 0,1,2,3,4,5,6'],
    ['0 0 L,L * *', '0 0 L * *'],
    ['0 0 * * 3L,3L,WEDL', '0 0 * * 3L'],
    ['0 22-4 * * *', '0 0,1,2,3,4,22,23 * * *'],
    ['0 22-4/2 * * *', '0 0,2,4,22 * * *'],
    ['0 0 29-2 * *', '0 0 1,2,29,30,31 * *'],
    ['0 0 * 11-FEB *', '0 0 * 1,2,11,12 *'],
    ['0 0 * * 6-1', '0 0 * * 0,1,6'],
    ['0 0 * * FRI-MON', '0 0 * * 0,1,5,6'],
    ['0 0 * * 7-2', '0 0 * * 0,1,2'],
    ['58-2 * * * * *', '0,1,2,58,59 * * * * *'],
  ])('%s means %s', (text, plain) => {
    expect(compileCron(text).words).toEqual(compileCron(plain).words)
  })
})

describe('the days of a month and of a week', () => {
  test('both restricted: either matches', () => {
    expect(days('0 0 13 * 5', '2026-02-10T00:00:00Z', 3)).toEqual(['2026-02-13', '2026-02-20', '2026-02-27'])
  })

  test('a step counts as restricted, a question mark does not', () => {
    expect(days('0 0 */20 * 1', '2026-02-01T12:00:00Z', 3)).toEqual(['2026-02-02', '2026-02-09', '2026-02-16'])
    expect(days('0 0 ? * 1', '2026-02-01T12:00:00Z', 2)).toEqual(['2026-02-02', '2026-02-09'])
  })

  test('the last Friday and the second Friday', () => {
    expect(days('0 0 * * 5L', '2026-02-01T00:00:00Z', 2)).toEqual(['2026-02-27', '2026-03-27'])
    expect(days('0 0 * * FRI#2', '2026-02-01T00:00:00Z', 2)).toEqual(['2026-02-13', '2026-03-13'])
    expect(days('0 0 * * 1,3L', '2026-02-20T00:00:00Z', 3)).toEqual(['2026-02-23', '2026-02-25', '2026-03-02'])
  })

  test('the fifth Monday of February waits for a leap year that begins right', () => {
    expect(days('0 0 * 2 1#5', '2026-01-01T00:00:00Z', 2)).toEqual(['2044-02-29', '2072-02-29'])
  })

  test('29 February waits eight years around 2100', () => {
    expect(days('0 0 29 2 *', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29'])
  })
})

test('six fields have the second first', () => {
  expect(nextFew(compileCron('20,40 30 9 * * *'), '2026-01-01T09:30:20Z', 2)).toEqual([
    '2026-01-01T09:30:40Z',
    '2026-01-02T09:30:20Z',
  ])
})

test('a step from a value goes to the end of its field', () => {
  expect(compileCron('5/15 * * * *').words).toEqual(compileCron('5,20,35,50 * * * *').words)
  expect(compileCron('0 0 * * 1/2').words).toEqual(compileCron('0 0 * * 0,1,3,5').words)
})

describe('H takes its value from the job', () => {
  test('the same for the same job, whenever it is compiled', () => {
    const [first, second] = ['a', 'a'].map((hashSeed) => compileCron('H H(1-4) * * *', { hashSeed }).words)
    expect(first).toEqual(second)
    expect(compileCron('H H * * *').words).toEqual(compileCron('H H * * *').words)
  })

  test('different jobs spread over the hour', () => {
    const minutes = Array.from({ length: 200 }, (_, job) =>
      compileCron('H * * * *', { hashSeed: `job-${job}` }).next(0),
    )
    expect(new Set(minutes).size).toBeGreaterThan(40)
  })

  test('in lists, in ranges that go round, and on days that every month has', () => {
    for (let job = 0; job < 300; job++) {
      const hashSeed = `job-${job}`
      expect(compileCron('0 0 H * *', { hashSeed }).words[DAYS] & ~0xfffffff).toBe(0)
      const hours: number[] = []
      compileCron('0 H(22-4) * * *', { hashSeed }).between(0, 86_400, hours)
      expect([22, 23, 0, 1, 2, 3, 4]).toContain(hours[0] / 3600)
      compileCron('H,30 H/6 * * H', { hashSeed })
      compileCron('0 0 * * H/1', { hashSeed })
    }
    const weekdays = Array.from(
      { length: 3500 },
      (_, job) => compileCron('0 0 * * H', { hashSeed: `${job}` }).words[WEEKDAYS] & 127,
    )
    for (let weekday = 0; weekday < 7; weekday++) {
      expect(Math.abs(weekdays.filter((bits) => bits === 1 << weekday).length - 500)).toBeLessThan(100)
    }
  })

  test('within its range and with its step', () => {
    for (let job = 0; job < 50; job++) {
      const found: number[] = []
      compileCron('H(10-19)/5 * * * *', { hashSeed: `${job}` }).between(0, 3600, found)
      expect(found.map((second) => second / 60).every((minute) => minute >= 10 && minute <= 19)).toBe(true)
      expect(found).toHaveLength(2)
    }
  })
})

test('previous is the mirror of next, through minutes, hours, days, months and years', () => {
  for (const cron of [
    '7 * * * * *',
    '3,50 2,40 * * * *',
    '0 9 * * 1-5',
    '0 0 29 2 *',
    '59 59 23 31 12 *',
    '*/20 */7 1-5 */10 3,11 *',
  ]) {
    const compiled = compileCron(cron)
    let t = at('2026-02-11T10:20:30Z')
    for (let step = 0; step < 50; step++) {
      const next = compiled.next(t)
      expect(iso(compiled.previous(next + 1))).toBe(iso(next))
      expect(compiled.previous(next)).toBeLessThanOrEqual(t)
      t = next
    }
  }
})

test('a fleet of more expressions than the cache holds still compiles', () => {
  for (let minute = 0; minute < 60; minute++) {
    for (let hour = 0; hour < 24; hour++)
      for (let day = 1; day <= 15; day++) compileCron(`${minute} ${hour} ${day} * *`)
  }
  expect(nextFew(compileCron('59 23 15 * *'), '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-15T23:59:00Z'])
})

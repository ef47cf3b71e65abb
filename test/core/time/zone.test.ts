import { describe, expect, test } from 'vitest'
import { InputError } from '../../../shared/core/errors.ts'
import { FOLD_FIRST, FOLD_LAST, PLAIN } from '../../../shared/core/time/zone.ts'
import { zoneOf } from '../../../shared/core/time/zones.ts'
import { at } from '../../support/time.ts'

const format = (zone: string) =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' })

/** Offset by the platform, computed in another way than the product does. */
function platformOffset(formatter: Intl.DateTimeFormat, second: number): number {
  const [month, day, year, hour, minute, sec] = formatter
    .format(second * 1000)
    .split(/[^\d]+/)
    .map(Number)
  return Date.UTC(2000 + year, month - 1, day, hour, minute, sec) / 1000 - second
}

test('offsets agree with the platform in every zone, every six hours of two years', () => {
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const zone = zoneOf(name)
    const formatter = format(name)
    for (let second = at('2026-01-01T00:30:00Z'); second < at('2028-01-01T00:00:00Z'); second += 6 * 3600) {
      if (zone.offsetAt(second) !== platformOffset(formatter, second)) expect.fail(`${name} at ${second}`)
    }
  }
})

test('two changes within a week are both seen', () => {
  const zone = zoneOf('Asia/Gaza')
  const formatter = format('Asia/Gaza')
  for (const year of [2040, 2054, 2072]) {
    for (let second = at(`${year}-03-01T00:30:00Z`); second < at(`${year}-12-01T00:00:00Z`); second += 3600) {
      if (zone.offsetAt(second) !== platformOffset(formatter, second))
        expect.fail(`${new Date(second * 1000).toISOString()}`)
    }
  }
})

test('a table asked about an earlier time grows backwards and keeps its answers', () => {
  const zone = zoneOf('Europe/Lisbon')
  const summer = zone.offsetAt(at('2030-07-01T00:00:00Z'))
  expect(zone.offsetAt(at('1993-07-01T00:00:00Z'))).toBe(7200)
  expect(zone.offsetAt(at('2030-07-01T00:00:00Z'))).toBe(summer)
})

test('a zone that moved off the quarter of an hour is exact to the second', () => {
  const zone = zoneOf('Africa/Monrovia')
  expect(zone.offsetAt(at('1972-01-07T00:44:29Z'))).toBe(-2670)
  expect(zone.offsetAt(at('1972-01-07T00:44:30Z'))).toBe(0)
})

test('the hour that comes twice is two pieces around the jump', () => {
  const zone = zoneOf('America/New_York')
  const kindAt = (text: string) => {
    const table = zone.tableAt(at(text))
    const piece = table.pieceAt(at(text))
    return table.kinds[piece]
  }
  expect(kindAt('2026-11-01T04:59:59Z')).toBe(PLAIN)
  expect(kindAt('2026-11-01T05:00:00Z')).toBe(FOLD_FIRST)
  expect(kindAt('2026-11-01T06:00:00Z')).toBe(FOLD_LAST)
  expect(kindAt('2026-11-01T07:00:00Z')).toBe(PLAIN)
})

test('a far year is answered without scanning the years between', () => {
  const zone = zoneOf('America/Halifax')
  zone.offsetAt(at('2026-01-01T00:00:00Z'))
  const near = zone.tableAt(at('2026-01-01T00:00:00Z')).starts.length
  expect(zone.offsetAt(at('9998-07-01T00:00:00Z'))).toBe(-3 * 3600)
  expect(zone.tableAt(at('9998-07-01T00:00:00Z')).starts.length).toBeLessThan(20)
  expect(zone.tableAt(at('2026-01-01T00:00:00Z')).starts.length).toBe(near)
})

test('the year 9998 has its summer time', () => {
  const zone = zoneOf('Europe/Brussels')
  expect(zone.offsetAt(at('9998-07-01T12:00:00Z'))).toBe(7200)
  expect(zone.offsetAt(at('9998-12-01T12:00:00Z'))).toBe(3600)
})

describe('a name that is no zone is refused with the right one where it can be guessed', () => {
  test.each([
    ['europe/brussels', 'Use Europe/Brussels'],
    ['EUROPE/BRUSSELS', 'Use Europe/Brussels'],
    ['new york', 'Use America/New_York'],
    ['Mars/Olympus', 'Use a name such as UTC'],
    ['', 'Use a name such as UTC'],
    ['+05:30', 'Use a name such as UTC'],
    ['Etc/GMT+25', 'Use a name such as UTC'],
    ['BST', 'Use a name such as UTC'],
    ['AST', 'Use a name such as UTC'],
    ['Utc', 'Use a name such as UTC'],
    ['x'.repeat(10_000), 'Use a name such as UTC'],
  ])('%j', (name, remedy) => {
    expect(() => zoneOf(name)).toThrow(InputError)
    expect(() => zoneOf(name)).toThrow(remedy)
  })
})

test('odd spellings of one zone share its tables and do not pile up', () => {
  expect(zoneOf('US/Eastern')).toBe(zoneOf('America/New_York'))
  const spelled = (bits: number) =>
    [...'omodrivadavia'].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter))
  for (let bits = 0; bits < 2100; bits++) zoneOf(`America/Argentina/C${spelled(bits).join('')}`)
  expect(zoneOf('US/Eastern').offsetAt(at('2026-01-01T00:00:00Z'))).toBe(-5 * 3600)
})

test('older names of zones are still understood', () => {
  expect(zoneOf('US/Eastern').offsetAt(at('2026-01-01T00:00:00Z'))).toBe(-5 * 3600)
  expect(zoneOf('Asia/Kolkata').offsetAt(at('2026-01-01T00:00:00Z'))).toBe(5.5 * 3600)
})

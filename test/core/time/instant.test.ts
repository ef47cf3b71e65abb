import { describe, expect, test } from 'vitest'
import { InputError } from '../../../shared/core/errors.ts'
import { formatInstant, formatLocal, parseDate, parseInstant } from '../../../shared/core/time/instant.ts'

test('a time with an offset is the same instant as its UTC form', () => {
  expect(parseInstant('2026-12-01T10:00:00+01:00', 'at')).toBe(parseInstant('2026-12-01T09:00:00Z', 'at'))
  expect(parseInstant('2026-12-01T04:30-04:30', 'at')).toBe(parseInstant('2026-12-01T09:00:00.000Z', 'at'))
})

test('an instant is written as it was read', () => {
  for (const text of ['1970-01-01T00:00:00Z', '2026-02-28T23:59:59Z', '9999-12-31T23:59:59Z']) {
    expect(formatInstant(parseInstant(text, 'at'))).toBe(text)
  }
})

test('local time shows the offset of the zone, also a negative and a half-hour one', () => {
  const second = parseInstant('2026-03-08T07:30:00Z', 'at')
  expect(formatLocal(second, -4 * 3600)).toBe('2026-03-08T03:30:00-04:00')
  expect(formatLocal(second, 10.5 * 3600)).toBe('2026-03-08T18:00:00+10:30')
})

describe('a time that is not one is refused with its field, its value and what to write', () => {
  const bad = [
    ...[
      '',
      'tomorrow',
      '2026-12-01',
      '2026-12-01T09:00:00',
      '2026-12-01 09:00:00Z',
      '1764579600',
      '2026-12-01T09:00:00.5Z',
    ],
    ...[
      '2026-13-01T09:00:00Z',
      '2026-02-29T09:00:00Z',
      '2026-12-00T09:00:00Z',
      '2026-00-10T09:00:00Z',
      '2026-04-31T09:00:00Z',
    ],
    ...['2026-12-01T24:00:00Z', '2026-12-01T09:60:00Z', '2026-12-01T09:00:60Z', '2026-12-01T09:00:00+99:00'],
    ...[
      '2026-12-01T09:00:00+01:60',
      '１２',
      '0000-01-01T00:00:00Z',
      '1969-12-31T23:59:59Z',
      '9999-12-31T23:59:59-01:00',
    ],
    ...['+275760-09-13T00:00:00Z'],
  ]
  test.each(bad)('%j', (text) => {
    const read = () => parseInstant(text, 'startAt')
    expect(read).toThrow(InputError)
    expect(read).toThrow(/^startAt ".*": .+\. Use /)
  })
})

test('a date exists or is null', () => {
  expect(parseDate('2024-02-29')).toBe(19_782)
  expect(parseDate('2025-02-29')).toBeNull()
})

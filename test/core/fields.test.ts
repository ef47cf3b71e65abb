import { describe, expect, test } from 'vitest'
import { duration, time } from '../../shared/core/fields.ts'
import { parseDuration } from '../../shared/core/time/duration.ts'

describe('a duration', () => {
  test.each<[string | number, number | null]>([
    [0, 0],
    [90, 90],
    ['90s', 90],
    ['5m', 300],
    ['2h', 7200],
    ['1d', 86_400],
    ['0s', 0],
    [1.5, null],
    [Number.NaN, null],
    [2 ** 60, null],
    ['90', null],
    ['1.5h', null],
    ['-5s', null],
    [' 5s', null],
    ['5 s', null],
    ['1w', null],
    ['', null],
    ['9999999999s', null],
  ])('%j is %j seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  test('in a body is a number of seconds within its limits', () => {
    const schema = duration(10, 3600)
    expect([10, '10s', '1h', 3600].map((value) => schema.parse(value))).toEqual([10, 10, 3600, 3600])
    for (const bad of [9, 3601, '9s', '2h', 'soon', null, {}, 10.5]) {
      expect(schema.safeParse(bad).success, JSON.stringify(bad)).toBe(false)
    }
  })
})

describe('a time in a body', () => {
  test('is in Z once it is read', () => {
    expect(time('at').parse('2026-11-17T08:00:00+01:00')).toBe('2026-11-17T07:00:00Z')
    expect(time('at').safeParse('tomorrow').error?.issues[0].message).toContain('at "tomorrow"')
  })

  test('does not hide a fault that is not the user’s', () => {
    expect(() => time(Symbol('at') as unknown as string).parse('tomorrow')).toThrow(TypeError)
  })
})

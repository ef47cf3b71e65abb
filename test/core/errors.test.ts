import { expect, test } from 'vitest'
import { InputError, quote } from '../../shared/core/errors.ts'

test('a message carries the field, the value and the remedy, and the value cannot break out of it', () => {
  const error = new InputError({
    code: 'x',
    field: 'name',
    value: 'a"\n\u202e',
    problem: 'is odd',
    remedy: 'Use letters',
  })
  expect(error.message).toBe('name "a\\"\\n\\u202e": is odd. Use letters.')
  expect([error.name, error.code, error.field, error.remedy]).toEqual(['InputError', 'x', 'name', 'Use letters'])
})

test('a long value is cut and any kind of value is shown', () => {
  expect(quote('x'.repeat(100))).toBe(`"${'x'.repeat(60)}…"`)
  expect([quote(5), quote(null), quote(undefined), quote([1])]).toEqual(['"5"', '"null"', '"undefined"', '"[1]"'])
})

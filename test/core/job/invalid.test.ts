import { expect, test } from 'vitest'
import * as z from 'zod'
import { InputError } from '../../../shared/core/errors.ts'
import { faultOfError, faultsOf, InvalidInput, pointer } from '../../../shared/core/job/invalid.ts'
import { templateBody } from '../../../shared/core/schedule/template.ts'

const faults = (schema: z.ZodType, input: unknown) => faultsOf(schema.safeParse(input).error?.issues ?? [], input)

test('a path is a JSON Pointer, in which no name can be mistaken for two', () => {
  expect(pointer([])).toBe('')
  expect(pointer(['a/b', 0, '~x', 'c.d'])).toBe('/a~1b/0/~0x/c.d')
})

test('each field that does not exist is a fault up to the twentieth, then one for the others, and long names are cut', () => {
  const input = Object.fromEntries(Array.from({ length: 45 }, (_, n) => [n === 0 ? 'x'.repeat(80) : `field-${n}`, 1]))
  const all = faults(z.strictObject({}), input)
  expect(new Set(all.map(({ code }) => code))).toEqual(new Set(['field.unknown']))
  const paths = [`/${'x'.repeat(60)}…`, ...Array.from({ length: 19 }, (_, n) => `/field-${n + 1}`), '']
  expect(all.map(({ path }) => path)).toEqual(paths)
  expect(all[1].message).toBe('Remove field-1; there is no such field.')
  const others = Array.from({ length: 20 }, (_, n) => `field-${n + 20}`).join(', ')
  expect(all[20].message).toBe(`Remove ${others}, 5 more; there is no such field.`)
})

test('a list that is too short is told apart from a number that is too small', () => {
  expect(faults(templateBody, { schedules: [] })).toEqual([
    { path: '/schedules', code: 'field.too-small', message: 'got "[]". Use a length of at least 1.' },
  ])
  expect(faults(z.number().min(5), 3)).toEqual([
    { path: '', code: 'field.too-small', message: 'got "3". Use at least 5.' },
  ])
})

test('a fault of a kind that has no code of its own is invalid', () => {
  expect(faults(z.number().multipleOf(5), 3)[0].code).toBe('field.invalid')
  const even = z.number().refine((value) => value % 2 === 0, { error: 'Use an even number' })
  expect(faults(even, 3)).toEqual([{ path: '', code: 'field.invalid', message: 'got "3". Use an even number.' }])
})

test('of a choice of shapes the nearest tells what is wrong, and the choice where none is nearer', () => {
  const choice = z.union([z.strictObject({ a: z.string(), b: z.string() }), z.strictObject({ c: z.number() })], {
    error: 'Use a and b, or c',
  })
  expect(faults(choice, { a: 'x', b: 5 })).toMatchObject([{ path: '/b', code: 'field.type' }])
  expect(faults(z.union([z.strictObject({ a: z.string() }), z.strictObject({ c: z.number() })]), 5)).toHaveLength(1)
})

test('what a rule said about a field is a fault at its place', () => {
  const error = (part: object) =>
    new InputError({
      code: 'x.y',
      field: 'cron minute',
      value: 60,
      problem: 'is too much',
      remedy: 'Use less',
      ...part,
    })
  expect(faultOfError(error({}), '/schedules/0').path).toBe('/schedules/0/cron')
  expect(faultOfError(error({ path: '/dates/3' }))).toMatchObject({ path: '/dates/3', code: 'x.y' })
})

test('all faults together are one message, each with its path', () => {
  const body = { path: '', code: 'a', message: 'is too large.' }
  const field = { path: '/name', code: 'b', message: 'is missing.' }
  expect(new InvalidInput([body, field]).message).toBe('is too large.\n/name: is missing.')
})

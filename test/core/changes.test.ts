// What differs between two values, as the audit tells it.

import { expect, test } from 'vitest'
import { changesBetween } from '../../shared/core/changes.ts'

test('fields that differ are named by their place, and equal ones are not', () => {
  const from = { a: 1, list: [{ cron: 'x' }, 2], same: { deep: [1] }, gone: true }
  const to = { a: 2, list: [{ cron: 'y' }, 2], same: { deep: [1] }, 'new/one': null }
  expect(changesBetween(from, to)).toEqual([
    { path: '/a', from: 1, to: 2 },
    { path: '/list/0/cron', from: 'x', to: 'y' },
    { path: '/gone', from: true, to: null },
    { path: '/new~1one', from: null, to: null },
  ])
})

test('lists of another length and values of another kind are replaced whole', () => {
  expect(changesBetween({ a: [1] }, { a: [1, 2] })).toEqual([{ path: '/a', from: [1], to: [1, 2] }])
  expect(changesBetween({ a: [1] }, { a: { 0: 1 } })).toEqual([{ path: '/a', from: [1], to: { 0: 1 } }])
  expect(changesBetween({ a: null }, { a: {} })).toEqual([{ path: '/a', from: null, to: {} }])
})

test('a large value is named by its size, and of very many changes a hundred are kept', () => {
  const [change] = changesBetween({ payload: 'x' }, { payload: 'y'.repeat(5000) })
  expect(change).toEqual({ path: '/payload', from: 'x', to: '(5002 characters)' })
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n]))
  expect(changesBetween({}, many)).toHaveLength(100)
})

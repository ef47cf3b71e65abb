// Roles and the namespaces of keys.

import { expect, test } from 'vitest'
import { coversAll, coversNamespace, coversPatterns, mayActAs } from '../../../shared/core/access/role.ts'

test('each role may do what those below it may, and a worker stands apart', () => {
  expect(mayActAs('admin', 'viewer')).toBe(true)
  expect(mayActAs('operator', 'operator')).toBe(true)
  expect(mayActAs('operator', 'editor')).toBe(false)
  expect(mayActAs('worker', 'viewer')).toBe(false)
  expect(mayActAs('admin', 'worker')).toBe(false)
  expect(mayActAs('worker', 'worker')).toBe(true)
})

test('names, prefixes and the star reach what they say', () => {
  expect(coversNamespace(['billing'], 'billing')).toBe(true)
  expect(coversNamespace(['billing'], 'billing-2')).toBe(false)
  expect(coversNamespace(['cust-*'], 'cust-17')).toBe(true)
  expect(coversNamespace(['cust-*'], 'customers')).toBe(false)
  expect(coversNamespace(['*'], 'anything')).toBe(true)
  expect(coversAll(['a', '*'])).toBe(true)
  expect(coversAll(['a*'])).toBe(false)
})

test('a key covers another only where it reaches all that the other reaches', () => {
  expect(coversPatterns(['*'], ['billing', 'cust-*', '*'])).toBe(true)
  expect(coversPatterns(['cust-*'], ['cust-1', 'cust-2*', 'cust-*'])).toBe(true)
  expect(coversPatterns(['cust-*'], ['cust*'])).toBe(false)
  expect(coversPatterns(['cust-*'], ['*'])).toBe(false)
  expect(coversPatterns(['cust-1'], ['cust-*'])).toBe(false)
  expect(coversPatterns(['a', 'b'], ['b', 'a'])).toBe(true)
})

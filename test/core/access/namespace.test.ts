import { expect, test } from 'vitest'
import { NO_SETTINGS, namespaceBody } from '../../../shared/core/access/namespace.ts'

test('a namespace that was never put has no limits', () => {
  expect(NO_SETTINGS).toEqual({ limits: { jobs: null, triggersPerMinute: null }, notify: null })
})

test('a limit is a whole number, and what is not said is none', () => {
  expect(namespaceBody.parse({ limits: { jobs: 500 } }).limits).toEqual({ jobs: 500, triggersPerMinute: null })
  for (const jobs of [-1, 1.5, '500']) expect(namespaceBody.safeParse({ limits: { jobs } }).success).toBe(false)
  expect(namespaceBody.safeParse({ limits: { runs: 1 } }).success).toBe(false)
})

// What is kept of attempts.

import { expect, test } from 'vitest'
import { droppedAttempt } from '../../../shared/core/run/record.ts'

test('of many attempts the first and the newest nine stay', () => {
  const kept = new Set<number>()
  for (let attempt = 1; attempt <= 30; attempt++) {
    kept.add(attempt)
    kept.delete(droppedAttempt(attempt) ?? 0)
  }
  expect([...kept]).toEqual([1, 22, 23, 24, 25, 26, 27, 28, 29, 30])
})

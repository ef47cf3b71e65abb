import { expect, test } from 'vitest'
import { retryAfter, triggeredBy } from '../../../shared/core/run/settlement.ts'

const retry = { attempts: 1, delay: 10, maxDelay: 300 }

test('a failed or timed-out attempt is tried again while there are attempts, and nothing else is', () => {
  expect(retryAfter('FAILED', 1, retry, 0)).toBe(5)
  expect(retryAfter('TIMED_OUT', 1, retry, 0.999)).toBe(10)
  expect(retryAfter('FAILED', 2, retry, 0)).toBeNull()
  expect(retryAfter('CANCELLED', 1, retry, 0)).toBeNull()
  expect(retryAfter('SUCCEEDED', 1, retry, 0)).toBeNull()
})

test('what follows a run depends on how it ended, and nothing follows one that never ran', () => {
  const then = [
    { on: 'success', job: 'default/next' },
    { on: 'failure', job: 'default/repair' },
  ] as const
  expect(triggeredBy('SUCCEEDED', [...then])).toEqual(['default/next'])
  for (const status of ['FAILED', 'TIMED_OUT', 'LOST'] as const)
    expect(triggeredBy(status, [...then])).toEqual(['default/repair'])
  for (const status of ['CANCELLED', 'SKIPPED', 'DISCARDED', 'EXPIRED', 'MISSED'] as const)
    expect(triggeredBy(status, [...then])).toEqual([])
})

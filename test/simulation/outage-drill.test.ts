// The outage drill in small: a few of the jobs, and half an hour.

import { expect, test } from 'vitest'
import { outageDrill } from './outage-drill.ts'

test('after half an hour without the store each job does what it says, and on-time work is on time', {
  timeout: 120_000,
}, async () => {
  const drill = await outageDrill({ fireOnce: 14, doNothing: 4, catchUp: 5, outageMinutes: 30 })
  expect(drill.violations).toEqual([])
  expect(drill.late).toEqual({ fireOnce: 14, doNothing: 0, catchUp: 150 })
  expect(drill.countedMissed).toEqual({ fireOnce: 14 * 29, doNothing: 4 * 30, catchUp: 0 })
  expect(drill.mostCaughtUp.byALink).toBeLessThanOrEqual(50)
  expect(drill.onTime.runs).toBeGreaterThan(100)
  expect(drill.onTime.p99Ms).toBeLessThan(3000)
})

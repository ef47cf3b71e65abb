// The outage drill with a tenth of the jobs, and half an hour. The whole of it has its own command.

import { expect, test } from 'vitest'
import { outageDrill } from './outage-drill.ts'

test('after half an hour without the store each job does what it says, and on-time work is on time', {
  timeout: 120_000,
}, async () => {
  const drill = await outageDrill({ fireOnce: 70, doNothing: 20, catchUp: 10, outageMinutes: 30 })
  expect(drill.violations).toEqual([])
  expect(drill.late).toEqual({ fireOnce: 70, doNothing: 0, catchUp: 300 })
  expect(drill.countedMissed).toEqual({ fireOnce: 70 * 29, doNothing: 20 * 30, catchUp: 0 })
  expect(drill.mostCaughtUp.byALink).toBeLessThanOrEqual(50)
  expect(drill.onTime.runs).toBeGreaterThan(300)
  expect(drill.onTime.p99Ms).toBeLessThan(3000)
})

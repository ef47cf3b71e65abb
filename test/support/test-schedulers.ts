// Schedulers that are closed after the test that built them.

import { afterEach } from 'vitest'
import { TestScheduler, type TestSchedulerOptions } from './test-scheduler.ts'

/** To be called once in a test file; what it returns builds a scheduler that is running. */
export function schedulersOfThisFile(): (options?: TestSchedulerOptions) => TestScheduler {
  const schedulers: TestScheduler[] = []
  afterEach(async () => {
    for (const scheduler of schedulers.splice(0)) await scheduler.close()
  })
  return (options) => {
    const scheduler = new TestScheduler(options)
    schedulers.push(scheduler)
    scheduler.rig.start()
    return scheduler
  }
}

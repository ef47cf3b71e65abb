import { expect, test } from 'vitest'
import { jobSummary } from '../../functions/http/answers/job.ts'
import { SearchedJob } from '../../shared/core/job/searched-job.ts'
import { stopOf, storedJob } from '../support/stored-job.ts'

const HOURLY = { schedules: [{ every: 3600, anchor: '1970-01-01T00:00:00Z' }] }

test('the summary of a job is the same until its next fire has passed', () => {
  const found = new SearchedJob(storedJob('a', HOURLY), { lastOf: () => null })
  const first = jobSummary(found, 2000)
  expect(first).toMatchObject({
    status: 'RUNNING',
    next: ['1970-01-01T01:00:00Z', '1970-01-01T02:00:00Z', '1970-01-01T03:00:00Z'],
  })
  expect(jobSummary(found, 3599)).toBe(first)
  expect(jobSummary(found, 3600)).toMatchObject({
    next: ['1970-01-01T02:00:00Z', '1970-01-01T03:00:00Z', '1970-01-01T04:00:00Z'],
  })
})

test('the summary of a stopped job says so until the stop is over', () => {
  const stopped = stopOf({ until: 3000 })
  const found = new SearchedJob(storedJob('a', HOURLY, { status: 'STOPPED', stopped }), { lastOf: () => null })
  expect(jobSummary(found, 2999)).toMatchObject({ status: 'STOPPED', stopped: { until: '1970-01-01T00:50:00Z' } })
  expect(jobSummary(found, 3000)).toMatchObject({ status: 'RUNNING', stopped: null })
})

import { expect, test } from 'vitest'
import { explanationOf, nextRunsOf, SearchedJob } from '../../../shared/core/job/searched-job.ts'
import { NEVER } from '../../../shared/core/time/instants.ts'
import { storedJob } from '../../support/stored-job.ts'

const NEVER_FAILED = { lastOf: () => null }
const searched = (part: object) => new SearchedJob(storedJob('a', part), NEVER_FAILED)

test('a listed job shows its next three fires, and others once the first has passed', () => {
  const job = searched({ schedules: [{ every: 60, anchor: '1970-01-01T00:00:00Z' }] })
  expect(job.nextRuns(1010)).toEqual([1020, 1080, 1140])
  expect(job.nextRuns(1019)).toBe(job.nextRuns(1010))
  expect(job.nextRuns(1020)).toEqual([1080, 1140, 1200])
  expect(job.next(1020)).toBe(1080)
})

test('a listed job that is due once has one fire ahead, and then none', () => {
  const job = searched({ schedules: [{ at: '1970-01-01T00:20:00Z' }] })
  expect(job.nextRuns(1100)).toEqual([1200])
  expect(job.nextRuns(1200)).toEqual([])
  expect(job.next(1200)).toBe(NEVER)
})

test('a listed job says the same of itself as the job alone does', () => {
  const job = storedJob('a', { schedules: [{ cron: '0 12 * * *' }, { every: 3600 }] })
  const listed = new SearchedJob(job, NEVER_FAILED)
  expect(listed.nextRuns(2000)).toEqual(nextRunsOf(job, 2000))
  expect(listed.explanation).toEqual(['at 12:00 every day, UTC', 'every hour'])
  expect(listed.explanation).toEqual(explanationOf(job))
  expect(listed.explanation).toBe(listed.explanation)
})

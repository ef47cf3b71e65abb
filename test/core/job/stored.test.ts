import { describe, expect, test } from 'vitest'
import {
  deletedFrom,
  fullNameOf,
  isDeleted,
  present,
  statusAt,
  stopAt,
  versionOf,
} from '../../../shared/core/job/stored.ts'
import { stopOf, storedJob } from '../../support/stored-job.ts'

describe('the status of a job at a second', () => {
  const stopped = storedJob('a', {}, { status: 'STOPPED', stopped: stopOf({ until: 2000 }) })

  test('is running from the end of its stop on, without a write', () => {
    expect([1999, 2000].map((second) => statusAt(stopped, second))).toEqual(['STOPPED', 'RUNNING'])
    expect(stopAt(stopped, 1999)?.reason).toBe('enough')
    expect(stopAt(stopped, 2000)).toBeNull()
  })

  test('stays stopped where the stop has no end', () => {
    const forGood = storedJob('a', {}, { status: 'STOPPED', stopped: stopOf() })
    expect(statusAt(forGood, 9e9)).toBe('STOPPED')
    expect(stopAt(forGood, 9e9)).not.toBeNull()
    expect(statusAt(storedJob('a'), 5000)).toBe('RUNNING')
  })
})

test('a deleted job is as good as none, and counts as version 0', () => {
  const gone = storedJob('a', {}, { status: 'DELETED' })
  expect([isDeleted(gone), present(gone), versionOf(gone)]).toEqual([true, null, 0])
  const there = storedJob('a')
  expect([isDeleted(there), present(there), versionOf(there)]).toEqual([false, there, 1])
  expect([present(null), present(undefined), versionOf(null)]).toEqual([null, null, 0])
})

test('a job is deleted by itself only after its last instant, and only where it says so', () => {
  const over = stopOf({ code: 'NO_INSTANT_LEFT', atMs: 1_000_001 })
  const ofJob = (stopped: ReturnType<typeof stopOf> | null, deleteAfter: number | null) =>
    deletedFrom({ ...storedJob('a', { deleteAfter }), stopped })
  expect(ofJob(over, 3600)).toBe(1001 + 3600)
  expect([ofJob(over, null), ofJob(stopOf(), 3600), ofJob(null, 3600)]).toEqual([null, null, null])
})

test('the full name of a job has its namespace', () => {
  expect(fullNameOf(storedJob('a', { namespace: 'billing' }))).toBe('billing/a')
})

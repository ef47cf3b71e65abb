// A fire as a person reads it.

import { expect, test } from 'vitest'
import type { JobVersion } from '../../../shared/core/job/version.ts'
import type { DueItem } from '../../../shared/core/planner/due.ts'
import { describeFire } from '../../../shared/core/schedule/fire.ts'
import type { ScheduleSpec } from '../../../shared/core/schedule/schedule.ts'
import { parseInstant } from '../../../shared/core/time/instant.ts'

const version = (schedules: readonly ScheduleSpec[], startAt?: string): JobVersion => ({
  version: 1,
  activeFrom: 0,
  status: 'RUNNING',
  timing: { schedules, ...(startAt === undefined ? {} : { startAt }) },
  misfire: { policy: 'DO_NOTHING' },
  timeoutSeconds: 60,
  maxLatenessSeconds: null,
  priority: 0,
})

const fire = (text: string, kind: DueItem['kind'] = 'start') => {
  const second = parseInstant(text, 'at')
  return { second, nominal: second, kind }
}

const BERLIN = version([{ cron: '30 2 * * *', zone: 'Europe/Berlin' }])

test('a fire says what clocks show where its schedule lives', () => {
  expect(describeFire('job', BERLIN, fire('2027-03-27T01:30:00Z'))).toEqual({
    schedule: 0,
    zone: 'Europe/Berlin',
    local: '2027-03-27T02:30:00+01:00',
    dst: null,
  })
})

test('a time that clocks skip is marked, and so are both passes of one that they show twice', () => {
  expect(describeFire('job', BERLIN, fire('2027-03-28T01:30:00Z'))).toMatchObject({
    local: '2027-03-28T03:30:00+02:00',
    dst: 'GAP_SHIFTED',
  })
  expect(describeFire('job', BERLIN, fire('2027-10-31T00:30:00Z')).dst).toBe('FIRST_PASS')
  const last = { ...BERLIN, timing: { ...BERLIN.timing, dst: { gap: 'shift', overlap: 'last' } as const } }
  expect(describeFire('job', last, fire('2027-10-31T01:30:00Z')).dst).toBe('LAST_PASS')
})

test('of several schedules the one of its kind that brings it is named', () => {
  const several = version([{ kind: 'stop', every: 60 }, { every: 90 }, { cron: '0 * * * *', zone: 'Asia/Tokyo' }])
  expect(describeFire('job', several, fire('2027-01-01T05:00:00Z')).schedule).toBe(1)
  expect(describeFire('job', several, fire('2027-01-01T00:01:00Z', 'stop'))).toMatchObject({ schedule: 0, dst: null })
  const noon = version([{ every: 7 }, { cron: '0 12 * * *', zone: 'Asia/Tokyo' }])
  expect(describeFire('job', noon, fire('2027-01-01T03:00:00Z'))).toMatchObject({ schedule: 1, zone: 'Asia/Tokyo' })
})

test('an interval counts from the start of its job', () => {
  const counted = version([{ every: 3600 }], '2027-01-01T00:10:00Z')
  expect(describeFire('job', counted, fire('2027-01-01T05:10:00Z')).schedule).toBe(0)
  expect(describeFire('job', counted, fire('2027-01-01T05:00:00Z')).schedule).toBeNull()
})

test('a fire that was moved by hand has no schedule, and a job without any speaks of UTC', () => {
  expect(describeFire('job', BERLIN, fire('2027-01-01T09:00:00Z'))).toMatchObject({
    schedule: null,
    zone: 'Europe/Berlin',
    dst: null,
  })
  expect(describeFire('job', version([]), fire('2027-01-01T09:00:00Z'))).toMatchObject({ schedule: null, zone: 'UTC' })
})

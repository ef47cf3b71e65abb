import { describe, expect, test } from 'vitest'
import type { Job } from '../../../shared/core/job/job.ts'
import {
  changesOf,
  hasInstantLeft,
  isUnchanged,
  type Moment,
  refuseIfOver,
  resolvedOf,
  restate,
  writeOf,
} from '../../../shared/core/job/revise.ts'
import type { StoredJob } from '../../../shared/core/job/stored.ts'
import { ANNA } from '../../support/job-body.ts'
import { stopOf, storedJob } from '../../support/stored-job.ts'
import { iso } from '../../support/time.ts'

const later: Moment = { nowMs: 2_000_000, activeFrom: 2002, auditedThrough: 0 }
const again = (old: StoredJob, part: object = {}, revision: object = {}) =>
  storedJob(old.definition.name, part, { old, managedBy: old.managedBy, ...later, ...revision })

const often = { schedules: [{ every: 10 }] }
const once = (second: number) => ({ schedules: [{ at: iso(second) }] })

test('a job that no item of the store could hold is refused', () => {
  const headers = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`X-Header-${n}`, 'x'.repeat(1000)]))
  const target = { type: 'http', url: 'https://example.org', headers }
  expect(() => storedJob('huge', { target })).toThrow('Use fewer schedules or headers')
})

describe('a job that is saved again', () => {
  const old = storedJob('a', often)

  test('keeps when it was made, and has the next number', () => {
    expect(again(old, often)).toMatchObject({ version: 2, createdAtMs: 1_000_000, updatedAtMs: 2_000_000 })
    const gone = again(old, often, { status: 'DELETED' })
    expect(again(gone, often)).toMatchObject({ version: 3, createdAtMs: 2_000_000 })
  })

  test('is unchanged where nothing of it differs', () => {
    expect(isUnchanged(old, again(old, often))).toBe(true)
    expect(isUnchanged(null, old)).toBe(false)
  })

  test.each<[string, object, object]>([
    ['its definition', { ...often, description: 'x' }, {}],
    ['its times', { schedules: [{ every: 20 }] }, {}],
    ['its timeout', { ...often, timeout: 5 }, {}],
    ['its owner', often, { managedBy: 'code' }],
    ['its status', often, { status: 'STOPPED', stopped: stopOf() }],
    ['what it took from a calendar', often, { resolved: { template: null, calendars: [{ name: 'a/b', dates: [] }] } }],
  ])('is changed where %s differs', (_, part, revision) => {
    expect(isUnchanged(old, again(old, part, revision))).toBe(false)
  })

  test('is unchanged where it is saved as running after its stop came to its end', () => {
    const stopped = again(old, often, { status: 'STOPPED', stopped: stopOf({ until: 2500 }) })
    const running = (activeFrom: number) => again(stopped, often, { activeFrom })
    expect(isUnchanged(stopped, running(2600))).toBe(true)
    expect(isUnchanged(stopped, running(2400))).toBe(false)
  })

  test('is changed where another stop takes the place of one', () => {
    const stopped = again(old, often, { status: 'STOPPED', stopped: stopOf() })
    const other = again(stopped, often, { status: 'STOPPED', stopped: stopOf({ reason: 'other' }) })
    expect(isUnchanged(stopped, other)).toBe(false)
  })
})

test('what was taken from a template and calendars is found again, also where there was none', () => {
  const template = { name: 'default/office', schedules: [{ cron: '0 9 * * *' }, { cron: '0 17 * * *' }] }
  const calendars = [{ name: 'default/days', dates: ['12-25'] }]
  const job = storedJob('a', { ...often, template: 'default/office' }, { resolved: { template, calendars } })
  expect(resolvedOf(job)).toEqual({ template, calendars })
  expect(resolvedOf(storedJob('a', often))).toEqual({ template: null, calendars: [] })
  const stopped = restate(job, { status: 'STOPPED', stopped: stopOf() }, later)
  expect(resolvedOf(stopped)).toEqual({ template, calendars })
  expect(stopped.definition.status).toBe('STOPPED')
})

describe('a job that is to run', () => {
  test('must have an instant left, unless only others start it', () => {
    expect(hasInstantLeft(storedJob('a', often))).toBe(true)
    expect(hasInstantLeft(storedJob('a', { schedules: [] }))).toBeNull()
    expect(hasInstantLeft(storedJob('a', { schedules: [{ kind: 'stop', every: 10 }] }))).toBeNull()
    const over = again(storedJob('a', once(1500)), once(1500))
    expect(hasInstantLeft(over)).toBe(false)
    expect(() => refuseIfOver(over)).toThrow('never fires')
    const stopped = again(over, once(1500), { status: 'STOPPED', stopped: stopOf() })
    expect(refuseIfOver(stopped)).toBe(stopped)
    expect(refuseIfOver(storedJob('a', { schedules: [] })).id).toBe(over.id)
  })
})

describe('what a mutation writes', () => {
  const by = { id: 'a1', by: ANNA, action: 'job.update', reason: 'why', requestId: 'req_1' } as const

  test('has a pointer to each single time, and tells the first of them', () => {
    const times = { schedules: [{ at: iso(1700) }, { at: iso(1500) }] }
    const job = storedJob('a', times)
    const write = writeOf(job, null, 3, 1_000_000, by)
    expect(write.pointers).toEqual([1500, 1700].map((second) => ({ shard: 3, second, jobId: job.id })))
    expect(write.change).toEqual({ shard: 3, ms: 1_000_000, jobId: job.id, version: 1, once: { firstInstant: 1500 } })
    const none = writeOf(again(job, times, { activeFrom: 1800, status: 'STOPPED' }), job, 3, 2_000_000, by)
    expect([none.change.once, none.pointers]).toEqual([{ firstInstant: null }, []])
    expect(writeOf(storedJob('a', often), null, 3, 1, by)).toMatchObject({ pointers: [], change: { once: null } })
  })

  test('has a pointer to the second in which a finished job is to be deleted', () => {
    const job = storedJob('a', { ...often, deleteAfter: 3600 })
    const over = stopOf({ code: 'NO_INSTANT_LEFT', atMs: 2_000_000 })
    const { pointers } = writeOf(restate(job, { status: 'STOPPED', stopped: over }, later), job, 0, 2_000_000, by)
    expect(pointers).toEqual([{ shard: 0, second: 5600, jobId: job.id }])
  })

  test('has a line for the audit, with what differs and the bulk act that it belongs to', () => {
    const job = storedJob('a', often)
    const edited = again(job, { ...often, priority: 5 }, { managedBy: 'code' })
    expect(writeOf(edited, job, 0, 2_000_000, by).audit).toEqual({
      ...by,
      atMs: 2_000_000,
      namespace: 'default',
      target: 'default/a',
      operation: null,
      versionBefore: 1,
      versionAfter: 2,
      changes: [
        { path: '/priority', from: 0, to: 5 },
        { path: '/managedBy', from: null, to: 'code' },
      ],
    })
    const stopped = again(job, often, { status: 'STOPPED', stopped: stopOf({ operation: 'op_1' }) })
    expect(writeOf(stopped, job, 0, 1, by).audit).toMatchObject({
      operation: 'op_1',
      changes: [{ path: '/status', from: 'RUNNING' satisfies Job['status'], to: 'STOPPED' }],
    })
  })

  test('says nothing of fields where a job came or went', () => {
    const job = storedJob('a', often)
    const gone = again(job, often, { status: 'DELETED' })
    expect([changesOf(null, job), changesOf(job, gone), changesOf(gone, again(gone, often))]).toEqual([[], [], []])
    expect(writeOf(again(gone, often), gone, 0, 1, by).audit.versionBefore).toBeNull()
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  activeFromOf,
  addVersion,
  MOST_VERSIONS,
  moveOf,
  onceInstant,
  sureFromOf,
  withMove,
} from '../../../shared/core/job/edit.ts'
import { NEXT_JOB_STATUSES } from '../../../shared/core/job/version.ts'
import { type DueItem, dueBetween } from '../../../shared/core/planner/due.ts'
import { jobOf, versionOf } from '../../support/jobs.ts'

describe('an edit becomes active', () => {
  test('two seconds after the store’s time, and after all that is opened', () => {
    expect(activeFromOf(100, 95)).toBe(102)
    expect(activeFromOf(100, 103)).toBe(105)
  })

  test('surely only later, where the fence had passed by the time the commit was known', () => {
    expect(sureFromOf(102, 101)).toBeUndefined()
    expect(sureFromOf(102, 102)).toBe(104)
  })
})

describe('versions', () => {
  const edited = (count: number, from: number) => {
    let job = jobOf('a')
    for (let edit = 2; edit <= count; edit++)
      job = addVersion(job, versionOf({ version: edit, activeFrom: from + edit }), 0)
    return job
  }

  test('stay until all of their time is accounted for', () => {
    const job = edited(4, 100)
    expect(
      addVersion(job, versionOf({ version: 5, activeFrom: 900 }), 102).versions.map(({ version }) => version),
    ).toEqual([2, 3, 4, 5])
    expect(
      addVersion(job, versionOf({ version: 5, activeFrom: 900 }), 150).versions.map(({ version }) => version),
    ).toEqual([4, 5])
  })

  test('stay until their spread instants have come', () => {
    const job = jobOf('a', { timing: { schedules: [{ every: 86_400 }], spread: 7200 } }, { activeFrom: 100 })
    expect(addVersion(job, versionOf({ version: 3, activeFrom: 5000 }), 4900).versions).toHaveLength(3)
    expect(addVersion(job, versionOf({ version: 3, activeFrom: 9000 }), 8900).versions).toHaveLength(2)
  })

  test('stay while an older one stays, which would be due in their time else', () => {
    const spread = { timing: { schedules: [{ every: 2 }], spread: 26 } }
    const daily = { timing: { schedules: [{ every: 86_400 }] } }
    const job = jobOf('a', spread, { ...daily, activeFrom: 1072 }, { ...daily, activeFrom: 1080, status: 'STOPPED' })
    const edited = addVersion(job, versionOf({ ...daily, version: 4, activeFrom: 1204 }), 1091)
    expect(edited.versions.map(({ version }) => version)).toEqual([1, 2, 3, 4])
    const due: DueItem[] = []
    dueBetween(edited, 1000, 1204, due)
    expect(due.filter(({ nominal }) => nominal >= 1072)).toEqual([])
  })

  test('stay while a run of theirs may still be going', () => {
    const job = jobOf('a', { timeoutSeconds: 400 }, { activeFrom: 100 })
    const numbers = (activeFrom: number) =>
      addVersion(job, versionOf({ version: 3, activeFrom }), 99_999).versions.map(({ version }) => version)
    expect(numbers(559)).toEqual([1, 2, 3])
    expect(numbers(560)).toEqual([2, 3])
  })

  test('that would push out what is not accounted for are refused', () => {
    const full = edited(MOST_VERSIONS, 100)
    expect(() => addVersion(full, versionOf({ version: 99, activeFrom: 500 }), 0)).toThrow(
      /edited 20 times within a short time\. Wait half a minute/,
    )
    expect(addVersion(full, versionOf({ version: 99, activeFrom: 900 }), 400).versions).toHaveLength(2)
  })

  test('that stop or delete a job are never refused, and those that only prolong a silence are left out', () => {
    const full = edited(MOST_VERSIONS, 100)
    const silent = (version: number, part: object) => versionOf({ version, activeFrom: 400 + version, ...part })
    const stopped = addVersion(full, silent(21, { status: 'STOPPED' }), 0)
    const still = addVersion(stopped, silent(22, { status: 'STOPPED' }), 0)
    const gone = addVersion(still, silent(23, { status: 'DELETED' }), 0)
    expect(gone.versions.slice(-2).map(({ version }) => version)).toEqual([21, 23])
    expect(gone.versions).toHaveLength(22)
  })

  test('that stop a job for longer than another stays silent are kept', () => {
    const job = addVersion(jobOf('a'), versionOf({ version: 2, activeFrom: 100, status: 'STOPPED', until: 150 }), 0)
    const longer = addVersion(job, versionOf({ version: 3, activeFrom: 120, status: 'STOPPED' }), 0)
    const numbers = (activeFrom: number) =>
      addVersion(longer, versionOf({ version: 4, activeFrom }), 0).versions.map(({ version }) => version)
    expect(numbers(150)).toEqual([1, 2, 4])
    expect(numbers(151)).toEqual([1, 2, 3, 4])
  })
})

describe('a reschedule', () => {
  test('moves the first start from activeFrom on', () => {
    expect(moveOf(jobOf('a'), 101, 107)).toEqual({ from: 110, to: 107 })
    const withStops = jobOf('a', { schedules: [{ every: 50 }, { kind: 'stop', every: 7 }] })
    expect(moveOf(withStops, 101, 107)).toEqual({ from: 150, to: 107 })
  })

  test('to no second takes the first start away', () => {
    expect(moveOf(jobOf('a'), 101, null)).toEqual({ from: 110, to: -1 })
    expect(() => moveOf(jobOf('a', { status: 'STOPPED' }), 101, null)).toThrow(
      /^at "null": there is no instant left to move/,
    )
  })

  test('takes along what was moved there before', () => {
    const two = [
      { from: 1000, to: 500 },
      { from: 3000, to: 2900 },
    ]
    expect(withMove(two, { from: 500, to: 700 })).toEqual([
      { from: 1000, to: 700 },
      { from: 3000, to: 2900 },
      { from: 500, to: 700 },
    ])
    expect(withMove(two, { from: 2000, to: 1900 })).toHaveLength(3)
  })

  test('of a job whose every start is swallowed by a restart is refused at once', () => {
    const job = jobOf('a', { schedules: [{ every: 1 }, { kind: 'restart', every: 1 }] })
    const startedMs = performance.now()
    expect(() => moveOf(job, 101, 107)).toThrow('there is no instant left to move')
    expect(performance.now() - startedMs).toBeLessThan(2000)
  })

  test('into the past, or of nothing, is refused', () => {
    expect(() => moveOf(jobOf('a'), 101, 100)).toThrow(
      /^at "1970-01-01T00:01:40Z": is in the past\. Use a time from 1970-01-01T00:01:41Z on/,
    )
    expect(() => moveOf(jobOf('a', { status: 'STOPPED' }), 101, 200)).toThrow('there is no instant left to move')
    expect(() => moveOf(jobOf('a', { schedules: [{ kind: 'stop', every: 7 }] }), 101, 200)).toThrow(
      'there is no instant left to move',
    )
  })
})

test('a single time that has just passed is now, and one long past is an error', () => {
  expect([200, 100, 99, 40].map((at) => onceInstant(at, 100, '/schedules/0/at'))).toEqual([200, 100, 100, 100])
  expect(() => onceInstant(39, 100, '/schedules/0/at')).toThrow(/^at "1970-01-01T00:00:39Z": is in the past/)
})

test('the life of a job is drawn in docs/state-machine.md as the table has it', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/state-machine.md'), 'utf8')
  const diagram = /<!-- job -->\s*```mermaid([\s\S]*?)```/.exec(text)?.[1] ?? ''
  const drawn = [...diagram.matchAll(/^\s*([A-Z_]+) --> ([A-Z_]+)\b/gm)].map(([, from, to]) => `${from} ${to}`)
  const legal = Object.entries(NEXT_JOB_STATUSES).flatMap(([from, to]) => to.map((each) => `${from} ${each}`))
  expect(drawn.sort()).toEqual(legal.sort())
})

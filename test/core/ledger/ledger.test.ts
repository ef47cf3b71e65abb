import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  audit,
  auditableThrough,
  isResendDue,
  openDelaySeconds,
  type QueueLoad,
  queueLoadOf,
  splitCopies,
} from '../../../shared/core/ledger/audit.ts'
import { type Found, NOTHING_FOUND, standingOf } from '../../../shared/core/ledger/standing.ts'
import { type LedgerRecord, type MissedRecord, verify } from '../../../shared/core/ledger/verify.ts'
import type { PageEntry } from '../../../shared/core/pages/entry.ts'
import { type PlannedRun, Snapshot } from '../../../shared/core/planner/snapshot.ts'
import { entryIdOf } from '../../../shared/core/run/message.ts'
import { jobOf } from '../../support/jobs.ts'

const NOW = 100_000
const ended: PageEntry = { status: 'SUCCEEDED', attempt: 1, startOffsetMs: 5, durationMs: 10 }
const claimed = (deadlineSecond: number): PageEntry => ({ status: 'RUNNING', attempt: 1, token: 'x', deadlineSecond })
const found = (part: Partial<Found>): Found => ({ ...NOTHING_FOUND, ...part })

describe('a due instant', () => {
  test.each<[string, Found, boolean, string]>([
    ['of which there is nothing', NOTHING_FOUND, true, 'missing'],
    ['of a gap, of which there is nothing', NOTHING_FOUND, false, 'missing'],
    ['that has ended', found({ page: ended }), true, 'fine'],
    ['of a gap that has ended', found({ gapRun: 'LOST' }), false, 'fine'],
    ['of a gap that is counted as missed', found({ isCountedMissed: true }), false, 'fine'],
    ['that is claimed with time left', found({ page: claimed(NOW - 4) }), true, 'running'],
    ['whose claimer is gone', found({ page: claimed(NOW - 5) }), true, 'dead'],
    [
      'that waits and is in the open list',
      found({ page: { status: 'WAITING', attempt: 1 }, isOpen: true }),
      true,
      'open',
    ],
    ['that waits and is forgotten', found({ page: { status: 'WAITING', attempt: 1 } }), true, 'missing'],
    ['whose slow run beats in the open list', found({ page: claimed(NOW - 500), isOpen: true }), true, 'open'],
    ['of a gap that is queued and open', found({ gapRun: 'QUEUED', isOpen: true }), false, 'open'],
    ['of a gap that is yet to be caught up', found({ isOpen: true }), false, 'open'],
    ['of a gap that is queued and forgotten', found({ gapRun: 'QUEUED' }), false, 'missing'],
    ['with two records', found({ page: ended, gapRun: 'SUCCEEDED' }), true, 'doubled'],
    ['live, with the record of a gap', found({ gapRun: 'SUCCEEDED' }), true, 'doubled'],
    ['of a gap, with an entry on a page', found({ page: ended }), false, 'doubled'],
    ['live, counted as missed beside its page', found({ isCountedMissed: true }), true, 'doubled'],
  ])('%s', (_, each, isLive, standing) => {
    expect(standingOf(each, isLive, NOW)).toBe(standing)
  })
})

const snapshot = new Snapshot()
snapshot.apply(['a', 'b', 'c'].map((name) => jobOf(name, { schedules: [{ every: 7 }, { kind: 'stop', every: 21 }] })))
const runs = snapshot.due(NOW - 300, NOW - 100)
const due = runs.filter(({ kind }) => kind === 'start')
const stops = runs.filter(({ kind }) => kind === 'stop')
const keyOf = ({ jobId, second }: LedgerRecord) => `${jobId}.${second}`
const recordOf = ({ jobId, kind, second }: PlannedRun) => ({ jobId: entryIdOf(jobId, kind), second })

function auditWith(ledger: Map<string, Found>) {
  const find = (run: PlannedRun) => ledger.get(keyOf(recordOf(run))) ?? NOTHING_FOUND
  return audit({ runs, after: NOW - 300, through: NOW - 101, find, isLive: () => true, now: NOW })
}
const complete = () => new Map(runs.map((run) => [keyOf(recordOf(run)), found({ page: ended })]))

describe('an audit', () => {
  test('of a complete ledger has nothing to do and moves to the end', () => {
    expect(auditWith(complete())).toEqual({ resend: [], tooLate: [], doubled: [], auditedThrough: NOW - 101 })
  })

  test('sends again what was given back, as the attempt it is, however late: the executor that claims it asks the rules', () => {
    const ledger = complete()
    ledger.set(keyOf(due[10]), found({ page: { status: 'QUEUED', attempt: 2 } }))
    const { resend, tooLate } = auditWith(ledger)
    expect([resend, tooLate]).toEqual([[{ run: due[10], attempt: 2, ageSeconds: NOW - due[10].second }], []])
  })

  test('sends again what is missing or dead, and stays before it', () => {
    const ledger = complete()
    ledger.delete(keyOf(due[10]))
    ledger.set(keyOf(due[20]), found({ page: claimed(NOW - 60) }))
    expect(auditWith(ledger)).toEqual({
      resend: [
        { run: due[10], attempt: 1, ageSeconds: NOW - due[10].second },
        // Dead for so long, and counted as if it had become due at its death.
        { run: due[20], attempt: 1, ageSeconds: 20 + 55 },
      ],
      tooLate: [],
      doubled: [],
      auditedThrough: due[10].second - 1,
    })
  })

  test('records what its job does not want so late instead of sending it', () => {
    const picky = new Snapshot()
    picky.apply([
      jobOf('a', { schedules: [{ every: 10 }], misfire: { policy: 'DO_NOTHING' } }),
      jobOf('b', { schedules: [{ kind: 'restart', every: 10 }] }),
    ])
    const late = picky.due(NOW - 40, NOW - 39)
    const result = audit({
      runs: late,
      after: NOW - 50,
      through: NOW - 20,
      find: () => NOTHING_FOUND,
      isLive: () => true,
      now: NOW,
    })
    expect([result.resend, result.tooLate.length, result.auditedThrough]).toEqual([[], 2, NOW - 41])
  })

  test('records a stop that no executor carried out, and sends one whose executor died so that its end is recorded', () => {
    const ledger = complete()
    ledger.delete(keyOf(recordOf(stops[3])))
    ledger.set(keyOf(recordOf(stops[9])), found({ page: claimed(NOW - 60) }))
    expect(auditWith(ledger)).toEqual({
      resend: [{ run: stops[9], attempt: 1, ageSeconds: 20 + 55 }],
      tooLate: [stops[3]],
      doubled: [],
      auditedThrough: stops[3].second - 1,
    })
  })

  test('never moves back', () => {
    const none = { runs: [], find: () => NOTHING_FOUND, isLive: () => true, now: NOW }
    expect(audit({ ...none, after: NOW - 5, through: NOW - 15 }).auditedThrough).toBe(NOW - 5)
  })

  test('waits for what runs and passes what is open', () => {
    const ledger = complete()
    ledger.set(keyOf(due[5]), found({ page: { status: 'WAITING', attempt: 1 }, isOpen: true }))
    ledger.set(keyOf(due[15]), found({ page: claimed(NOW + 5) }))
    expect(auditWith(ledger)).toEqual({ resend: [], tooLate: [], doubled: [], auditedThrough: due[15].second - 1 })
  })

  test('reports doubles and goes on: there is nothing to wait for', () => {
    const ledger = complete()
    ledger.set(keyOf(due[8]), found({ page: ended, gapRun: 'SUCCEEDED' }))
    expect(auditWith(ledger)).toMatchObject({ doubled: [due[8]], auditedThrough: NOW - 101 })
  })

  test('looks no further than what was sent, is old enough and was planned with fresh eyes', () => {
    const shard = { sentThrough: NOW, auditedThrough: NOW - 40 }
    expect(auditableThrough(shard, NOW, NOW)).toBe(NOW - 15)
    expect(auditableThrough({ ...shard, sentThrough: NOW - 20 }, NOW, NOW)).toBe(NOW - 20)
    expect(auditableThrough(shard, NOW, NOW - 30)).toBe(NOW - 30)
    expect(auditableThrough({ ...shard, auditedThrough: NOW - 500 }, NOW, NOW)).toBe(NOW - 440)
  })
})

describe('sending again', () => {
  test('is at once where the queue has no backlog in which it could wait', () => {
    expect(isResendDue(15, 5, 'none')).toBe(true)
    expect(queueLoadOf({ visible: 10, inFlight: 100 })).toBe('none')
    expect(queueLoadOf({ visible: 10, inFlight: 101 })).toBe('in hands')
    expect(queueLoadOf({ visible: 11, inFlight: 0 })).toBe('waiting')
  })

  const agesOf =
    (backlog: QueueLoad) =>
    (seconds: number, first: number): number[] =>
      Array.from({ length: 1400 / seconds }, (_, audits) => first + audits * seconds).filter((age) =>
        isResendDue(age, age - seconds, backlog),
      )

  test('is at ages of 20, 80, 320 … seconds where many messages wait, once each', () => {
    const every = agesOf('waiting')
    expect(every(10, 15)).toEqual([25, 85, 325, 1285])
    expect(every(60, 15)).toEqual([75, 135, 375, 1335])
    expect(every(11, 19)).toEqual([30, 85, 327, 1284])
  })

  test('is at the age of 20 seconds and then once a minute where many messages are in hands', () => {
    expect(agesOf('in hands')(10, 15).slice(0, 4)).toEqual([25, 85, 145, 205])
  })

  test('is of the newest open item of each attempt of a run, and the others are copies', () => {
    const item = (runId: string, attempt: number, dueMs: number) => ({ runId, attempt, dueMs })
    const [a, b, other, second] = [item('a', 1, 1), item('a', 1, 2), item('b', 1, 2), item('a', 2, 3)]
    expect(splitCopies([a, b, other, second])).toEqual({ kept: [b, other, second], copies: [a] })
    expect(splitCopies([])).toEqual({ kept: [], copies: [] })
  })

  test('of an open run comes at growing distances', () => {
    const times = [1, 2, 3, 4, 5, 6, 7, 50]
    expect(times.map((time) => openDelaySeconds(time))).toEqual([20, 40, 80, 80, 80, 80, 80, 80])
    expect(times.map((time) => openDelaySeconds(time, true))).toEqual([20, 40, 80, 160, 320, 640, 640, 640])
  })
})

describe('verify', () => {
  const verifyWith = (
    ledger: Map<string, Found>,
    records: LedgerRecord[],
    unsure: string[] = [],
    missed: MissedRecord[] = [],
  ) =>
    verify({
      missed,
      runs,
      records,
      find: (record) => ledger.get(keyOf(record)) ?? NOTHING_FOUND,
      isLive: () => true,
      isUnsure: (record) => unsure.includes(keyOf(record)),
      now: NOW,
    })
  const records = () => runs.map(recordOf)

  test('of a complete ledger finds nothing', () => {
    expect(verifyWith(complete(), records())).toEqual({
      due: runs.length,
      accounted: runs.length,
      holes: [],
      doubles: [],
      phantoms: [],
      miscounted: [],
      open: [],
    })
  })

  test('finds every planted hole, double and phantom, and nothing else', () => {
    const index = fc.integer({ min: 0, max: due.length - 1 })
    fc.assert(
      fc.property(
        fc.uniqueArray(index, { maxLength: 5 }),
        fc.uniqueArray(index, { maxLength: 5 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 5 }),
        (holeAt, doubleAt, phantomAt) => {
          const holes = holeAt.map((at) => due[at])
          const doubles = doubleAt.filter((at) => !holeAt.includes(at)).map((at) => due[at])
          const phantoms = phantomAt.map((at) => ({ jobId: 'nobody', second: NOW - 300 + at }))
          const ledger = complete()
          for (const run of holes) ledger.delete(keyOf(run))
          const written = [...records().filter((record) => ledger.has(keyOf(record))), ...doubles, ...phantoms]
          const result = verifyWith(ledger, written)
          const sorted = (list: readonly LedgerRecord[]) => list.map(keyOf).sort()
          expect(sorted(result.holes)).toEqual(sorted(holes))
          expect(sorted(result.doubles)).toEqual(sorted(doubles))
          expect(sorted(result.phantoms)).toEqual(sorted(phantoms))
          expect(result.accounted).toBe(runs.length - holes.length)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('finds a page entry and a gap run of one instant', () => {
    const ledger = complete()
    ledger.set(keyOf(due[3]), found({ page: ended, gapRun: 'SUCCEEDED' }))
    expect(verifyWith(ledger, [...records(), due[3]]).doubles).toEqual([{ jobId: due[3].jobId, second: due[3].second }])
  })

  test('finds a stop of which there is no record', () => {
    const stop = recordOf(stops[2])
    const ledger = complete()
    ledger.delete(keyOf(stop))
    expect(verifyWith(ledger, records()).holes).toEqual([stop])
  })

  test('finds a record of missed instants that counts wrongly', () => {
    const jobId = due[0].jobId
    const own = due.filter((run) => run.jobId === jobId)
    const record: MissedRecord = { jobId, of: 'starts', from: own[0].second, to: own[9].second, count: 10 }
    const miscounted = (...missed: MissedRecord[]) => verifyWith(complete(), records(), [], missed).miscounted
    expect(miscounted(record, { ...record, count: 9 })).toEqual([{ ...record, count: 9 }])
    const isWithin = ({ jobId: id, second }: PlannedRun) => id === jobId && second <= record.to && second >= record.from
    const ofStops: MissedRecord = { ...record, of: 'stops and restarts', count: stops.filter(isWithin).length }
    expect(miscounted(ofStops)).toEqual([])
  })

  test('tells what is still open from what is missing', () => {
    const ledger = complete()
    ledger.set(keyOf(due[1]), found({ page: claimed(NOW + 5) }))
    ledger.set(keyOf(due[2]), found({ page: claimed(NOW - 50) }))
    ledger.set(keyOf(due[3]), found({ page: { status: 'QUEUED', attempt: 2 }, isOpen: true }))
    const result = verifyWith(ledger, records())
    expect([result.holes.length, result.open.length]).toEqual([0, 3])
  })

  test('requires nothing and forbids nothing where either definition is right', () => {
    const ledger = complete()
    ledger.delete(keyOf(due[4]))
    const phantom = { jobId: 'x', second: NOW - 200 }
    const result = verifyWith(ledger, [...records(), phantom], [keyOf(due[4]), keyOf(phantom)])
    expect([result.holes, result.phantoms]).toEqual([[], []])
  })
})

// Histories written by hand: for each invariant one that it accepts, and others that it must reject.

import { describe, expect, test } from 'vitest'
import { FREE, type Holder, type Lock, type Waiter } from '../../shared/core/gate/state.ts'
import type { PageEntry } from '../../shared/core/pages/entry.ts'
import { newShard, type ShardItem } from '../../shared/core/shard.ts'
import type { Happening, History, HistoryEvent, Policy } from './history.ts'
import { noLostRun } from './invariants/i01-no-lost-run.ts'
import { oneRecordAnInstant } from './invariants/i02-one-record.ts'
import { noPhantom } from './invariants/i03-no-phantom.ts'
import { attemptsAreJustified } from './invariants/i04-justified-attempts.ts'
import { onTime } from './invariants/i05-on-time.ts'
import { ticksAreFenced } from './invariants/i06-fenced-ticking.ts'
import { blocksAreKept } from './invariants/i07-blocks.ts'
import { livesAreLegal } from './invariants/i08-life-cycle.ts'
import { ackedIsDurable } from './invariants/i09-acked-is-durable.ts'
import { misfiresObey } from './invariants/i10-misfires.ts'
import { queuesAreConserved } from './invariants/i11-queues.ts'
import { recovers } from './invariants/i12-recovery.ts'
import { type View, viewOf } from './invariants/view.ts'

const T = 1_800_000_000
const JOB = 'jjjjjjjjjjj'
const run = (second: number) => `${JOB}.${T + second}`

type Step = Happening & { readonly at?: number; readonly proc?: string }

/** Steps with their times in seconds from the start; one that has none comes with the one before. */
function historyOf(steps: readonly Step[], shardCount = 1): History {
  let at = 0
  const events = steps.map(({ at: given = at, proc = 'p', ...happening }, seq) => {
    at = given
    return { ...happening, seq, ms: (T + at) * 1000, proc } as HistoryEvent
  })
  return { shardCount, events }
}

const POLICY: Policy = {
  block: { strategy: 'CONCURRENT', max: 50 },
  misfire: { policy: 'FIRE_ONCE_NOW' },
  timeoutSeconds: 5,
  retries: 0,
  cancelsQueued: false,
  isFree: true,
}

/** A job of every ten seconds, from the start on. */
const version = (part: object = {}, policy: Partial<Policy> = {}, fence = T): Step => ({
  op: 'version',
  jobId: JOB,
  shard: 0,
  fence,
  policy: { ...POLICY, ...policy },
  is: {
    version: 1,
    activeFrom: T + 2,
    status: 'RUNNING',
    schedules: [{ every: 10 }],
    startAt: null,
    endAt: null,
    maxRuns: null,
    dst: { gap: 'shift', overlap: 'first' },
    spread: 0,
    calendars: [],
    ...part,
  },
})

const claim = (attempt = 1, token = 'a'): PageEntry => ({ status: 'RUNNING', attempt, token, deadlineSecond: T + 100 })
const ended = (status = 'SUCCEEDED', attempt = 1) => ({ status, attempt, startOffsetMs: 0, durationMs: 0 }) as PageEntry
const idle = (status: 'QUEUED' | 'WAITING', attempt = 1): PageEntry => ({ status, attempt })

const entry = (second: number, from: PageEntry | null, to: PageEntry, part: Partial<Step> = {}): Step =>
  ({ op: 'entry', runId: run(second), place: 'page', key: `0.${T + second}.0.0`, from, to, ...part }) as Step

/** A run from its claim to its end. */
const whole = (second: number, at = second, status = 'SUCCEEDED', proc = 'p'): Step[] => [
  { ...entry(second, null, claim()), at, proc },
  { op: 'start', runId: run(second), attempt: 1, trigger: 'SCHEDULE', proc },
  { op: 'end', runId: run(second), attempt: 1, how: 'returned', at: at + 1, proc },
  { ...entry(second, claim(), ended(status)), proc },
]

const phase = (name: 'storm' | 'calm' | 'drain' | 'end', at: number): Step => ({ op: 'phase', phase: name, at })
const missed = (from: number, to: number, count: number): Step => ({
  op: 'missed',
  jobId: JOB,
  of: 'starts',
  from: T + from,
  to: T + to,
  count,
  reason: 'the job does nothing about missed instants',
})
const fault = (proc: string, at: number): Step => ({ op: 'fault', fault: 'crash', where: 'here', at, proc })

const say = (check: (view: View) => { what: string }[], steps: readonly Step[]): string[] =>
  check(viewOf(historyOf(steps))).map(({ what }) => what.replaceAll(JOB, 'job').replaceAll(String(T), ''))

describe('I1, no lost run', () => {
  test('accepts runs that have ended, instants that are counted, and what a stop has frozen', () => {
    expect(say(noLostRun, [version(), ...whole(10), ...whole(20), phase('end', 25)])).toEqual([])
    expect(say(noLostRun, [version(), missed(10, 20, 2), phase('end', 25)])).toEqual([])
    const frozen: Step = { op: 'cursors', jobId: JOB, left: [[T + 10, T + 20]] }
    expect(say(noLostRun, [version(), frozen, phase('end', 25)])).toEqual([])
  })

  test('asks for nothing while an edit was being taken in', () => {
    expect(say(noLostRun, [version({}, {}, T + 18), phase('end', 19)])).toEqual([])
  })

  test('rejects an instant without a record, and one that never ended', () => {
    expect(say(noLostRun, [version(), ...whole(10), phase('end', 25)])).toEqual([
      `${run(20)} was due and has no record`.replaceAll(JOB, 'job').replaceAll(String(T), ''),
    ])
    expect(say(noLostRun, [version(), entry(10, null, claim()), phase('end', 15)])[0]).toMatch(
      /never ended: it is RUNNING$/,
    )
  })
})

describe('I2, one record an instant', () => {
  test('accepts one record and two attempts', () => {
    const second: Step = { op: 'start', runId: run(10), attempt: 2, trigger: 'SCHEDULE' }
    expect(say(oneRecordAnInstant, [version(), ...whole(10), second])).toEqual([])
  })

  test('rejects a page and an item, two pages, a run that is also missed, two creations and two first attempts', () => {
    const item = entry(10, null, ended(), { place: 'item', key: run(10) } as Partial<Step>)
    const otherPage = entry(10, null, ended(), { key: 'other' } as Partial<Step>)
    const again: Step = { op: 'start', runId: run(10), attempt: 1, trigger: 'SCHEDULE' }
    expect(say(oneRecordAnInstant, [version(), ...whole(10), item])).toHaveLength(2)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), otherPage])).toHaveLength(2)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), missed(10, 10, 1), phase('end', 15)])).toHaveLength(1)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), entry(10, null, ended())])).toHaveLength(1)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), again])).toHaveLength(1)
  })
})

describe('I3, no phantom', () => {
  test('accepts what is due, and what was found not to be and did not run', () => {
    const skipped = [entry(13, null, claim()), entry(13, claim(), ended('SKIPPED'))]
    expect(say(noPhantom, [version(), ...whole(10), ...skipped, phase('end', 25)])).toEqual([])
  })

  test('rejects a run between two instants, and one after a stop', () => {
    expect(say(noPhantom, [version(), ...whole(13), phase('end', 25)])).toHaveLength(1)
    const stop = version({ version: 2, activeFrom: T + 15, status: 'STOPPED' }, {}, T + 13)
    expect(say(noPhantom, [version(), stop, ...whole(20), phase('end', 25)])).toHaveLength(1)
  })

  test('rejects a start under an entry that says it did not run', () => {
    const skipped = [
      entry(13, null, claim()),
      { op: 'start', runId: run(13), attempt: 1, trigger: 'SCHEDULE' } as Step,
      entry(13, claim(), ended('SKIPPED')),
    ]
    expect(say(noPhantom, [version(), ...skipped, phase('end', 25)])).toHaveLength(1)
  })
})

describe('I4, attempts', () => {
  const retry = version({}, { retries: 1 })
  const takeOver = entry(10, claim(), claim(2, 'b'), { at: 70 } as Partial<Step>)

  test('accepts a take-over from one who died, and a retry after its backoff', () => {
    expect(
      say(attemptsAreJustified, [retry, { ...entry(10, null, claim()), proc: 'dies' }, fault('dies', 11), takeOver]),
    ).toEqual([])
    const failed = [entry(10, null, claim()), entry(10, claim(), idle('QUEUED', 2))]
    expect(
      say(attemptsAreJustified, [
        retry,
        ...failed,
        { op: 'start', runId: run(10), attempt: 2, trigger: 'SCHEDULE', at: 5 },
      ]),
    ).toEqual([])
  })

  test('rejects a take-over from one who was well, and a run given up as lost for no reason', () => {
    expect(say(attemptsAreJustified, [retry, { ...entry(10, null, claim()), proc: 'well' }, takeOver])).toHaveLength(1)
    expect(
      say(attemptsAreJustified, [version(), entry(10, null, claim()), entry(10, claim(), ended('LOST'))]),
    ).toHaveLength(1)
  })

  test('rejects two starts of one attempt, more attempts than allowed, and a retry that comes at once', () => {
    const start = (attempt: number): Step => ({ op: 'start', runId: run(10), attempt, trigger: 'SCHEDULE' })
    expect(say(attemptsAreJustified, [version(), start(1), start(1)])).toHaveLength(1)
    expect(say(attemptsAreJustified, [version(), start(2)])).toHaveLength(1)
    const listed: Step = { op: 'open', what: 'put', runId: run(10), dueMs: (T + 50) * 1000, attempt: 2 }
    const patient = [
      version({}, { retries: 1 }),
      entry(10, null, claim()),
      listed,
      entry(10, claim(), idle('QUEUED', 2)),
    ]
    expect(say(attemptsAreJustified, [...patient, { ...start(2), at: 27 }])).toHaveLength(1)
    expect(say(attemptsAreJustified, [...patient, { ...start(2), at: 30 }])).toEqual([])
  })
})

const shard = (part: Partial<ShardItem>): ShardItem => ({ ...newShard(T), ...part })
const moved = (
  what: 'fence' | 'takeOver' | 'sleep' | 'audited',
  from: Partial<ShardItem>,
  to: Partial<ShardItem>,
  at: number,
): Step => ({
  op: 'shard',
  shard: 0,
  what,
  from: shard(from),
  to: shard({ ...from, ...to }),
  at,
})

describe('I5, on time', () => {
  const fair = [version(), phase('storm', 100)]

  test('accepts starts within two seconds, and a chain that one crash has ended and that is soon back', () => {
    expect(
      say(onTime, [
        ...fair.slice(0, 1),
        ...[20, 30, 40, 50, 60, 70, 80, 90].flatMap((t) => whole(t, t + 1)),
        phase('storm', 100),
      ]),
    ).toEqual([])
    const chain = [
      moved('fence', {}, { fence: T + 20 }, 20),
      fault('tick-1', 21),
      moved('fence', { fence: T + 20 }, { fence: T + 29 }, 29),
    ]
    expect(say(onTime, chain)).toEqual([])
  })

  test('rejects a start before its instant', () => {
    expect(
      say(onTime, [version(), { op: 'start', runId: run(10), attempt: 1, trigger: 'SCHEDULE', at: 8 }]),
    ).toHaveLength(1)
  })

  test('rejects a late start in good weather, and one that never came', () => {
    const others = [30, 40, 50, 60, 70, 80, 90].flatMap((t) => whole(t))
    expect(say(onTime, [version(), ...whole(20, 23), ...others, phase('storm', 100)])).toHaveLength(1)
    expect(say(onTime, [version(), ...others, phase('storm', 100)])).toHaveLength(1)
  })

  test('rejects a chain that stands still for long after one fault', () => {
    const chain = [
      moved('fence', {}, { fence: T + 20 }, 20),
      fault('tick-1', 21),
      moved('fence', { fence: T + 20 }, { fence: T + 40 }, 40),
    ]
    expect(say(onTime, chain)).toHaveLength(1)
  })
})

describe('I6, fenced ticking', () => {
  const depths = new Map([[T + 1, 0]])

  test('accepts a chain that goes on, is taken over, and is audited when all has ended', () => {
    const steps = [
      version(),
      moved('fence', {}, { fence: T + 1, depths }, 1),
      moved('takeOver', { fence: T + 1, depths }, { epoch: 1 }, 8),
      ...whole(10),
      moved('audited', { fence: T + 20, depths: new Map([[T + 10, 0]]) }, { auditedThrough: T + 15 }, 30),
    ]
    expect(say(ticksAreFenced, steps)).toEqual([])
  })

  test('rejects what goes back, an epoch that a fence changes, a depth that changes, goes early or comes late', () => {
    const fence = (from: Partial<ShardItem>, to: Partial<ShardItem>) =>
      say(ticksAreFenced, [moved('fence', from, to, 1)])
    expect(fence({ fence: T + 5 }, { fence: T + 4 })).toHaveLength(1)
    expect(fence({ fence: T + 5, watermark: T + 5 }, { watermark: T + 3 })).toHaveLength(1)
    expect(fence({ fence: T + 5, watermark: T + 5 }, { watermark: T + 6 })).toHaveLength(1)
    expect(fence({}, { epoch: 1 })).toHaveLength(1)
    expect(fence({ fence: T + 1, depths }, { depths: new Map([[T + 1, 3]]) })).toHaveLength(1)
    expect(fence({ fence: T + 1, depths }, { depths: new Map() })).toHaveLength(1)
    expect(fence({ fence: T + 1 }, { depths })).toHaveLength(1)
    expect(say(ticksAreFenced, [moved('takeOver', {}, { epoch: 2 }, 1)])).toHaveLength(1)
  })

  test('rejects an account that passes a run which has not ended and to which nobody comes back', () => {
    const audited = moved('audited', { fence: T + 20, depths: new Map([[T + 10, 0]]) }, { auditedThrough: T + 15 }, 30)
    const open: Step = { op: 'open', what: 'put', runId: run(10), dueMs: 1, attempt: 1 }
    expect(say(ticksAreFenced, [version(), entry(10, null, claim()), audited])).toHaveLength(1)
    expect(say(ticksAreFenced, [version(), audited])).toHaveLength(1)
    expect(say(ticksAreFenced, [version(), open, entry(10, null, claim()), audited])).toEqual([])
  })
})

describe('I7, block strategies', () => {
  const serial = version({}, { block: { strategy: 'SERIAL' } })
  const start = (second: number, at: number, proc: string): Step => ({
    op: 'start',
    runId: run(second),
    attempt: 1,
    trigger: 'SCHEDULE',
    at,
    proc,
  })
  const end = (second: number, at: number, proc: string): Step => ({
    op: 'end',
    runId: run(second),
    attempt: 1,
    how: 'returned',
    at,
    proc,
  })

  test('accepts one after the other, and as many at once as are allowed', () => {
    expect(
      say(blocksAreKept, [serial, start(10, 10, 'a'), end(10, 12, 'a'), start(20, 20, 'b'), end(20, 21, 'b')]),
    ).toEqual([])
    const two = version({}, { block: { strategy: 'CONCURRENT', max: 2 } })
    expect(
      say(blocksAreKept, [two, start(10, 10, 'a'), start(20, 20, 'b'), end(10, 25, 'a'), end(20, 26, 'b')]),
    ).toEqual([])
  })

  test('rejects two at once, and a third where two may run', () => {
    expect(
      say(blocksAreKept, [serial, start(10, 10, 'a'), start(20, 20, 'b'), end(10, 25, 'a'), end(20, 26, 'b')]),
    ).toHaveLength(1)
    const two = version({}, { block: { strategy: 'CONCURRENT', max: 2 } })
    const three = [
      start(10, 10, 'a'),
      start(20, 20, 'b'),
      start(30, 30, 'c'),
      end(10, 35, 'a'),
      end(20, 36, 'b'),
      end(30, 37, 'c'),
    ]
    expect(say(blocksAreKept, [two, ...three])).toHaveLength(1)
  })

  test('accepts a covered run that goes on for two seconds, and rejects one that goes on for five', () => {
    const cover = version({}, { block: { strategy: 'COVER' } })
    const steps = (until: number) => [
      cover,
      start(10, 10, 'a'),
      start(20, 20, 'b'),
      end(10, until, 'a'),
      end(20, 30, 'b'),
    ]
    expect(say(blocksAreKept, steps(22))).toEqual([])
    expect(say(blocksAreKept, steps(25))).toHaveLength(1)
  })

  test('rejects a run that is discarded though it is alone', () => {
    const alone = [entry(10, null, claim()), entry(10, claim(), ended('DISCARDED'))]
    expect(say(blocksAreKept, [serial, ...alone])).toHaveLength(1)
    expect(say(blocksAreKept, [serial, entry(20, null, claim(1, 'b')), ...alone])).toEqual([])
  })

  test('rejects a lock that goes to a younger run while an older one waits', () => {
    const waiter = (second: number): Waiter => ({
      runId: run(second),
      trigger: 'SCHEDULE',
      instant: T + second,
      nominal: null,
      attempt: 1,
      depth: 0,
      openMs: null,
      orderedBy: T + second,
    })
    const holder = (second: number): Holder => ({ ...waiter(second), deadline: T + 90, started: false })
    const from: Lock = { holders: [], waiting: [waiter(10), waiter(20)] }
    const given = (to: number, left: number): Step => ({
      op: 'lock',
      jobId: JOB,
      from,
      to: { holders: [holder(to)], waiting: [waiter(left)] },
    })
    expect(say(blocksAreKept, [serial, given(10, 20)])).toEqual([])
    expect(say(blocksAreKept, [serial, given(20, 10)])).toHaveLength(1)
    expect(say(blocksAreKept, [serial, { op: 'lock', jobId: JOB, from, to: FREE }])).toEqual([])
  })
})

describe('I8, the life of a run', () => {
  test('accepts a life with a wait and a second attempt', () => {
    const steps = [
      entry(10, null, claim()),
      entry(10, claim(), idle('WAITING')),
      entry(10, idle('WAITING'), claim()),
      entry(10, claim(), idle('QUEUED', 2)),
      entry(10, idle('QUEUED', 2), claim(2)),
      entry(10, claim(2), ended('SUCCEEDED', 2)),
    ]
    expect(say(livesAreLegal, steps)).toEqual([])
  })

  test('rejects an end that changes, a success out of nothing, an attempt that goes back, and what is left alive or open', () => {
    expect(say(livesAreLegal, [...whole(10), entry(10, ended(), ended('FAILED'))])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, ended())])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, claim(2)), entry(10, claim(2), ended('FAILED', 1))])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, claim())])).toHaveLength(1)
    expect(say(livesAreLegal, [{ op: 'open', what: 'put', runId: run(10), dueMs: 1, attempt: 1 }])).toHaveLength(1)
  })
})

describe('I9, what was acknowledged', () => {
  const ask = (part: object): Step =>
    ({ op: 'ask', kind: 'ok', ask: 1, what: 'save', jobId: JOB, version: 1, ...part }) as Step

  test('accepts a save that stands and a run by hand that is there', () => {
    expect(say(ackedIsDurable, [version(), ask({})])).toEqual([])
    expect(
      say(ackedIsDurable, [entry(10, null, idle('QUEUED')), ask({ what: 'trigger', runId: run(10), key: 'a' })]),
    ).toEqual([])
  })

  test('rejects a save that is not there, one that is there twice, and one that reaches back', () => {
    expect(say(ackedIsDurable, [ask({})])).toHaveLength(1)
    expect(say(ackedIsDurable, [version(), version()])).toHaveLength(1)
    expect(say(ackedIsDurable, [{ ...ask({ kind: 'invoke' }), at: 9 }, version()])).toHaveLength(1)
  })

  test('rejects a promised run that is not there, one request that became two, and a start after a stop that cancels', () => {
    expect(say(ackedIsDurable, [ask({ what: 'trigger', runId: run(10) })])).toHaveLength(1)
    const twice = [10, 11].flatMap((t) => [
      entry(t, null, idle('QUEUED')),
      ask({ what: 'trigger', runId: run(t), key: 'a' }),
    ])
    expect(say(ackedIsDurable, twice)).toHaveLength(1)
    const stop = version({ status: 'STOPPED' }, { cancelsQueued: true })
    expect(say(ackedIsDurable, [stop, ...whole(10)])).toHaveLength(1)
    expect(
      say(ackedIsDurable, [
        entry(10, null, claim()),
        stop,
        { op: 'start', runId: run(10), attempt: 1, trigger: 'SCHEDULE' },
      ]),
    ).toEqual([])
  })
})

describe('I10, misfires', () => {
  const gap = moved('fence', { fence: T + 5 }, { fence: T + 40, depths: new Map([[T + 30, 0]]) }, 40)
  const item = (second: number) =>
    entry(second, null, idle('QUEUED'), { place: 'item', key: run(second) } as Partial<Step>)

  test('accepts a gap of which one instant runs and the others are counted', () => {
    expect(say(misfiresObey, [version(), gap, missed(10, 10, 1), item(20), phase('end', 45)])).toEqual([])
  })

  test('rejects a wrong count, an entry on a page for a gap, and a run where the job does nothing', () => {
    expect(say(misfiresObey, [version(), missed(10, 20, 3), phase('end', 45)])).toHaveLength(1)
    expect(say(misfiresObey, [version(), gap, ...whole(20, 41), phase('end', 45)])).toHaveLength(1)
    const nothing = version({}, { misfire: { policy: 'DO_NOTHING' } })
    expect(say(misfiresObey, [nothing, gap, item(20), phase('end', 45)])).toHaveLength(1)
  })

  test('rejects a late start where the job does nothing so late, and catching up while it is stopped', () => {
    const nothing = version({}, { misfire: { policy: 'DO_NOTHING' } })
    expect(say(misfiresObey, [nothing, ...whole(10, 40), phase('end', 45)])).toHaveLength(1)
    const stopped = version(
      { status: 'STOPPED' },
      { misfire: { policy: 'CATCH_UP', window: 100, max: 9, overlap: 'all' } },
    )
    const start: Step = { op: 'start', runId: run(10), attempt: 1, trigger: 'CATCH_UP' }
    expect(say(misfiresObey, [stopped, { ...item(10), at: 60 }, start])).toHaveLength(1)
  })

  test('rejects more than fifty old instants a second', () => {
    const many = Array.from({ length: 700 }, (_, n) => [
      entry(n, null, idle('QUEUED'), { place: 'item', key: run(n), at: 1000 + n / 100 } as Partial<Step>),
      { op: 'start', runId: run(n), attempt: 1, trigger: 'CATCH_UP' } as Step,
    ]).flat()
    expect(say(misfiresObey, [version({ schedules: [{ every: 1 }] }), ...many])).toHaveLength(1)
  })
})

describe('I11, queues', () => {
  const message = (what: 'sent' | 'deleted' | 'purged' | 'buried', n = 1, at = 0): Step => ({
    op: 'queue',
    queue: 'fast',
    what,
    message: n,
    at,
  })

  test('accepts messages that were deleted, wiped or buried', () => {
    expect(
      say(
        queuesAreConserved,
        (['deleted', 'purged', 'buried'] as const).flatMap((what, n) => [message('sent', n), message(what, n)]),
      ),
    ).toEqual([])
  })

  test('rejects a message that is still there, one that was deleted twice, and one out of nothing', () => {
    expect(say(queuesAreConserved, [message('sent')])).toHaveLength(1)
    expect(say(queuesAreConserved, [message('sent'), message('deleted'), message('deleted')])).toHaveLength(1)
    expect(say(queuesAreConserved, [message('deleted')])).toHaveLength(1)
  })

  test('rejects copies without number while nobody takes messages', () => {
    const away: Step = { op: 'fault', fault: 'no executors', where: 'fast 100000' }
    const copies = Array.from({ length: 400 }, (_, n) => [message('sent', n, n / 4), message('deleted', n, n / 4)])
    expect(say(queuesAreConserved, [version(), away, ...copies.flat()])).toHaveLength(1)
  })
})

describe('I12, recovery', () => {
  const well = (part: Partial<ShardItem>): Step[] => [
    version(),
    ...[10, 20, 30, 40].flatMap((t) => whole(t)),
    phase('calm', 45),
    moved('fence', {}, { fence: T + 165, watermark: T + 164, auditedThrough: T + 140, ...part }, 165),
    phase('drain', 170),
  ]

  test('accepts a shard that ticks and accounts two minutes after the last fault', () => {
    expect(say(recovers, well({}))).toEqual([])
    expect(say(recovers, well({ fence: T + 50, sleepUntil: T + 999 }))).toEqual([])
  })

  test('rejects a chain that stands, a watermark or an account that lags, and a run that never came', () => {
    expect(say(recovers, well({ fence: T + 100 }))).toHaveLength(1)
    expect(say(recovers, well({ watermark: T + 100 }))).toHaveLength(1)
    expect(say(recovers, well({ auditedThrough: T + 20 }))).toHaveLength(1)
    expect(say(recovers, [version(), ...whole(10), phase('calm', 25), phase('drain', 170)])).toHaveLength(1)
  })
})

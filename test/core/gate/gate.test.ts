import { describe, expect, test } from 'vitest'
import { type Decision, decide, type GatePolicy, isEndedByStop } from '../../../shared/core/gate/gate.ts'
import { timesOf } from '../../../shared/core/gate/overlap.ts'
import {
  joinLine,
  keepForRetry,
  type ReleaseAt,
  recordSuccess,
  release,
  stop,
  take,
  wait,
} from '../../../shared/core/gate/release.ts'
import {
  FREE,
  type GateRun,
  type Holder,
  type JobState,
  type Lock,
  MOST_WAITING,
  NEW_STATE,
  oldestWaiter,
  type Waiter,
} from '../../../shared/core/gate/state.ts'
import type { Block } from '../../../shared/core/job/job.ts'
import type { VersionedJob } from '../../../shared/core/job/version.ts'
import { jobOf } from '../../support/jobs.ts'

const NOW = 100_000
const SERIAL: Block = { strategy: 'SERIAL' }
/** Every five seconds, so that its runs always lock. */
const busy = jobOf('busy', { schedules: [{ every: 5 }] })
const rare = jobOf('rare', { schedules: [{ every: 10_000 }] })
const policy: GatePolicy = {
  block: { strategy: 'SERIAL' },
  misfire: { policy: 'FIRE_ONCE_NOW' },
  skipIfSuccessful: false,
  after: [],
  maxLateness: null,
}
const run = (part: Partial<GateRun> = {}): GateRun => ({
  runId: 'me',
  trigger: 'SCHEDULE',
  instant: NOW,
  nominal: NOW,
  attempt: 1,
  depth: 0,
  openMs: null,
  ...part,
})
const waiter = (runId: string, orderedBy: number, part: Partial<Waiter> = {}): Waiter => ({
  ...run({ runId }),
  orderedBy,
  ...part,
})
const holder = (part: Partial<Holder> = {}): Holder => ({
  ...run({ runId: 'other', instant: NOW - 5 }),
  deadline: NOW + 50,
  sentAt: null,
  ...part,
})

const at = (part: Partial<ReleaseAt> = {}): ReleaseAt => ({
  now: NOW,
  startBy: NOW + 20,
  openMs: 99,
  block: SERIAL,
  state: NEW_STATE,
  ...part,
})
const idsOf = (runs: readonly GateRun[]) => runs.map(({ runId }) => runId)

interface GateFacts {
  run?: Partial<GateRun>
  policy?: Partial<GatePolicy>
  block?: Block
  /** Of the lock and of the state together. */
  state?: Partial<Lock & JobState>
  job?: VersionedJob
  lastSuccessOfAfter?: (number | null)[]
  now?: number
}
const ask = (asked: GateFacts = {}): Decision =>
  decide({
    run: run(asked.run),
    times: timesOf(asked.job ?? busy, run(asked.run), asked.now ?? NOW),
    policy: { ...policy, ...asked.policy, ...(asked.block === undefined ? {} : { block: asked.block }) },
    lock: { ...FREE, ...asked.state },
    state: { ...NEW_STATE, ...asked.state },
    lastSuccessOfAfter: asked.lastSuccessOfAfter ?? [],
    now: asked.now ?? NOW,
  })

describe('a run that meets no other', () => {
  test('starts with the lock, or without where time keeps it apart', () => {
    expect(ask()).toEqual({ do: 'START', takesLock: true })
    expect(ask({ job: rare })).toEqual({ do: 'START', takesLock: false })
  })

  test('of a job with long gaps, but manual, waits until no scheduled one is near', () => {
    expect(ask({ job: rare, run: { trigger: 'MANUAL', instant: null } })).toEqual({
      do: 'WAIT',
      until: NOW + 71,
      reason: 'a scheduled run is due too near',
    })
    expect(ask({ job: rare, run: { trigger: 'MANUAL', instant: null }, now: NOW + 500 })).toEqual({
      do: 'START',
      takesLock: true,
    })
  })
})

describe('a run that comes late', () => {
  test('by more than five seconds takes the lock and starts: its own instant is not in its way', () => {
    expect(ask({ job: rare, now: NOW + 8 })).toEqual({ do: 'START', takesLock: true })
    expect(ask({ job: rare, now: NOW + 1, run: { trigger: 'RESTART' } })).toEqual({ do: 'START', takesLock: true })
    expect(ask({ job: rare, now: NOW + 30, run: { attempt: 2 } })).toEqual({ do: 'START', takesLock: true })
  })

  test('is missed by a job that does nothing about it, after ten seconds', () => {
    const doNothing: Partial<GatePolicy> = { misfire: { policy: 'DO_NOTHING' } }
    expect(ask({ policy: doNothing, now: NOW + 10 }).do).toBe('START')
    expect(ask({ policy: doNothing, now: NOW + 11 })).toEqual({
      do: 'MISS',
      reason: 'it came 11 s late and the job does nothing about missed instants',
    })
  })

  test('as a restart is dropped after ten seconds', () => {
    expect(ask({ run: { trigger: 'RESTART' }, now: NOW + 10 }).do).toBe('START')
    expect(ask({ run: { trigger: 'RESTART' }, now: NOW + 11 })).toEqual({
      do: 'MISS',
      reason: 'a restart that comes 11 s late is dropped',
    })
  })

  test('expires after maxLateness, but not as a retry or by hand', () => {
    const late = { policy: { maxLateness: 30 }, now: NOW + 31 }
    expect(ask(late)).toEqual({ do: 'EXPIRE', reason: 'it came 31 s late and maxLateness is 30 s' })
    expect(ask({ ...late, now: NOW + 30 }).do).toBe('START')
    expect(ask({ ...late, run: { attempt: 2 } }).do).toBe('START')
    expect(ask({ ...late, run: { trigger: 'MANUAL' } }).do).toBe('START')
    expect(ask({ ...late, run: { instant: null, trigger: 'MANUAL' } }).do).toBe('START')
  })
})

describe('skipIfSuccessful', () => {
  const skip = (lastSuccess: number | null, part: GateFacts = {}) =>
    ask({ ...part, policy: { skipIfSuccessful: true }, state: { lastSuccess } }).do

  test('skips when a run since the previous instant succeeded', () => {
    expect(skip(NOW - 3)).toBe('SKIP')
  })

  test('does not count the previous instant itself, nor this one, nor later ones', () => {
    expect([NOW - 5, NOW, NOW + 1, null].map((each) => skip(each))).toEqual(['START', 'START', 'START', 'START'])
  })

  test('never bears on what is caught up or has no instant', () => {
    expect(skip(NOW - 3, { run: { trigger: 'CATCH_UP' } })).toBe('START')
    expect(skip(NOW - 3, { run: { trigger: 'MANUAL', instant: null } })).toBe('START')
    expect(skip(NOW - 3, { run: { trigger: 'BACKFILL' } })).toBe('START')
  })
})

describe('after', () => {
  const after = [
    { job: 'default/load', within: 3600 },
    { job: 'default/clean', within: 60 },
  ]
  const asked = (...lastSuccessOfAfter: (number | null)[]) => ask({ policy: { after }, lastSuccessOfAfter })

  test('lets a run start only if every job it waits for has succeeded lately', () => {
    expect(asked(NOW - 3600, NOW - 60).do).toBe('START')
    expect(asked(NOW - 3601, NOW)).toEqual({
      do: 'SKIP',
      reason: 'default/load last succeeded 3601 s ago, more than 3600 s',
    })
    expect(asked(NOW, null)).toEqual({ do: 'SKIP', reason: 'default/clean has not succeeded in the last 60 s' })
    expect(asked(NOW)).toEqual({ do: 'SKIP', reason: 'default/clean has not succeeded in the last 60 s' })
  })

  test('asks nothing of a run by hand or of a backfill: a person knows what they want', () => {
    const by = (trigger: 'MANUAL' | 'BACKFILL' | 'DEPENDENCY' | 'CATCH_UP') =>
      ask({ policy: { after }, lastSuccessOfAfter: [null, null], run: { trigger } }).do
    expect([by('MANUAL'), by('BACKFILL'), by('DEPENDENCY'), by('CATCH_UP')]).toEqual(['START', 'START', 'SKIP', 'SKIP'])
  })
})

describe('catching up', () => {
  const catchUp = [{ from: 1, to: 90, next: 50, left: 3 }]
  const misfire = (overlap: 'skip' | 'all') => ({
    misfire: { policy: 'CATCH_UP', window: 3600, overlap, max: 10 } as const,
  })

  test('goes before what is live', () => {
    expect(ask({ state: { catchUp } })).toEqual({
      do: 'WAIT',
      until: null,
      reason: 'older instants are being caught up first',
    })
    expect(ask({ state: { catchUp }, run: { trigger: 'CATCH_UP' } }).do).toBe('START')
    expect(ask({ state: { catchUp: [{ from: 1, to: 90, next: 91, left: 0 }] } }).do).toBe('START')
  })

  test('skips a run that would overlap where the job says so, and else waits', () => {
    const asked = { run: { trigger: 'CATCH_UP' as const }, state: { holders: [holder()] } }
    expect(ask({ ...asked, policy: misfire('skip') })).toEqual({
      do: 'SKIP',
      reason: 'other was still running, and the job skips overlapping catch-up',
    })
    expect(ask({ ...asked, policy: misfire('all') }).do).toBe('WAIT')
    expect(ask({ ...asked, state: {}, policy: misfire('skip') }).do).toBe('START')
  })
})

describe('a run that meets another of its job', () => {
  const state = { holders: [holder()] }

  test('SERIAL waits in line', () => {
    expect(ask({ state })).toEqual({ do: 'WAIT', until: null, reason: 'other is running' })
  })

  test('SERIAL lets older ones that wait go first, and goes before younger ones', () => {
    const waiting = (orderedBy: number) => ({
      waiting: [waiter('waiter', orderedBy)],
    })
    expect(ask({ state: waiting(NOW - 5) })).toEqual({ do: 'WAIT', until: null, reason: 'waiter waits since before' })
    expect(ask({ state: waiting(NOW + 5) }).do).toBe('START')
    expect(ask({ state: { waiting: [waiter('me', NOW)] } }).do).toBe('START')
    expect(ask({ state: waiting(NOW - 5), run: { trigger: 'MANUAL', instant: null } }).do).toBe('WAIT')
  })

  test('SERIAL drops nothing below a thousand that wait', () => {
    const waiting = Array.from({ length: MOST_WAITING }, (_, index) => waiter(`w${index}`, index))
    expect(ask({ state: { ...state, waiting: waiting.slice(1) } }).do).toBe('WAIT')
    expect(ask({ state: { ...state, waiting } })).toEqual({
      do: 'DISCARD',
      reason: '1000 runs of the job wait already',
    })
    expect(ask({ state: { ...state, waiting }, run: { runId: 'w5' } }).do).toBe('WAIT')
  })

  test('DISCARD ends and names who was in its way', () => {
    expect(ask({ state, block: { strategy: 'DISCARD' } })).toEqual({ do: 'DISCARD', reason: 'other is running' })
    expect(ask({ block: { strategy: 'DISCARD' } }).do).toBe('START')
  })

  test('COVER cancels the older one, and never a newer', () => {
    const block: Block = { strategy: 'COVER' }
    expect(ask({ state, block })).toEqual({ do: 'COVER', cancels: [holder()] })
    expect(ask({ state: { holders: [holder({ instant: NOW + 5 })] }, block })).toEqual({
      do: 'CANCEL',
      reason: 'other is newer',
    })
    expect(ask({ state: { holders: [holder({ instant: null })] }, block }).do).toBe('COVER')
    expect(ask({ state, block, run: { instant: null, trigger: 'MANUAL' } }).do).toBe('COVER')
  })

  test('COVER compares with the newest that runs, and those it covers hold nothing any more', () => {
    const block: Block = { strategy: 'COVER' }
    const two = { holders: [holder({ instant: NOW - 10 }), holder({ runId: 'newer', instant: NOW + 5 })] }
    expect(ask({ state: two, block })).toEqual({ do: 'CANCEL', reason: 'newer is newer' })
    expect(ask({ state: { holders: [...two.holders].reverse() }, block }).do).toBe('CANCEL')
    const older = [holder({ instant: null }), holder({ runId: 'old' })]
    expect(ask({ state: { holders: older }, block })).toEqual({ do: 'COVER', cancels: older })
    const covered = take({ ...FREE, holders: [holder()] }, run(), NOW + 70, NOW, block)
    expect(covered.holders.map(({ runId }) => runId)).toEqual(['me'])
    const waiting = [waiter('w', 1, { trigger: 'MANUAL' })]
    expect(release({ ...covered, waiting }, 'other', at({ block }))).toEqual({
      lock: { ...covered, waiting },
      send: [],
      promoted: null,
    })
  })

  test('CONCURRENT starts up to its max', () => {
    const block: Block = { strategy: 'CONCURRENT', max: 2 }
    const two = { holders: [holder(), holder({ runId: 'third' })] }
    expect(ask({ state, block })).toEqual({ do: 'START', takesLock: true })
    expect(ask({ state: two, block })).toEqual({ do: 'WAIT', until: null, reason: '2 runs of the job are running' })
    expect(ask({ state: two, block, run: { runId: 'third' } }).do).toBe('START')
  })

  test('one past its deadline is no longer in the way', () => {
    expect(ask({ state: { holders: [holder({ deadline: NOW })] } }).do).toBe('START')
  })

  test('itself in the lock is not in the way', () => {
    expect(ask({ state: { holders: [holder({ runId: 'me', sentAt: NOW })] } })).toEqual({
      do: 'START',
      takesLock: true,
    })
  })
})

describe('the lock', () => {
  test('stays with a run that is tried again, and with no other run', () => {
    const again = run({ attempt: 2, openMs: 5 })
    const lock = { ...FREE, holders: [holder(), holder({ runId: 'me' })] }
    const kept = holder({ ...again, deadline: NOW + 300, sentAt: NOW + 240 })
    expect(keepForRetry(lock, again, NOW + 240, NOW + 300).holders).toEqual([holder(), kept])
  })

  test('that is kept through a backoff sends no waiter before it is over', () => {
    const waits = holder({ runId: 'retry', deadline: NOW + 300, sentAt: NOW + 240 })
    const lock = { ...FREE, holders: [waits, holder()] }
    const block: Block = { strategy: 'CONCURRENT', max: 2 }
    expect(release(lock, 'other', at({ block })).send).toEqual([])
    expect(release(lock, 'other', at({ block, now: NOW + 249 })).send).toEqual([])
    expect(release(lock, 'other', at({ block, now: NOW + 250 })).send).toEqual([waits])
  })

  test('knows of one that waits the attempt it came with last', () => {
    const first = wait(FREE, run(), NOW)
    const again = wait(first, run({ attempt: 2, openMs: 7 }), NOW + 30)
    expect(again.waiting).toEqual([waiter('me', NOW, { attempt: 2, openMs: 7 })])
  })

  test('is given back by one that may not start yet after all', () => {
    const lock = { ...FREE, holders: [holder({ runId: 'me', sentAt: NOW })] }
    expect(wait(lock, run(), NOW)).toEqual({ holders: [], waiting: [waiter('me', NOW)] })
  })

  test('is freed by a stop, which ends what runs and waits from before it and lets the next one go', () => {
    const later = waiter('later', NOW + 5, { instant: NOW + 5 })
    const lock = { holders: [holder()], waiting: [waiter('before', NOW - 1, { instant: NOW - 1 }), later] }
    const stopped = stop(lock, NOW, at())
    expect(idsOf(stopped.ended)).toEqual(['other', 'before'])
    expect(idsOf(stopped.send)).toEqual(['later'])
    expect(stopped.lock.waiting).toEqual([])
    const untouched = { ...FREE, holders: [holder({ instant: NOW })] }
    expect(stop(untouched, NOW, at())).toEqual({ lock: untouched, send: [], promoted: null, ended: [] })
  })

  test('is taken, and the run waits no more', () => {
    const waiting = wait(FREE, run(), NOW)
    expect(wait(waiting, run(), NOW)).toEqual(waiting)
    expect(waiting.waiting).toEqual([waiter('me', NOW)])
    const taken = take(
      { ...waiting, holders: [holder({ deadline: NOW }), holder({ runId: 'me', sentAt: NOW })] },
      run(),
      NOW + 70,
      NOW,
      SERIAL,
    )
    expect(taken).toEqual({ ...FREE, holders: [holder({ runId: 'me', instant: NOW, deadline: NOW + 70 })] })
    expect(wait(FREE, run({ instant: null }), NOW + 3).waiting[0].orderedBy).toBe(NOW + 3)
  })

  test('goes to the oldest that waits, which is sent again where it has not started after a while', () => {
    const waiting = [waiter('young', 9), waiter('old', 3, { attempt: 2 }), waiter('as old', 3)]
    expect(oldestWaiter({ ...FREE, waiting }, NEW_STATE)?.runId).toBe('old')
    const first = release({ holders: [holder()], waiting }, 'other', at())
    const given = holder({ runId: 'old', attempt: 2, instant: NOW, deadline: NOW + 20, sentAt: NOW, openMs: 99 })
    expect(first.lock.holders).toEqual([given])
    expect(first.lock.waiting.map(({ runId }) => runId)).toEqual(['young', 'as old'])
    expect(first.send).toEqual([given])
    expect(first.promoted?.runId).toBe('old')
    expect(release(first.lock, 'other', at({ now: NOW + 9 })).send).toEqual([])
    const again = release(first.lock, 'other', at({ now: NOW + 10 }))
    expect([again.send, again.promoted]).toEqual([[given], null])
    // However many messages come about others meanwhile.
    expect(release(again.lock, 'other', at({ now: NOW + 19 })).send).toEqual([])
    expect(idsOf(release(again.lock, 'other', at({ now: NOW + 20 })).send)).toEqual(['old'])
  })

  test('is given on only while there is room', () => {
    const waiting = [waiter('w', 1, { trigger: 'MANUAL' })]
    const three = {
      holders: [holder({ runId: 'a' }), holder({ runId: 'b' }), holder({ runId: 'c' })],
      waiting,
    }
    const sentAfter = (max: number) => idsOf(release(three, 'a', at({ block: { strategy: 'CONCURRENT', max } })).send)
    expect([sentAfter(3), sentAfter(2)]).toEqual([['w'], []])
    expect(take(three, run(), NOW + 70, NOW, { strategy: 'CONCURRENT', max: 4 }).holders).toHaveLength(4)
  })

  test('passes over scheduled runs that wait behind a catch-up', () => {
    const waiting = [waiter('live', 1), waiter('late', 5, { trigger: 'CATCH_UP' })]
    const state = { ...NEW_STATE, catchUp: [{ from: 1, to: 90, next: 50, left: 3 }] }
    const lock = { holders: [holder()], waiting }
    expect(idsOf(release(lock, 'other', at({ state })).send)).toEqual(['late'])
    const unstarted = { ...state, waiting, holders: [holder({ runId: 'late', sentAt: NOW })] }
    const skips = { misfire: { policy: 'CATCH_UP', window: 3600, overlap: 'skip', max: 10 } as const }
    expect(ask({ run: { runId: 'next', trigger: 'CATCH_UP' }, state: unstarted, policy: skips }).do).toBe('WAIT')
  })

  test('is not kept by a run that started and whose deadline is past, once another gives it on', () => {
    const past = holder({ runId: 'past', deadline: NOW })
    const unstarted = holder({ runId: 'unstarted', deadline: NOW, sentAt: NOW })
    const lock = { holders: [past, unstarted, holder()], waiting: [] }
    expect(idsOf(release(lock, 'other', at()).lock.holders)).toEqual(['unstarted'])
  })

  test('goes to the oldest that waits where its holder is gone and another run comes or ends', () => {
    const gone = { holders: [holder({ deadline: NOW })], waiting: [waiter('old', 1), waiter('young', 2)] }
    expect(idsOf(joinLine(gone, run({ runId: 'new', instant: 3 }), at()).send)).toEqual(['old'])
    expect(idsOf(release(gone, 'young', at()).send)).toEqual(['old'])
    const alive = { ...gone, holders: [holder()] }
    expect(joinLine(alive, run({ runId: 'new', instant: 3 }), at()).send).toEqual([])
    expect(release(alive, 'young', at()).send).toEqual([])
    expect(joinLine(FREE, run(), at())).toEqual({
      lock: { ...FREE, waiting: [waiter('me', NOW)] },
      send: [],
      promoted: null,
    })
  })

  test('is free when no run waits', () => {
    expect(release({ ...FREE, holders: [holder()] }, 'other', at())).toEqual({ lock: FREE, send: [], promoted: null })
  })

  test('is not given on by one who only waited', () => {
    const lock = { holders: [holder()], waiting: [waiter('me', 1), waiter('x', 2)] }
    const released = release(lock, 'me', at())
    expect([released.lock.holders, released.send]).toEqual([[holder()], []])
    expect(released.lock.waiting.map(({ runId }) => runId)).toEqual(['x'])
  })
})

test('a stop ends what was due before it and what came by hand', () => {
  expect([
    isEndedByStop(NOW - 1, NOW),
    isEndedByStop(null, NOW),
    isEndedByStop(NOW, NOW),
    isEndedByStop(NOW + 1, NOW),
  ]).toEqual([true, true, false, false])
})

test('the newest success stays', () => {
  const first = recordSuccess(NEW_STATE, 10)
  expect(recordSuccess(first, 20).lastSuccess).toBe(20)
  expect(recordSuccess(first, 5).lastSuccess).toBe(10)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Decision, decide, type GatePolicy } from '../../../shared/core/gate/gate.ts'
import { timesOf } from '../../../shared/core/gate/overlap.ts'
import { release, take, wait } from '../../../shared/core/gate/release.ts'
import { FREE, type GateRun, type Lock, NEW_STATE } from '../../../shared/core/gate/state.ts'
import type { VersionedJob } from '../../../shared/core/job/version.ts'
import { type DueItem, dueBetween } from '../../../shared/core/planner/due.ts'
import { jobOf } from '../../support/jobs.ts'

const policy: GatePolicy = {
  block: { strategy: 'SERIAL' },
  misfire: { policy: 'FIRE_ONCE_NOW' },
  skipIfSuccessful: false,
  after: [],
  maxLateness: null,
}
const FROM = 100_000
const ask = (job: VersionedJob, run: GateRun, lock: Lock, now: number): Decision =>
  decide({ run, times: timesOf(job, run, now), policy, lock, state: NEW_STATE, lastSuccessOfAfter: [], now })
const scheduledRun = (second: number, runId = `${second}`): GateRun => ({
  runId,
  trigger: 'SCHEDULE',
  instant: second,
  nominal: second,
  attempt: 1,
  depth: 0,
  openMs: null,
})
const manualRun = (runId: string): GateRun => ({
  ...scheduledRun(0, runId),
  trigger: 'MANUAL',
  instant: null,
  nominal: null,
})
const LENGTH = 4000

interface Arrival {
  readonly run: GateRun
  readonly at: number
}

interface Interval {
  readonly runId: string
  readonly start: number
  readonly end: number
}

/**
 * Executors that only do as the gate says: a run arrives, waits and comes again as told, takes at most its timeout, and
 * releases. Time moves in seconds; what waits without a time is sent again by a release or by the audit.
 */
function simulate(job: VersionedJob, arrivals: readonly Arrival[], durations: readonly number[]): Interval[] {
  let lock: Lock = FREE
  const pending = arrivals.map(({ run, at }) => ({ run, at }))
  const running: (Interval & { locks: boolean })[] = []
  const done: Interval[] = []
  for (let now = FROM; now < FROM + LENGTH + 20_000 && pending.length + running.length > 0; now++) {
    for (const ended of running.filter(({ end }) => end <= now)) {
      running.splice(running.indexOf(ended), 1)
      done.push(ended)
      const at = { now, startBy: now + 70, openMs: 0, block: policy.block, state: NEW_STATE }
      const released = release(lock, ended.runId, at)
      lock = released.lock
      for (const each of pending) if (released.send.some(({ runId }) => runId === each.run.runId)) each.at = now
    }
    for (const each of pending.filter(({ at }) => at <= now)) {
      const decision = ask(job, each.run, lock, now)
      if (decision.do === 'WAIT') {
        lock = wait(lock, each.run, now)
        each.at = decision.until ?? now + 20
        continue
      }
      expect(decision.do).toBe('START')
      pending.splice(pending.indexOf(each), 1)
      const { timeoutSeconds } = job.versions[job.versions.length - 1]
      const duration = 1 + (durations[done.length % durations.length] % timeoutSeconds)
      if (decision.do === 'START' && decision.takesLock)
        lock = take(lock, each.run, now + timeoutSeconds + 10, now, policy.block)
      running.push({ runId: each.run.runId, start: now, end: now + duration, locks: true })
    }
  }
  expect(pending).toEqual([])
  return done
}

const overlaps = (done: readonly Interval[]): string[] => {
  const sorted = [...done].sort((a, b) => a.start - b.start)
  return sorted.flatMap((each, index) =>
    index > 0 && each.start < sorted[index - 1].end ? [`${sorted[index - 1].runId} and ${each.runId}`] : [],
  )
}

test('a gate never lets two runs of a SERIAL job be live, whatever its gaps, lateness and manual runs', () => {
  const arrivals = fc.array(fc.record({ at: fc.integer({ min: 0, max: LENGTH }) }), { maxLength: 8 })
  fc.assert(
    fc.property(
      fc.integer({ min: 15, max: 900 }),
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 9 }),
      arrivals,
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 7 }),
      (every, timeoutSeconds, lateness, manual, durations) => {
        const fits = Math.min(timeoutSeconds, Math.max(1, every - 2))
        const job = jobOf('a', { schedules: [{ every }], timeoutSeconds: fits })
        const items: DueItem[] = []
        dueBetween(job, FROM, FROM + LENGTH, items)
        const scheduled = items.map(
          ({ second }, index): Arrival => ({
            run: scheduledRun(second),
            at: second + lateness[index % lateness.length],
          }),
        )
        const byHand = manual.map(
          ({ at }, index): Arrival => ({
            run: manualRun(`manual-${index}`),
            at: FROM + at,
          }),
        )
        const done = simulate(job, [...scheduled, ...byHand], durations)
        expect(done).toHaveLength(scheduled.length + byHand.length)
        expect(overlaps(done)).toEqual([])
      },
    ),
    { numRuns: 200 },
  )
})

test('an edit to shorter gaps does not make its runs meet one of the older definition', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 120 }), (edited, timeoutSeconds) => {
      const activeFrom = FROM + edited
      const job = jobOf(
        'a',
        { schedules: [{ every: 2000 }], timeoutSeconds: 400 },
        { activeFrom, schedules: [{ every: 150 }], timeoutSeconds },
      )
      const items: DueItem[] = []
      dueBetween(job, FROM, FROM + 1000, items)
      const runs = items.map(
        ({ second }): Arrival => ({
          run: scheduledRun(second),
          at: second,
        }),
      )
      // The first run is the older definition's and takes all of its 400 s.
      let lock: Lock = FREE
      const first = ask({ ...job, versions: job.versions.slice(0, 1) }, runs[0].run, lock, FROM)
      expect(first).toEqual({ do: 'START', takesLock: false })
      for (const { run, at } of runs.slice(1).filter((each) => each.at < FROM + 400)) {
        const decision = ask(job, run, lock, at)
        expect(decision.do).toBe('WAIT')
        if (decision.do === 'WAIT') expect(decision.until ?? 0).toBeGreaterThan(FROM + 400)
        lock = wait(lock, run, at)
      }
    }),
    { numRuns: 100 },
  )
})

test('an edit does not put an instant beside a manual run that was started before it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 365 }),
      fc.integer({ min: 2, max: 300 }),
      fc.integer({ min: 1, max: 200 }),
      (after, edited, timeoutSeconds) => {
        const older = jobOf('a', { schedules: [{ every: 50_000 }], timeoutSeconds: 365 })
        const manual = manualRun('manual')
        const start = FROM + 1000
        expect(ask(older, manual, FREE, start)).toEqual({ do: 'START', takesLock: true })
        const lock = take(FREE, manual, start + 375, start, policy.block)
        const instant = start + Math.max(after, edited)
        const at = new Date(instant * 1000).toISOString()
        const job = {
          ...older,
          versions: [
            ...older.versions,
            {
              ...jobOf('a', { schedules: [{ at }], timeoutSeconds }).versions[0],
              version: 2,
              activeFrom: start + edited,
            },
          ],
        }
        expect(ask(job, scheduledRun(instant), lock, instant).do).toBe('WAIT')
      },
    ),
    { numRuns: 200 },
  )
})

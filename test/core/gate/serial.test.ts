import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide, type GatePolicy, type GateRun } from '../../../shared/core/gate/gate.ts'
import { release, take, wait } from '../../../shared/core/gate/release.ts'
import { type JobState, NEW_STATE } from '../../../shared/core/gate/state.ts'
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
  let state: JobState = NEW_STATE
  const pending = arrivals.map(({ run, at }) => ({ run, at }))
  const running: (Interval & { locks: boolean })[] = []
  const done: Interval[] = []
  for (let now = FROM; now < FROM + LENGTH + 20_000 && pending.length + running.length > 0; now++) {
    for (const ended of running.filter(({ end }) => end <= now)) {
      running.splice(running.indexOf(ended), 1)
      done.push(ended)
      const released = release(state, ended.runId, now + 70, now, policy.block)
      state = released.state
      for (const each of pending) if (released.send.includes(each.run.runId)) each.at = now
    }
    for (const each of pending.filter(({ at }) => at <= now)) {
      const decision = decide({ run: each.run, job, policy, state, lastSuccessOfAfter: [], now })
      if (decision.do === 'WAIT') {
        state = wait(state, each.run, now)
        each.at = decision.until ?? now + 20
        continue
      }
      expect(decision.do).toBe('START')
      pending.splice(pending.indexOf(each), 1)
      const { timeoutSeconds } = job.versions[job.versions.length - 1]
      const duration = 1 + (durations[done.length % durations.length] % timeoutSeconds)
      if (decision.do === 'START' && decision.takesLock)
        state = take(state, each.run, now + timeoutSeconds + 10, now, policy.block)
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
            run: { runId: `${second}`, trigger: 'SCHEDULE', instant: second, attempt: 1 },
            at: second + lateness[index % lateness.length],
          }),
        )
        const byHand = manual.map(
          ({ at }, index): Arrival => ({
            run: { runId: `manual-${index}`, trigger: 'MANUAL', instant: null, attempt: 1 },
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
        { schedules: [{ every: 1000 }], timeoutSeconds: 400 },
        { activeFrom, schedules: [{ every: 150 }], timeoutSeconds },
      )
      const items: DueItem[] = []
      dueBetween(job, FROM, FROM + 1000, items)
      const runs = items.map(
        ({ second }): Arrival => ({
          run: { runId: `${second}`, trigger: 'SCHEDULE', instant: second, attempt: 1 },
          at: second,
        }),
      )
      // The first run is the older definition's and takes all of its 400 s.
      let state: JobState = NEW_STATE
      const first = decide({
        run: runs[0].run,
        job: { ...job, versions: job.versions.slice(0, 1) },
        policy,
        state,
        lastSuccessOfAfter: [],
        now: FROM,
      })
      expect(first).toEqual({ do: 'START', takesLock: false })
      for (const { run, at } of runs.slice(1).filter((each) => each.at < FROM + 400)) {
        const decision = decide({ run, job, policy, state, lastSuccessOfAfter: [], now: at })
        expect(decision.do).toBe('WAIT')
        if (decision.do === 'WAIT') expect(decision.until ?? 0).toBeGreaterThan(FROM + 400)
        state = wait(state, run, at)
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
        const manual: GateRun = { runId: 'manual', trigger: 'MANUAL', instant: null, attempt: 1 }
        const start = FROM + 1000
        expect(
          decide({ run: manual, job: older, policy, state: NEW_STATE, lastSuccessOfAfter: [], now: start }),
        ).toEqual({ do: 'START', takesLock: true })
        const state = take(NEW_STATE, manual, start + 375, start, policy.block)
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
        const scheduled: GateRun = { runId: 'scheduled', trigger: 'SCHEDULE', instant, attempt: 1 }
        expect(decide({ run: scheduled, job, policy, state, lastSuccessOfAfter: [], now: instant }).do).toBe('WAIT')
      },
    ),
    { numRuns: 200 },
  )
})

// The sample jobs on a rolling run index: what fires at a turn, and the view of a moment. Time comes as an argument;
// it knows no clock, no timer and no terminal.

import { tableFromFleet } from '../shared/core/run-index/build.ts'
import { type Fleet, fleetOf } from '../shared/core/run-index/fleet.ts'
import { RunIndex, type RunTable } from '../shared/core/run-index/run-index.ts'
import { explainSchedule } from '../shared/core/schedule/explain.ts'
import { compileTiming, type Timing } from '../shared/core/schedule/timing.ts'
import type { Zone } from '../shared/core/time/zone.ts'
import { zoneOf } from '../shared/core/time/zones.ts'
import { dueSeconds, LOOK_BACK_SECONDS } from './due.ts'
import { countMissed } from './missed.ts'
import type { SampleJob } from './samples.ts'
import { type Happening, PRE_READ_SECONDS, type RingView, SLOTS, type Slot } from './view.ts'

const WINDOW_SECONDS = 3600
/** The window moves on once a minute, long before the ring's own minute could reach its end. */
const ROLL_SECONDS = 60
const MOST_RUNS = 100_000
const KEPT_HAPPENINGS = 100

interface DemoJob {
  readonly name: string
  readonly explanation: string
  readonly zone: Zone
  readonly timing: Timing
  firedCount: number
  worstLatenessMs: number | null
}

const demoJobOf = ({ name, schedule }: SampleJob): DemoJob => ({
  name,
  explanation: explainSchedule(schedule, name),
  zone: zoneOf(schedule.zone ?? 'UTC'),
  timing: compileTiming({ jobId: name, schedules: [schedule] }),
  firedCount: 0,
  worstLatenessMs: null,
})

export class Demo {
  readonly #jobs: readonly DemoJob[]
  readonly #fleet: Fleet
  readonly #index: RunIndex
  readonly #jobNumbers: Int32Array
  readonly #seconds: Float64Array
  #lastFired: number | null = null
  #latest: readonly Happening[] = []

  constructor(samples: readonly SampleJob[], nowMs: number) {
    this.#jobs = samples.map(demoJobOf)
    this.#fleet = fleetOf(this.#jobs.map(({ timing }) => timing))
    this.#index = new RunIndex(this.#tableAt(Math.floor(nowMs / 1000)))
    this.#jobNumbers = new Int32Array(samples.length * SLOTS)
    this.#seconds = new Float64Array(samples.length * SLOTS)
  }

  /**
   * Fires what is due and answers what happened, oldest first. The first turn only says from where on to fire: the runs
   * of the second it comes in would look late, and they are not the ring's fault.
   */
  turn(nowMs: number): Happening[] {
    const now = Math.floor(nowMs / 1000)
    this.#roll(now)
    const { missed, fire } = dueSeconds(this.#lastFired ?? now, now)
    const happenings = this.#giveUp(missed.from, missed.to)
    const count = this.#index.query(fire.from, fire.to, this.#jobNumbers, this.#seconds)
    for (let run = 0; run < count; run++)
      happenings.push(this.#fire(this.#jobs[this.#jobNumbers[run]], this.#seconds[run], nowMs))
    this.#lastFired = fire.to - 1
    this.#latest = [...happenings.toReversed(), ...this.#latest].slice(0, KEPT_HAPPENINGS)
    return happenings
  }

  view(second: number, zone: Zone): RingView {
    const jobs = this.#jobs.map(({ timing, ...job }) => ({ ...job, nextInstant: timing.start.next(second) }))
    const nextRun = this.#index.peek(second + 1)
    return { second, zone, slots: this.#slots(second), nextRun, jobs, latest: this.#latest }
  }

  #giveUp(from: number, to: number): Happening[] {
    const missed = countMissed(this.#fleet, from, to)
    return missed.count === 0 ? [] : [{ type: 'missed', second: to - 1, missed }]
  }

  #fire(job: DemoJob, second: number, nowMs: number): Happening {
    const latenessMs = nowMs - second * 1000
    job.firedCount += 1
    job.worstLatenessMs = Math.max(job.worstLatenessMs ?? 0, latenessMs)
    return { type: 'fired', second, name: job.name, latenessMs }
  }

  /** The minute after a second, one slot for each of its seconds. */
  #slots(second: number): Slot[] {
    const slots = Array.from({ length: SLOTS }, () => ({ soon: 0, later: 0 }))
    const count = this.#index.query(second + 1, second + 1 + SLOTS, this.#jobNumbers, this.#seconds)
    for (let run = 0; run < count; run++) {
      const due = this.#seconds[run]
      slots[due % SLOTS][due <= second + PRE_READ_SECONDS ? 'soon' : 'later'] += 1
    }
    return slots
  }

  #tableAt(now: number): RunTable {
    return tableFromFleet(this.#fleet, now - LOOK_BACK_SECONDS, now + WINDOW_SECONDS, MOST_RUNS)
  }

  #roll(now: number): void {
    const { from, to } = this.#index.table
    const isInside = now - LOOK_BACK_SECONDS >= from && now + WINDOW_SECONDS - ROLL_SECONDS < to
    if (!isInside) this.#index.swap(this.#tableAt(now))
  }
}

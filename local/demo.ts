// The sample jobs as they are shown: what fired, how late, and what comes in the next minute. Time comes as an argument;
// it knows no clock, no timer and no terminal.

import { tableFromFleet } from '../shared/core/run-index/build.ts'
import { type Fleet, fleetOf } from '../shared/core/run-index/fleet.ts'
import { RunIndex, type RunTable } from '../shared/core/run-index/run-index.ts'
import { explainSchedule } from '../shared/core/schedule/explain.ts'
import { compileTiming, type Timing } from '../shared/core/schedule/timing.ts'
import type { Zone } from '../shared/core/time/zone.ts'
import { zoneOf } from '../shared/core/time/zones.ts'
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
  #latest: readonly Happening[] = []

  constructor(samples: readonly SampleJob[], nowMs: number) {
    this.#jobs = samples.map(demoJobOf)
    this.#fleet = fleetOf(this.#jobs.map(({ timing }) => timing))
    this.#index = new RunIndex(this.#tableAt(Math.floor(nowMs / 1000)))
    this.#jobNumbers = new Int32Array(samples.length * SLOTS)
    this.#seconds = new Float64Array(samples.length * SLOTS)
  }

  /** Somebody took a run of a sample job at a time. */
  fired(name: string, second: number, atMs: number): Happening {
    const latenessMs = Math.max(0, atMs - second * 1000)
    const job = this.#jobs.find((each) => each.name === name)
    if (job !== undefined) {
      job.firedCount += 1
      job.worstLatenessMs = Math.max(job.worstLatenessMs ?? 0, latenessMs)
    }
    return this.#keep({ type: 'fired', second, name, latenessMs })
  }

  missed(second: number, count: number): Happening {
    return this.#keep({ type: 'missed', second, count })
  }

  #keep(happening: Happening): Happening {
    this.#latest = [happening, ...this.#latest].slice(0, KEPT_HAPPENINGS)
    return happening
  }

  view(second: number, zone: Zone): RingView {
    this.#roll(second)
    const jobs = this.#jobs.map(({ timing, ...job }) => ({ ...job, nextInstant: timing.start.next(second) }))
    const nextRun = this.#index.peek(second + 1)
    return { second, zone, slots: this.#slots(second), nextRun, jobs, latest: this.#latest }
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
    return tableFromFleet(this.#fleet, now, now + WINDOW_SECONDS, MOST_RUNS)
  }

  #roll(now: number): void {
    const { from, to } = this.#index.table
    const isInside = now >= from && now + WINDOW_SECONDS - ROLL_SECONDS < to
    if (!isInside) this.#index.swap(this.#tableAt(now))
  }
}

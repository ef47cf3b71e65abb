// What the world does to a simulation, drawn from its seed: how often each fault comes, to whom, and how hard. Each seed has its
// own climate, so that every kind of trouble is the worst one somewhere. Outside the storm the sky is clear.

import type { Random } from '../support/random-cron/random.ts'
import type { QueueName } from './history.ts'
import type { Process, ProcessKind, Strike, Weather } from './process.ts'
import type { QueueWeather } from './queue.ts'
import type { Recorder } from './recorder.ts'

/** How many of a thousand calls, messages or events are struck. */
export interface Climate {
  readonly name: string
  /** Whose calls are struck; everybody's unless said. */
  readonly only?: readonly ProcessKind[]
  readonly crash: number
  readonly pause: number
  readonly clockStep: number
  /** Processes whose steady clock stands still while they are frozen between two calls. */
  readonly standstill: number
  readonly throttle: number
  readonly errorBefore: number
  readonly errorAfter: number
  readonly lostAnswer: number
  readonly slowCall: number
  readonly partialSend: number
  readonly duplicate: number
  readonly delay: number
  readonly deleteFails: number
  readonly lostEvent: number
  readonly duplicateEvent: number
  readonly delayedEvent: number
  readonly poison: number
  /** Messages of which one run is refused from then on. */
  readonly refusal: number
  readonly newerCode: number
  readonly skippedMinute: number
  /** Wipes of a queue, and outages of the whole store, in a storm. */
  readonly wipes: number
  readonly outages: number
  /** Times in which no executor takes messages from a lane. */
  readonly absences: number
}

const CALM: Omit<Climate, 'name'> = {
  crash: 0,
  pause: 0,
  clockStep: 0,
  standstill: 0,
  throttle: 0,
  errorBefore: 0,
  errorAfter: 0,
  lostAnswer: 0,
  slowCall: 0,
  partialSend: 0,
  duplicate: 0,
  delay: 0,
  deleteFails: 0,
  lostEvent: 0,
  duplicateEvent: 0,
  delayedEvent: 0,
  poison: 0,
  refusal: 0,
  newerCode: 0,
  skippedMinute: 0,
  wipes: 0,
  outages: 0,
  absences: 0,
}

/** A little of everything. */
const MIXED: Omit<Climate, 'name'> = {
  crash: 1,
  pause: 0.5,
  clockStep: 1,
  standstill: 300,
  throttle: 6,
  errorBefore: 6,
  errorAfter: 1.5,
  lostAnswer: 1,
  slowCall: 8,
  partialSend: 6,
  duplicate: 60,
  delay: 20,
  deleteFails: 10,
  lostEvent: 2,
  duplicateEvent: 20,
  delayedEvent: 10,
  poison: 0.3,
  refusal: 2,
  newerCode: 10,
  skippedMinute: 50,
  wipes: 3,
  outages: 0.3,
  absences: 0.3,
}

/** Beside what a request handler does: processes that die, messages that come twice. */
export const THROUGH_SDK: Climate = { name: 'through the SDK', ...CALM, crash: 2, duplicate: 50, duplicateEvent: 10 }
/** Nothing goes wrong, and shards fall asleep and are woken all the time. */
export const SLEEPY: Climate = { name: 'sleepy', ...CALM }
/** What strikes tickers only: nothing of this needs the audit to heal. */
export const CHAIN_ONLY = 'chain only'

export const CLIMATES: readonly Climate[] = [
  { name: 'mixed', ...MIXED },
  { name: 'dying chains', ...MIXED, crash: 3, lostEvent: 15, duplicateEvent: 60, delayedEvent: 40 },
  { name: 'dying executors', ...CALM, crash: 6, pause: 2, duplicate: 50, slowCall: 5 },
  { name: 'frozen processes', ...CALM, pause: 5, clockStep: 2, standstill: 700, duplicate: 50 },
  {
    name: 'bad queues',
    ...CALM,
    duplicate: 200,
    delay: 100,
    deleteFails: 60,
    partialSend: 40,
    wipes: 12,
    poison: 2,
    refusal: 15,
  },
  { name: 'bad store', ...CALM, throttle: 30, errorBefore: 20, errorAfter: 5, lostAnswer: 3, slowCall: 30, outages: 2 },
  { name: 'bad clocks', ...MIXED, clockStep: 10, crash: 0.5 },
  { name: 'slow consumers', ...CALM, absences: 2, duplicate: 40, delay: 20, slowCall: 10, throttle: 5 },
  {
    name: 'chain only',
    ...CALM,
    only: ['tick', 'watch'],
    crash: 2,
    pause: 1,
    throttle: 15,
    errorBefore: 10,
    errorAfter: 3,
    slowCall: 25,
    partialSend: 30,
    duplicateEvent: 30,
    delayedEvent: 10,
  },
  { name: 'dying tickers', ...CALM, only: ['tick'], crash: 2, lostEvent: 4 },
  { name: 'bad bus', ...CALM, lostEvent: 30, duplicateEvent: 200, delayedEvent: 100, skippedMinute: 200, crash: 0.5 },
  SLEEPY,
]

const CLOCK_STEPS_MS = [1000, 10_000, 3_600_000]
const FROZEN_WHEN = ['before', 'after', 'both', 'both'] as const
const PAUSES_MS = [800, 3000, 5000, 15_000, 40_000]
const SLOW_MS = [300, 1000, 2500, 4500]
const DELAYS_MS = [500, 3000, 20_000, 120_000]

export class RandomWeather implements Weather, QueueWeather {
  readonly #random: Random
  readonly #recorder: Recorder
  readonly climate: Climate
  isStorm = false
  isOut = false
  /** Runs that queues refuse for good. */
  readonly #refused = new Set<string>()

  constructor(random: Random, recorder: Recorder, climate: Climate) {
    this.#random = random
    this.#recorder = recorder
    this.climate = climate
  }

  #strikes(perThousand: number): boolean {
    return this.isStorm && perThousand > 0 && this.#random.chance(perThousand / 1000)
  }

  latencyMs(): number {
    return this.#random.between(1, 12)
  }

  /** As machines are: not only in a storm. */
  stopsSteadyClock(): boolean {
    const { standstill } = this.climate
    return standstill > 0 && this.#random.chance(standstill / 1000)
  }

  strike(process: Process, call: string): Strike | null {
    if (!this.isStorm) return null
    if (this.isOut && !/^(fast|slow|watch|bus)/.test(call)) return { fault: 'outage' }
    const { climate } = this
    if (climate.only?.includes(process.kind) === false) return null
    if (call === 'partial send') return this.#strikes(climate.partialSend) ? { fault: 'partial send', unsent: 1 } : null
    const when = this.#random.chance(0.5) ? 'before' : 'after'
    // One draw decides, so that rates add up.
    let left = this.#random.below(1_000_000) / 1000
    const isIt = (perThousand: number) => {
      left -= perThousand
      return left < 0 && left >= -perThousand
    }
    if (isIt(climate.crash)) return { fault: 'crash', when }
    if (isIt(climate.pause))
      return { fault: 'pause', when: this.#random.pick(FROZEN_WHEN), ms: this.#random.pick(PAUSES_MS) }
    if (isIt(climate.clockStep)) return { fault: 'clock step', ms: this.#clockStep(process) }
    if (isIt(climate.throttle)) return { fault: 'throttle' }
    if (isIt(climate.errorBefore)) return { fault: 'error before commit' }
    if (isIt(climate.errorAfter)) return { fault: 'error after commit' }
    if (isIt(climate.lostAnswer)) return { fault: 'lost answer', ms: this.#random.pick(SLOW_MS) }
    if (isIt(climate.slowCall)) return { fault: 'slow call', when, ms: this.#random.pick(SLOW_MS) }
    return null
  }

  /** A clock that is off is mostly set right again. */
  #clockStep({ skewMs }: Process): number {
    if (skewMs !== 0 && this.#random.chance(0.6)) return -skewMs
    const step = this.#random.pick(CLOCK_STEPS_MS)
    return this.#random.chance(0.5) ? step : -step
  }

  #note(
    fault:
      | 'duplicate message'
      | 'delayed message'
      | 'early message'
      | 'delete fails'
      | 'poison'
      | 'newer code'
      | 'refused run',
    queue: string,
  ): void {
    this.#recorder.add({ op: 'fault', fault, where: queue }, 'queue')
  }

  delayMs(queue: QueueName, heldBackMs: number): number {
    const usualMs = heldBackMs + this.#random.between(2, 40)
    if (!this.#strikes(this.climate.delay)) return usualMs
    // What is held back may also come too early.
    const isEarly = heldBackMs > 0 && this.#random.chance(0.5)
    this.#note(isEarly ? 'early message' : 'delayed message', queue)
    return isEarly ? usualMs * 0.2 : usualMs + this.#random.pick(DELAYS_MS)
  }

  againAfterMs(queue: QueueName): number | null {
    if (!this.#strikes(this.climate.duplicate)) return null
    this.#note('duplicate message', queue)
    return this.#random.between(0, 4000)
  }

  failsToDelete(queue: QueueName): boolean {
    if (!this.#strikes(this.climate.deleteFails)) return false
    this.#note('delete fails', queue)
    return true
  }

  /** What is refused once is refused whenever it comes, in whatever company. */
  refuses(runs: readonly string[]): boolean {
    if (runs.some((runId) => this.#refused.has(runId))) return true
    if (runs.length === 0 || !this.#strikes(this.climate.refusal)) return false
    const runId = this.#random.pick(runs)
    this.#refused.add(runId)
    this.#note('refused run', runId)
    return true
  }

  pick(of: number): number {
    return this.isStorm ? this.#random.below(of) : 0
  }

  /** Garbage in the place of a message loses it, a ticket that cannot be read its run; a field that this code does not know comes from a newer deployment. */
  change(body: string): string {
    if (this.#strikes(this.climate.poison)) {
      this.#note('poison', 'message')
      const isGarbage = this.#random.chance(0.5)
      return isGarbage
        ? body.slice(0, body.length >> 1)
        : body.replace(/"timeoutSeconds":(\d+)/, '"timeoutSeconds":"$1"')
    }
    if (!this.#strikes(this.climate.newerCode)) return body
    this.#note('newer code', 'message')
    return `{"fieldOfTomorrow":{"a":[1]},${body.slice(1)}`
  }

  /** When an event is delivered, in milliseconds from now; none where it is lost. */
  deliveriesMs(): number[] {
    const usual = this.#random.between(20, 250)
    const note = (fault: 'lost event' | 'duplicate event' | 'delayed event') =>
      this.#recorder.add({ op: 'fault', fault, where: 'bus' }, 'bus')
    if (this.#strikes(this.climate.lostEvent)) {
      note('lost event')
      return []
    }
    if (this.#strikes(this.climate.duplicateEvent)) {
      note('duplicate event')
      return [usual, usual + this.#random.between(0, 3000)]
    }
    if (this.#strikes(this.climate.delayedEvent)) {
      note('delayed event')
      return [usual + this.#random.between(500, 8000)]
    }
    return [usual]
  }

  skipsMinute(): boolean {
    if (!this.#strikes(this.climate.skippedMinute)) return false
    this.#recorder.add({ op: 'fault', fault: 'minute rule skipped', where: 'rule' }, 'bus')
    return true
  }
}

/** The first seeds that have a weather, or simply the first. */
export function seedsOf(climate: string | undefined, count: number): number[] {
  const all = Array.from({ length: count * CLIMATES.length }, (_, place) => place + 1)
  return all
    .filter((seed) => climate === undefined || CLIMATES[seed % CLIMATES.length].name === climate)
    .slice(0, count)
}

// How long AWS takes where a laptop takes next to no time. Each figure is the middle and the slowest hundredth of what was published or
// measured; between them times are drawn as such times are usually spread, always the same ones for the same seed.

/** Milliseconds, each drawn anew. */
export interface Latency {
  /** From putting an event on the bus to its function. */
  busMs(): number
  /** From a message in a queue to its function. */
  queueMs(): number
  /** Until a service has answered a call. */
  callMs(service: CalledService): number
  /** Beyond what starting the process takes here. */
  coldStartMs(): number
}

export type CalledService = 'table' | 'queue' | 'bus'

export const NO_LATENCY: Latency = { busMs: () => 0, queueMs: () => 0, callMs: () => 0, coldStartMs: () => 0 }

interface Spread {
  readonly p50: number
  readonly p99: number
}

/** Bus and queue: 1,024 samples in eu-west-1. Calls and cold starts: what AWS and users say of them. */
const AWS_FIGURES = {
  bus: { p50: 148, p99: 387 },
  queue: { p50: 16, p99: 105 },
  tableCall: { p50: 4, p99: 10 },
  queueCall: { p50: 10, p99: 40 },
  busCall: { p50: 10, p99: 40 },
  coldStart: { p50: 250, p99: 500 },
} as const satisfies Record<string, Spread>

/** How many standard deviations the slowest hundredth begins above the middle. */
const DEVIATIONS_AT_P99 = 2.326

export function awsLatency(seed: number): Latency {
  const random = randomFrom(seed)
  const draw = ({ p50, p99 }: Spread): number => {
    const deviation = Math.log(p99 / p50) / DEVIATIONS_AT_P99
    return p50 * Math.exp(deviation * normal(random))
  }
  return {
    busMs: () => draw(AWS_FIGURES.bus),
    queueMs: () => draw(AWS_FIGURES.queue),
    callMs: (service) => draw(AWS_FIGURES[`${service}Call`]),
    coldStartMs: () => draw(AWS_FIGURES.coldStart),
  }
}

/** From two even draws one of a bell curve. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** mulberry32: the same seed gives the same draws on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

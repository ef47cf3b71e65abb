// Weather as a script says: every call of a kind of process is counted, and at some of them the process dies. Everything else goes
// well.

import type { Process, ProcessKind, Strike, Weather } from './process.ts'
import type { QueueWeather } from './queue.ts'
import type { BusWeather } from './stack.ts'

export interface CrashPoint {
  readonly kind: ProcessKind
  /** The nth call that processes of this kind make, all together, counted from 1. */
  readonly call: number
  readonly when: 'before' | 'after'
}

const LATENCY_MS = 4

export class ScriptedWeather implements Weather, QueueWeather, BusWeather {
  readonly #points: readonly CrashPoint[]
  readonly calls: Record<ProcessKind, number> = { tick: 0, watch: 0, execute: 0, client: 0 }
  /** No other process is struck, and nothing is counted, once this is true. */
  isOver = false

  constructor(points: readonly CrashPoint[]) {
    this.#points = points
  }

  strike({ kind }: Process, call: string): Strike | null {
    if (this.isOver || call === 'partial send') return null
    this.calls[kind] += 1
    const point = this.#points.find((each) => each.kind === kind && each.call === this.calls[kind])
    return point === undefined ? null : { fault: 'crash', when: point.when }
  }

  latencyMs = (): number => LATENCY_MS
  stopsSteadyClock = (): boolean => false
  delayMs = (_: string, heldBackMs: number): number => heldBackMs + LATENCY_MS
  againAfterMs = (): null => null
  failsToDelete = (): boolean => false
  pick = (): number => 0
  refuses = (): boolean => false
  change = (body: string): string => body
  deliveriesMs = (): number[] => [50]
  skipsMinute = (): boolean => false
}

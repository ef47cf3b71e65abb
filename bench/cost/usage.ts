// What was used of AWS in a span of time, as counts; how counts are added, compared and scaled. Knows no prices.

import { type CountedFunction, FUNCTIONS } from './deployment.ts'

export interface FunctionUse {
  readonly calls: number
  readonly gbSeconds: number
}

export interface Usage {
  readonly seconds: number
  readonly triggers: number
  readonly functions: Readonly<Record<CountedFunction, FunctionUse>>
  readonly tableRequests: number
  readonly readUnits: number
  readonly writeUnits: number
  /** What the table holds more at the end than at the beginning. */
  readonly storedBytes: number
  /** Sends, and a receive and a delete for each batch. */
  readonly queueRequests: number
  /** Polls that bring nothing. */
  readonly emptyPolls: number
  readonly busEvents: number
  readonly logBytes: number
  /** Names with their dimensions. A metric costs by the month, however often it is said, so these are never scaled. */
  readonly metrics: readonly string[]
}

const combine = (one: Usage, other: Usage, by: (a: number, b: number) => number): Omit<Usage, 'metrics'> => ({
  seconds: by(one.seconds, other.seconds),
  triggers: by(one.triggers, other.triggers),
  functions: Object.fromEntries(
    FUNCTIONS.map((name) => [
      name,
      {
        calls: by(one.functions[name].calls, other.functions[name].calls),
        gbSeconds: by(one.functions[name].gbSeconds, other.functions[name].gbSeconds),
      },
    ]),
  ) as Usage['functions'],
  tableRequests: by(one.tableRequests, other.tableRequests),
  readUnits: by(one.readUnits, other.readUnits),
  writeUnits: by(one.writeUnits, other.writeUnits),
  storedBytes: by(one.storedBytes, other.storedBytes),
  queueRequests: by(one.queueRequests, other.queueRequests),
  emptyPolls: by(one.emptyPolls, other.emptyPolls),
  busEvents: by(one.busEvents, other.busEvents),
  logBytes: by(one.logBytes, other.logBytes),
})

const scale = (usage: Usage, factor: number): Usage => ({
  ...combine(usage, usage, (count) => count * factor),
  metrics: usage.metrics,
})

export const add = (one: Usage, other: Usage): Usage => ({
  ...combine(one, other, (a, b) => a + b),
  metrics: [...new Set([...one.metrics, ...other.metrics])],
})

/** What triggers use on top of the shard that is awake anyway. Metrics are the shard's: a million more runs need no more of them. */
export const onTopOf = (loaded: Usage, awake: Usage): Usage => ({
  ...combine(loaded, scale(awake, loaded.seconds / awake.seconds), (a, b) => a - b),
  metrics: [],
})

const MONTH_SECONDS = 30 * 86_400
export const monthOf = (usage: Usage): Usage => scale(usage, MONTH_SECONDS / usage.seconds)

const MILLION = 1_000_000
export const millionOf = (usage: Usage): Usage => scale(usage, MILLION / usage.triggers)

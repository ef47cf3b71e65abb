// Brings events to functions as EventBridge does: those of a bus by the patterns of its rules, and one each minute. Delivery is at least
// once, as it is on AWS; a test can make it worse.

import type { PutEntry } from '../engines/event-bus.ts'
import { REGION } from '../template/intrinsics.ts'
import type { RuleToRun, TargetToRun } from '../template/read-template.ts'
import type { PoolTime } from './pool.ts'

/** When an event is delivered, in milliseconds from now, once for each; none where it is lost. */
export type Deliveries = (entry: PutEntry) => readonly number[]

export interface DeliverOptions {
  readonly rules: readonly RuleToRun[]
  readonly time: PoolTime
  readonly deliveries: Deliveries
  /** Calls a function and waits for its end; an event that is too old by then is given up. */
  invoke(target: TargetToRun, event: object): Promise<void>
}

const MINUTE_MS = 60_000

const fits = ({ takes }: RuleToRun, { EventBusName, Source, DetailType }: PutEntry): boolean =>
  takes !== 'each minute' &&
  takes.bus === EventBusName &&
  takes.sources.includes(Source) &&
  takes.detailTypes.includes(DetailType)

export class EventDelivery {
  readonly #options: DeliverOptions
  #isStopped = false

  constructor(options: DeliverOptions) {
    this.#options = options
  }

  /** Answers at once and delivers later. */
  take(entry: PutEntry): void {
    const { rules, time, deliveries } = this.#options
    const targets = rules.filter((rule) => fits(rule, entry)).flatMap((rule) => rule.targets)
    const event = {
      source: entry.Source,
      'detail-type': entry.DetailType,
      detail: JSON.parse(entry.Detail),
      time: new Date(time.nowMs()).toISOString(),
      region: REGION,
    }
    for (const target of targets)
      for (const afterMs of deliveries(entry)) void this.#after(afterMs).then(() => this.#deliver(target, event))
  }

  async #after(ms: number): Promise<void> {
    if (ms > 0) await this.#options.time.until(this.#options.time.nowMs() + ms)
  }

  async #deliver(target: TargetToRun, event: object): Promise<void> {
    if (!this.#isStopped) await this.#options.invoke(target, event)
  }

  /** The first minute is now: a laptop may have been away for long. */
  async runEachMinute(): Promise<void> {
    const { rules, time } = this.#options
    const targets = rules.filter(({ takes }) => takes === 'each minute').flatMap((rule) => rule.targets)
    while (!this.#isStopped) {
      for (const target of targets)
        void this.#deliver(target, { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} })
      await time.until((Math.floor(time.nowMs() / MINUTE_MS) + 1) * MINUTE_MS)
    }
  }

  stop(): void {
    this.#isStopped = true
  }
}

// The EventBridge bus. An answer of 200 may still hold entries that were refused, so each is looked at.

import { randomBytes } from 'node:crypto'
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { secondOf } from '../core/time/units.ts'
import type { Bus, BusEvent } from '../ports.ts'
import { EVENT_SOURCE } from './env.ts'

const EVENTS_A_CALL = 10
const TRIES = 3

/** A trace of its own for each event: handed on from link to link, one trace with one sampling decision would last as long as the chain. */
const newTrace = (): string => {
  const second = secondOf(Date.now()).toString(16)
  return `Root=1-${second}-${randomBytes(12).toString('hex')};Sampled=0`
}

export class EventBridgeBus implements Bus {
  readonly #client: EventBridgeClient
  readonly #busName: string

  constructor(client: EventBridgeClient, busName: string) {
    this.#client = client
    this.#busName = busName
  }

  async put(events: readonly BusEvent[]): Promise<void> {
    for (let first = 0; first < events.length; first += EVENTS_A_CALL) {
      await this.#putCall(events.slice(first, first + EVENTS_A_CALL))
    }
  }

  async #putCall(events: readonly BusEvent[]): Promise<void> {
    let left = events
    let reason = ''
    for (let tries = 1; tries <= TRIES && left.length > 0; tries++) {
      const { Entries = [] } = await this.#client.send(
        new PutEventsCommand({ Entries: left.map((event) => this.#entry(event)) }),
      )
      const isRefused = (place: number) => Entries[place]?.EventId === undefined
      reason =
        Entries.map(({ ErrorCode, ErrorMessage }) => [ErrorCode, ErrorMessage].join(' ').trim()).find(
          (each) => each !== '',
        ) ?? ''
      left = left.filter((_, place) => isRefused(place))
    }
    if (left.length > 0) throw new Error(`the bus refused ${left.length} of ${events.length} events: ${reason}`)
  }

  #entry({ type, detail }: BusEvent) {
    return {
      EventBusName: this.#busName,
      Source: EVENT_SOURCE,
      DetailType: type,
      Detail: JSON.stringify(detail),
      TraceHeader: newTrace(),
    }
  }
}

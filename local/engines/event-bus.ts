// A small EventBridge: takes PutEvents as the service does and hands each event to a listener.

import type { Engine } from './dynamodb.ts'
import { startJsonService } from './json-service.ts'

export interface PutEntry {
  readonly EventBusName: string
  readonly Source: string
  readonly DetailType: string
  readonly Detail: string
  readonly TraceHeader?: string
}

/** Null where the event is taken, otherwise the code with which it is refused. */
export type TakeEvent = (entry: PutEntry) => string | null

export async function startEventBus(take: TakeEvent): Promise<Engine> {
  let taken = 0
  return startJsonService((_, input) => {
    const Entries = (input as { readonly Entries: readonly PutEntry[] }).Entries.map((entry) => {
      const code = take(entry)
      taken += 1
      return code === null ? { EventId: String(taken) } : { ErrorCode: code, ErrorMessage: 'refused' }
    })
    const FailedEntryCount = Entries.filter((result) => 'ErrorCode' in result).length
    return { status: 200, body: { FailedEntryCount, Entries } }
  })
}

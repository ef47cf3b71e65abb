import type { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { afterEach, describe, expect, test } from 'vitest'
import type { Engine } from '../../local/engines/dynamodb.ts'
import { type PutEntry, startEventBus, type TakeEvent } from '../../local/engines/event-bus.ts'
import { EventBridgeBus } from '../../shared/aws/bus.ts'
import { busClient } from '../../shared/aws/sdk.ts'

const events = (count: number) => Array.from({ length: count }, (_, n) => ({ type: 'tick', detail: { n } }))

describe('the bus', () => {
  let engine: Engine
  let client: EventBridgeClient

  const begin = async (take: TakeEvent) => {
    engine = await startEventBus(take)
    client = busClient({ endpoint: engine.endpoint })
    return new EventBridgeBus(client, 'tickring')
  }

  afterEach(async () => {
    client.destroy()
    await engine.stop()
  })

  test('takes events by the ten', async () => {
    const taken: PutEntry[] = []
    const bus = await begin((entry) => {
      taken.push(entry)
      return null
    })
    await bus.put(events(23))
    expect(taken.map(({ Detail }) => JSON.parse(Detail).n)).toEqual(events(23).map(({ detail }) => detail.n))
    expect(taken[0]).toMatchObject({ EventBusName: 'tickring', Source: 'tickring', DetailType: 'tick' })
  })

  test('begins a trace of its own with each event, so that no trace lasts as long as the chain', async () => {
    const taken: PutEntry[] = []
    const bus = await begin((entry) => {
      taken.push(entry)
      return null
    })
    await bus.put(events(2))
    for (const { TraceHeader } of taken) expect(TraceHeader).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Sampled=0$/)
    expect(new Set(taken.map(({ TraceHeader }) => TraceHeader)).size).toBe(2)
  })

  test('is given again what an answer of 200 refused, and only that', async () => {
    const seen: number[] = []
    const bus = await begin(({ Detail }) => {
      const { n } = JSON.parse(Detail)
      seen.push(n)
      return n === 1 && seen.filter((each) => each === 1).length === 1 ? 'ThrottlingException' : null
    })
    await bus.put(events(3))
    expect(seen).toEqual([0, 1, 2, 1])
  })

  test('says so where an event is refused for good', async () => {
    const bus = await begin(() => 'InternalFailure')
    await expect(bus.put(events(2))).rejects.toThrow('the bus refused 2 of 2 events: InternalFailure refused')
  })
})

// Counts what a client's calls cost: DynamoDB says so in its answers, if asked.

import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'

export interface Spent {
  calls: string[]
  units: number
}

/** Calls of a client from now on, by what they cost. */
export function countCapacity(client: DynamoDBClient): () => { reads: Spent; writes: Spent } {
  const reads: Spent = { calls: [], units: 0 }
  const writes: Spent = { calls: [], units: 0 }
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({
        ...args,
        input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input,
      })
      const name = context.commandName ?? ''
      const spent = /Get|Query/.test(name) ? reads : writes
      const found = (result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] }).ConsumedCapacity
      const capacity = Array.isArray(found) ? found : found === undefined ? [] : [found]
      spent.calls.push(name)
      spent.units += capacity.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
      return result
    },
    { step: 'initialize' },
  )
  return () => {
    const counted = { reads: { ...reads }, writes: { ...writes } }
    Object.assign(reads, { calls: [], units: 0 })
    Object.assign(writes, { calls: [], units: 0 })
    return counted
  }
}

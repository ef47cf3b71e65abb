// Counts what a client's calls cost: DynamoDB says so in its answers, if asked.

import {
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItemsInput,
} from '@aws-sdk/client-dynamodb'

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
      const name = context.commandName ?? ''
      const spent = /Get|Query/.test(name) ? reads : writes
      const asked = { ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input }
      const result = await next(asked).catch((error: unknown) => {
        spent.calls.push(name)
        spent.units += unitsOfFailed(error, args.input)
        throw error
      })
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

/** A write whose condition failed is charged as if it had been made, and its answer does not say how much. Items of this table are small. */
function unitsOfFailed(error: unknown, input: object): number {
  if (error instanceof ConditionalCheckFailedException) return 1
  if (!(error instanceof TransactionCanceledException)) return 0
  const { TransactItems = [] } = input as TransactWriteItemsInput
  return 2 * TransactItems.length
}

// How many bytes a table holds, as DynamoDB counts them.

import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'

/** What DynamoDB adds to every item when it counts what is stored. */
const EXTRA_BYTES_AN_ITEM = 100
const BYTES_OF_A_COLLECTION = 3

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  // Two digits a byte, and one for the rest.
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1
  if (value.B !== undefined) return value.B.length
  if (value.M !== undefined) return BYTES_OF_A_COLLECTION + fieldsBytes(value.M) + Object.keys(value.M).length
  if (value.L !== undefined) return BYTES_OF_A_COLLECTION + value.L.reduce((sum, each) => sum + valueBytes(each) + 1, 0)
  return 1
}

const fieldsBytes = (fields: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(fields).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0)

export async function storedBytes(client: DynamoDBClient, TableName: string): Promise<number> {
  let bytes = 0
  for await (const { Items = [] } of paginateScan({ client }, { TableName }))
    for (const item of Items) bytes += fieldsBytes(item) + EXTRA_BYTES_AN_ITEM
  return bytes
}

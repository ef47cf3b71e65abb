// Makes a table on an engine as the template describes it.

import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import type { TableToRun } from '../template/read-template.ts'

/** One that is there already stays as it is. */
export async function createTable(
  client: DynamoDBClient,
  { name: TableName, properties }: Pick<TableToRun, 'name' | 'properties'>,
): Promise<void> {
  const { KeySchema, AttributeDefinitions, BillingMode, TimeToLiveSpecification } = properties
  try {
    await client.send(new CreateTableCommand({ TableName, KeySchema, AttributeDefinitions, BillingMode }))
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
  }
}

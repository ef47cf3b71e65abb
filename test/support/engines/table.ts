// Makes the one table on an engine, with the keys of the stack’s own and without expiry, because tests live at other times.

import { CreateTableCommand, type DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb'

/** One that is there already stays as it is. */
export async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await create(client, name)
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
  }
}

async function create(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  )
}

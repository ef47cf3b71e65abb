// What IAM is asked for a call: actions on resources, and of DynamoDB the partition keys. One call may be several requests: a transaction is
// asked for part by part.

import type { ServiceCall } from '../../../local/engines/proxy.ts'
import { arnOf } from '../../../local/template/intrinsics.ts'

export interface AccessRequest {
  /** The function. */
  readonly by: string
  readonly action: string
  readonly resource: string
  /** Partition keys; none of services that have none. */
  readonly leadingKeys: readonly string[]
}

interface Item {
  readonly pk: { readonly S: string }
}

/** The partition that a query names: `#0 = :0`, with the names beside. */
function partitionOf({
  KeyConditionExpression,
  ExpressionAttributeNames,
  ExpressionAttributeValues,
}: ServiceCall['body']) {
  for (const [, name, value] of KeyConditionExpression.matchAll(/(#\w+) = (:\w+)/g))
    if (ExpressionAttributeNames[name] === 'pk') return ExpressionAttributeValues[value].S
  throw new Error(`the query ${KeyConditionExpression} names no partition`)
}

/** A part of a transaction has one of these. */
const PARTS = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' } as const

function ofTable({ by, operation, body }: ServiceCall): AccessRequest[] {
  const request = (action: string, tableName: string, leadingKeys: readonly string[]): AccessRequest => ({
    by,
    action: `dynamodb:${action}`,
    resource: arnOf('dynamodb', `table/${tableName}`),
    leadingKeys,
  })
  switch (operation) {
    case 'Query':
      return [request(operation, body.TableName, [partitionOf(body)])]
    case 'BatchGetItem':
      return Object.entries<{ Keys: Item[] }>(body.RequestItems).map(([table, { Keys }]) =>
        request(operation, table, [...new Set(Keys.map(({ pk }) => pk.S))]),
      )
    case 'TransactWriteItems':
      return body.TransactItems.map(
        (part: Record<keyof typeof PARTS, { TableName: string; Item?: Item; Key?: Item }>) => {
          const kind = (Object.keys(PARTS) as (keyof typeof PARTS)[]).find((each) => each in part)
          if (kind === undefined) throw new Error(`a transaction has a part ${Object.keys(part)}`)
          const { TableName, Item, Key } = part[kind]
          return request(PARTS[kind], TableName, [(Item ?? Key)?.pk.S ?? ''])
        },
      )
    default:
      return [request(operation, body.TableName, [(body.Key ?? body.Item).pk.S])]
  }
}

const SQS_ACTIONS: Readonly<Record<string, string>> = { SendMessageBatch: 'SendMessage' }

export function requestsOf(call: ServiceCall): AccessRequest[] {
  const { service, by, operation, body } = call
  const request = (action: string, resource: string) => ({
    by,
    action: `${service}:${action}`,
    resource,
    leadingKeys: [],
  })
  switch (service) {
    case 'dynamodb':
      return ofTable(call)
    case 'sqs':
      return [request(SQS_ACTIONS[operation] ?? operation, arnOf('sqs', body.QueueUrl.split('/').at(-1)))]
    case 'events':
      return body.Entries.map(({ EventBusName }: { EventBusName: string }) =>
        request(operation, arnOf('events', `event-bus/${EventBusName}`)),
      )
    case 'ssm':
      return [request(operation, arnOf('ssm', `parameter${body.Name}`))]
  }
}

/** The first part of a key, which says what its item is about. */
export const prefixOf = (key: string): string => key.split('#')[0]

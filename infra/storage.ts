// The one table: jobs, changes, shards, pages and runs.

import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import type { Settings, TickringProps } from './options.ts'
import type { Table } from './parts.ts'

export function makeTable(
  scope: Construct,
  { removalPolicy }: Settings,
  { warmWriteUnits, restoredTable }: Pick<TickringProps, 'warmWriteUnits' | 'restoredTable'>,
): Table {
  if (restoredTable !== undefined) return TableV2.fromTableName(scope, 'RestoredTable', restoredTable)
  return new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    // An idle scheduler must cost next to nothing, and a busy second must not be throttled.
    billing: Billing.onDemand(),
    timeToLiveAttribute: 'ttl',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    ...(warmWriteUnits === undefined ? {} : { warmThroughput: { writeUnitsPerSecond: warmWriteUnits } }),
    // The ledger is the account of every fire: deleting the stack must not delete it unless that was asked for.
    removalPolicy,
  })
}

// The one table: jobs, changes, shards, pages and runs.

import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'

export function makeTable(scope: Construct): TableV2 {
  return new TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    // An idle scheduler must cost next to nothing, and a busy second must not be throttled.
    billing: Billing.onDemand(),
    timeToLiveAttribute: 'ttl',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    // The ledger is the account of every fire: deleting the stack must not delete it.
    removalPolicy: RemovalPolicy.RETAIN,
  })
}

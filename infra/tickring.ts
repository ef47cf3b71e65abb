// The construct that a user's own CDK app adds. It only puts the parts together; each part has its file.

import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Construct } from 'constructs'
import { makeTable } from './storage.ts'

export class Tickring extends Construct {
  readonly table: TableV2

  constructor(scope: Construct, id: string) {
    super(scope, id)
    this.table = makeTable(this)
  }
}

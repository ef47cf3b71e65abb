import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { Tickring } from '../../infra/tickring.ts'

test('the table is paid by use, recoverable, cleaned by TTL and outlives its stack', () => {
  const stack = new Stack(new App(), 'Test')
  const { table } = new Tickring(stack, 'Scheduler')
  const template = Template.fromStack(stack)
  template.hasResource('AWS::DynamoDB::GlobalTable', {
    DeletionPolicy: 'Retain',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    },
  })
  const [resource] = Object.values(template.findResources('AWS::DynamoDB::GlobalTable'))
  expect(resource.Properties.Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true)
  expect(table.tableName).toBeDefined()
})

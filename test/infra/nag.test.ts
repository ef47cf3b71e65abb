// The rules of cdk-nag for AWS solutions. What is acknowledged says why where it stands in infra.

import { Stack, Validations } from 'aws-cdk-lib'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { AwsSolutionsChecks } from 'cdk-nag'
import { expect, test } from 'vitest'
import { makeApp } from '../../infra/make-app.ts'
import { Tickring } from '../../infra/tickring.ts'

function checked(fill: (stack: Stack) => void): () => void {
  const app = makeApp()
  fill(new Stack(app, 'Test'))
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  return () => app.synth()
}

test('cdk-nag finds nothing that is not explained', { timeout: 60_000 }, () => {
  expect(checked((stack) => new Tickring(stack, 'Scheduler'))).not.toThrow()
})

test('the check sees a queue without dead letters', { timeout: 60_000 }, () => {
  expect(checked((stack) => new Queue(stack, 'Careless'))).toThrow('AwsSolutions-SQS3')
})

// The CDK app: one stack with the construct in it. `npx cdk synth` and `npx cdk deploy` start here.

import { Stack } from 'aws-cdk-lib'
import { makeApp } from './make-app.ts'
import { Tickring } from './tickring.ts'

const app = makeApp()
const stack = new Stack(app, 'Tickring', {
  description: 'Tickring, a serverless job scheduler with one-second precision',
})
new Tickring(stack, 'Scheduler')

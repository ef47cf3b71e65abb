// The CDK app: one stack with the construct in it. `npx cdk synth` and `npx cdk deploy` start here.

import { App, Stack } from 'aws-cdk-lib'
import { Tickring } from './tickring.ts'

const app = new App()
const stack = new Stack(app, 'Tickring', {
  description: 'Tickring, a serverless job scheduler with one-second precision',
})
new Tickring(stack, 'Scheduler')

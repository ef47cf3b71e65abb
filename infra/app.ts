// The CDK app. `npx cdk synth` and `npx cdk deploy` start here.

import { makeAppStack } from './app-stack.ts'
import { makeApp } from './make-app.ts'

makeAppStack(makeApp())

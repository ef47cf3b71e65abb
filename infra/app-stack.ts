// The stack that the app deploys and that `npm start` runs on a laptop: the construct, and nothing beside it.

import { type App, Stack } from 'aws-cdk-lib'
import { Tickring, type TickringProps } from './tickring.ts'

export function makeAppStack(app: App, props: TickringProps = {}): Stack {
  const stack = new Stack(app, 'Tickring', {
    description: 'Tickring, a serverless job scheduler with one-second precision',
  })
  new Tickring(stack, 'Scheduler', props)
  return stack
}

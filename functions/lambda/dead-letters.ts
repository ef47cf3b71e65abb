// What Lambda loads for dead letters, with the handlers of the deployment.

import handlers from '#handlers'
import { makeDeadLetters } from '../dead-letters.ts'
import { lambdaOutput } from '../output.ts'
import { tellUnhandledErrors } from '../unhandled-errors.ts'
import { worldWithoutBus } from '../world.ts'

const output = lambdaOutput(process.env)
tellUnhandledErrors(output)

export const handler = makeDeadLetters(worldWithoutBus(process.env, output), handlers, output)

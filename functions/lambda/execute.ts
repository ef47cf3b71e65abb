// What Lambda loads as an executor of either lane, with the handlers of the deployment.

import handlers from '#handlers'
import { makeExecute } from '../execute.ts'
import { lambdaOutput } from '../output.ts'
import { tellUnhandledErrors } from '../unhandled-errors.ts'
import { worldWithoutBus } from '../world.ts'

const output = lambdaOutput(process.env)
tellUnhandledErrors(output)

export const handler = makeExecute(worldWithoutBus(process.env, output), handlers, output)

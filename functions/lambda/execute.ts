// What Lambda loads as an executor of either lane, with the handlers of the deployment.

import handlers from '#handlers'
import { makeExecute } from '../execute.ts'
import { lambdaOutput } from '../output.ts'
import { tellStrays } from '../strays.ts'
import { worldWithoutBus } from '../world.ts'

const output = lambdaOutput(process.env)
tellStrays(output)

export const handler = makeExecute(worldWithoutBus(process.env, output), handlers, output)

// What Lambda loads for the minute rule.

import { makeMinute } from '../minute.ts'
import { lambdaOutput } from '../output.ts'
import { worldFrom } from '../world.ts'

const output = lambdaOutput(process.env)

export const handler = makeMinute(worldFrom(process.env, output), output)

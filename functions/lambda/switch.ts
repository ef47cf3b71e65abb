// What Lambda loads for switches and wakes.

import { lambdaOutput } from '../output.ts'
import { makeSwitch } from '../switch.ts'
import { worldFrom } from '../world.ts'

const output = lambdaOutput(process.env)

export const handler = makeSwitch(worldFrom(process.env, output), output)

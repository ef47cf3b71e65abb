// What Lambda loads as the ticker. The world is opened while the environment starts, when it has more CPU.

import { lambdaOutput } from '../output.ts'
import { makeTick } from '../tick.ts'
import { worldFrom } from '../world.ts'

const output = lambdaOutput(process.env)

export const handler = makeTick(worldFrom(process.env, output), output)

// What Lambda loads for the step that runs once at each deployment, with the handlers of that deployment.

import { randomBytes } from 'node:crypto'
import handlers from '#handlers'
import { SsmAdminKey } from '../../shared/aws/admin-key.ts'
import { ENV } from '../../shared/aws/env.ts'
import { makeDeploy } from '../deploy.ts'
import { lambdaOutput } from '../output.ts'
import { worldWithoutBus } from '../world.ts'

const output = lambdaOutput(process.env)
const world = { ...worldWithoutBus(process.env, output), entropy: (count: number) => randomBytes(count) }

export const handler = makeDeploy(world, handlers, new SsmAdminKey(process.env[ENV.adminKeyParameter] ?? ''), output)

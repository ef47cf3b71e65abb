// The world of the API: that of the other functions, with what the API remembers between requests.

import { randomBytes } from 'node:crypto'
import { Authenticator } from '../../shared/flow/access/authenticate.ts'
import { JobDirectory } from '../../shared/flow/job-directory.ts'
import type { TickWorld } from '../../shared/flow/tick-world.ts'
import type { Thawing } from '../thaw.ts'
import { NamespaceLimits } from './quota.ts'
import { RateLimit } from './rate-limit.ts'
import { rest } from './rest.ts'
import type { ApiSettings, ApiWorld } from './world.ts'

export const apiWorldOf = (world: Omit<TickWorld, 'bus'> & Thawing, settings: ApiSettings): ApiWorld => ({
  ...world,
  directory: new JobDirectory(world, world.shardCount, rest),
  authenticator: new Authenticator(world),
  triggers: new RateLimit(),
  limits: new NamespaceLimits(),
  entropy: (count) => randomBytes(count),
  settings,
})

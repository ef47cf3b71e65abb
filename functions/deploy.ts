// The door of a deployment: shards are made, schedules that stand beside the code are saved and those that went from it deleted, and the
// first admin key is made. All of it can be repeated. What fails is thrown, so that the deployment is rolled back.

import type { Handlers } from '../shared/core/handlers.ts'
import { type AdminKey, bootstrapAdminKey } from '../shared/flow/access/bootstrap-admin-key.ts'
import type { KeysWorld } from '../shared/flow/access/keys.ts'
import { JobDirectory } from '../shared/flow/job-directory.ts'
import { saveHandlerJobs } from '../shared/flow/save-handler-jobs.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import type { TickWorld } from '../shared/flow/tick-world.ts'
import { log, type Output } from './output.ts'
import type { Thawing } from './thaw.ts'

export type Deploy = () => Promise<void>

export function makeDeploy(
  world: Omit<TickWorld, 'bus'> & Thawing & KeysWorld,
  handlers: Handlers,
  adminKey: AdminKey,
  output: Output,
): Deploy {
  return async () => {
    await world.thaw()
    await startShards(world)
    const { saved, deleted, refused } = await saveHandlerJobs(
      world,
      new JobDirectory(world, world.shardCount),
      handlers,
    )
    log(output, 'info', 'schedules beside the code', { saved, deleted })
    if (refused.length > 0) {
      const reasons = refused.map(({ job, reason }) => `${job}: ${reason}`).join('; ')
      throw new Error(`${refused.length} schedules of the handlers file were refused: ${reasons}`)
    }
    log(output, 'info', `the admin key: ${await bootstrapAdminKey(world, adminKey)}`)
  }
}

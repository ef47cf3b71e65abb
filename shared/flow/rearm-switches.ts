// Gives every shard its dead man's switch again where the queues began empty. A chain that was killed with its queues has lost its
// switch, and until the minute rule comes no other part looks at it.

import { sendSwitch } from './send-switch.ts'
import type { TickWorld } from './tick-world.ts'

export async function rearmSwitches(world: TickWorld): Promise<void> {
  for (let shard = 0; shard < world.shardCount; shard++) {
    const item = await world.shards.read(shard)
    // A watchdog that gets it before the lease is over puts it back until then; one of a shard that sleeps is dropped.
    if (item !== null) await sendSwitch(world, { shard, second: item.fence, delaySeconds: 0 })
  }
}

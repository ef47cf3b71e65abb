// The dead man's switch: a link, or the watchdog at a take-over, sends it ahead. The watchdog looks at it when it arrives.

import type { WatchMessage } from '../core/chain.ts'
import type { TickWorld } from './tick-world.ts'

export async function sendSwitch(
  world: TickWorld,
  { shard, second, delaySeconds }: { shard: number; second: number; delaySeconds: number },
): Promise<void> {
  const message: WatchMessage = { type: 'switch', shard, second }
  const { unsent, refused } = await world.watch.send([{ body: JSON.stringify(message), delaySeconds }])
  if (unsent.length + refused.length > 0) throw new Error('the dead man’s switch was not taken by its queue')
}

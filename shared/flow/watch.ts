// Keeps chains alive: the dead man's switch that a link sends ahead, the wake that a new job sends, and the rule that looks
// once a minute. Each take-over is one conditional write, so of many who try one starts a chain.

import {
  isLeaseOver,
  isSwitchNeedless,
  leaseUntilOf,
  nextEvent,
  onceFromOf,
  switchDelaySeconds,
  TICK,
  type WatchMessage,
} from '../core/chain.ts'
import { isLaneNotice } from '../core/job/stored.ts'
import type { ShardItem } from '../core/shard.ts'
import { minuteOf } from '../core/time/units.ts'
import { AWAKE_AHEAD_SECONDS, CHANGES_OVERLAP_SECONDS, SWITCH_DELAY_SECONDS } from '../core/timings.ts'
import { auditShard, resendOpen } from './audit.ts'
import { sendSwitch } from './send-switch.ts'
import type { ShardMemory } from './shard-memory.ts'
import { nowOf, type TickWorld } from './tick-world.ts'

export type Watched = 'alive' | 'asleep' | 'put back' | 'taken over' | 'lost' | 'audited' | 'missing'

export async function watch(world: TickWorld, message: WatchMessage): Promise<Watched> {
  const { shard } = message
  const item = await readOrWarn(world, shard)
  if (item === null) return 'missing'
  if (message.type === 'wake') return item.sleepUntil === null ? 'alive' : takeOver(world, shard, item)
  if (isSwitchNeedless(item, message.second)) return item.sleepUntil === null ? 'alive' : 'asleep'
  // Put back first: should this process die now, the switch is still there.
  const delaySeconds = switchDelaySeconds(item, nowOf(world))
  await sendSwitch(world, { shard, second: message.second, delaySeconds })
  return isLeaseOver(item, nowOf(world)) ? startChain(world, shard, item) : 'put back'
}

async function readOrWarn(world: TickWorld, shard: number): Promise<ShardItem | null> {
  const item = await world.shards.read(shard)
  if (item === null) {
    world.warn('the shard item is missing; nothing is sent until it is restored from the table’s backup', { shard })
  }
  return item
}

/** The last resort, once a minute for each shard. */
export async function watchMinute(world: TickWorld, memory: ShardMemory): Promise<Watched> {
  const { shard } = memory
  const item = await readOrWarn(world, shard)
  if (item === null) return 'missing'
  if (item.sleepUntil === null) return isLeaseOver(item, nowOf(world)) ? takeOver(world, shard, item) : 'alive'
  if (await isWakeNeeded(world, memory, item, item.sleepUntil)) return takeOver(world, shard, item)
  if (item.auditedThrough >= item.fence) {
    // Runs to come back to are not forgotten while the chain sleeps.
    return (await resendOpen(world, shard, world.clock.nowMs())) > 0 ? 'audited' : 'asleep'
  }
  await memory.drain(onceFromOf(item))
  await auditShard(world, memory, item)
  return 'audited'
}

const MINUTES_AHEAD = 3
const MOST_MINUTES_BACK = 60

async function isWakeNeeded(
  world: TickWorld,
  memory: ShardMemory,
  item: ShardItem,
  sleepUntil: number,
): Promise<boolean> {
  const { shard } = memory
  const now = nowOf(world)
  if (sleepUntil <= now + AWAKE_AHEAD_SECONDS) return true
  const changes = await world.jobs.changes(shard, (item.fence - CHANGES_OVERLAP_SECONDS) * 1000)
  if (!changes.every(isLaneNotice)) return true
  const minute = minuteOf(now)
  // A rule that was held up looks into what it has not seen yet, too.
  const unseen = Math.max(memory.pointersThroughMinute + 1, minute - MOST_MINUTES_BACK, minuteOf(item.fence))
  const first = Math.min(minute, unseen)
  const minutes = Array.from({ length: minute + MINUTES_AHEAD - first + 1 }, (_, place) => first + place)
  const pointers = await Promise.all(minutes.map((each) => world.jobs.pointers(shard, each)))
  memory.pointersThroughMinute = minute
  return pointers.flat().some(({ second }) => second > item.fence)
}

async function takeOver(world: TickWorld, shard: number, item: ShardItem): Promise<Watched> {
  await sendSwitch(world, { shard, second: item.fence, delaySeconds: SWITCH_DELAY_SECONDS })
  return startChain(world, shard, item)
}

async function startChain(world: TickWorld, shard: number, item: ShardItem): Promise<Watched> {
  const taken = await world.shards.takeOver(shard, item, world.newId(), leaseUntilOf(nowOf(world)))
  if (taken === null) return 'lost'
  // What is being caught up, and when the last audit was, is not known here; the link that follows finds out.
  await world.bus.put([
    { type: TICK, detail: nextEvent(shard, taken, { sentThrough: taken.sentThrough, catchesUp: true, auditedAt: 0 }) },
  ])
  return 'taken over'
}

// The chain of ticks: what one link tells the next, when a shard may be taken over, when it sleeps and what wakes it.

import * as z from 'zod'
import type { ShardItem } from './shard.ts'
import { NEVER } from './time/instants.ts'
import {
  AFTER_LEASE_SECONDS,
  AWAKE_AHEAD_SECONDS,
  LEASE_SECONDS,
  LONGEST_SLEEP_SECONDS,
  RETRY_SWITCH_SECONDS,
  SWITCH_EVERY_SECONDS,
} from './timings.ts'

/** The type of the event that makes a link. */
export const TICK = 'tick'

export const tickEventSchema = z.object({
  shard: z.int().min(0),
  epoch: z.int(),
  /** The second after the fence, as the sender knew it. */
  second: z.int(),
  /** The last second of which every send was acknowledged. */
  sentThrough: z.int(),
  /** Some job is being caught up. */
  catchesUp: z.boolean(),
  /** The second of the last audit that was finished, as far as the chain knows; 0 where it does not. */
  auditedAt: z.int(),
  /** How far the gaps are worked off: it travels with the chain, because the next link may run elsewhere. */
  backlog: z.array(z.object({ from: z.int(), to: z.int(), openedAt: z.int(), afterJob: z.string().nullable() })),
})

export type TickEvent = z.infer<typeof tickEventSchema>

export const watchMessageSchema = z.discriminatedUnion('type', [
  /** Sent ahead by a link or at a take-over: the watchdog, which gets it, looks whether the chain is still alive. */
  z.object({ type: z.literal('switch'), shard: z.int().min(0), second: z.int() }),
  /** A job is due sooner than the shard would wake by itself. */
  z.object({ type: z.literal('wake'), shard: z.int().min(0) }),
])

export type WatchMessage = z.infer<typeof watchMessageSchema>

/** From now, not from the second that is fenced, which may be a second ahead: a chain that dies is back the sooner. */
export const leaseUntilOf = (now: number): number => now + LEASE_SECONDS

export const isLeaseOver = ({ leaseUntil }: ShardItem, now: number): boolean => now >= leaseUntil

export const sendsSwitch = (previousFence: number, fence: number): boolean =>
  Math.floor(fence / SWITCH_EVERY_SECONDS) > Math.floor(previousFence / SWITCH_EVERY_SECONDS)

/** The chain went on after the switch was sent, or it sleeps and others wake it. */
export const isSwitchNeedless = (shard: ShardItem, second: number): boolean =>
  shard.sleepUntil !== null || shard.fence >= second + SWITCH_EVERY_SECONDS

/** How long a switch that is still needed is put back. */
export const switchDelaySeconds = ({ leaseUntil }: ShardItem, now: number): number =>
  leaseUntil > now ? leaseUntil - now + AFTER_LEASE_SECONDS : RETRY_SWITCH_SECONDS

/** Until when a shard may sleep after a second, or null where it must stay awake. */
export function sleepUntilOf(nextDue: number, second: number): number | null {
  if (nextDue === NEVER) return second + LONGEST_SLEEP_SECONDS
  return nextDue > second + AWAKE_AHEAD_SECONDS ? nextDue : null
}

/** The event that goes on from a shard item which is ours. */
export const nextEvent = (
  shard: number,
  item: ShardItem,
  known: Pick<TickEvent, 'sentThrough' | 'catchesUp' | 'auditedAt'>,
): TickEvent => ({
  shard,
  epoch: item.epoch,
  second: item.fence + 1,
  ...known,
  backlog: [...item.backlog],
})

/** One-time jobs from here on still matter: neither the audit nor the backlog has passed them. */
export const onceFromOf = ({ auditedThrough, backlog }: ShardItem): number =>
  backlog.reduce((first, { from }) => Math.min(first, from - 1), auditedThrough)

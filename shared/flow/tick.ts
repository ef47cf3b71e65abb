// One link of the chain: drain, plan, fence, fire, chain. The lease belongs to the chain and not to the link; a link whose
// event does not fit what the shard item says ends at once, sends nothing and chains nothing.

import { leaseUntilOf, nextEvent, onceFromOf, sendsSwitch, sleepUntilOf, TICK, type TickEvent } from '../core/chain.ts'
import { addGap } from '../core/planner/backlog.ts'
import { nextDepths } from '../core/planner/depth-map.ts'
import { latestFreshSecond, planTick, type TickPlan } from '../core/planner/tick.ts'
import type { ShardItem } from '../core/shard.ts'
import { secondOf } from '../core/time/units.ts'
import { CHAIN_AFTER_MS, MOST_AHEAD_SECONDS, MOST_LATE_MS, SWITCH_DELAY_SECONDS } from '../core/timings.ts'
import { type Maintenance, maintain } from './after-tick.ts'
import { drainHolding } from './drain-holding.ts'
import { LinkFiring, prepare } from './fire.ts'
import { type WorkedBacklog, workBacklog } from './gaps.ts'
import { sendSwitch } from './send-switch.ts'
import type { ShardMemory } from './shard-memory.ts'
import { nowOf, type TickWorld } from './tick-world.ts'

export interface Ticked {
  readonly end: 'chained' | 'asleep'
  readonly second: number
  readonly runs: number
  readonly messages: number
  /** Live runs that came too late for their job, and instants of gaps that never run. */
  readonly missed: number
  readonly gapSeconds: number
  readonly changes: number
  readonly isCold: boolean
  /** How long after its second the last message was acknowledged; null where there was none. */
  readonly latenessMs: number | null
  readonly maintenance: Maintenance
}

/**
 * The link stops, sends nothing more and chains nothing. stale: its event is a duplicate or an old one, or a clock is wrong.
 * lost: another link or a take-over moved the shard first.
 */
export interface Ended {
  readonly end: 'stale' | 'lost'
}

/** What the seconds of a link came to before its last one. */
interface SoFar {
  readonly runs: number
  readonly messages: number
  readonly missed: number
  readonly finishedJobs: readonly string[]
}

const NOTHING_YET: SoFar = { runs: 0, messages: 0, missed: 0, finishedJobs: [] }

export async function tick(world: TickWorld, memory: ShardMemory, event: TickEvent): Promise<Ticked | Ended> {
  let next = event
  let soFar = NOTHING_YET
  for (let hop = 1; ; hop++) {
    const link = await tickSecond(world, memory, next, soFar, hop >= world.hopSeconds)
    if ('end' in link) return link
    next = link.next
    soFar = link.soFar
  }
}

async function tickSecond(
  world: TickWorld,
  memory: ShardMemory,
  event: TickEvent,
  before: SoFar,
  isLastHop: boolean,
): Promise<Ticked | Ended | { readonly next: TickEvent; readonly soFar: SoFar }> {
  if (event.second > nowOf(world) + MOST_AHEAD_SECONDS) return { end: 'stale' }
  await world.until((event.second - 1) * 1000)
  const tryTwice = <Result>(work: () => Promise<Result>) => twice(world, event, work)
  const seen = await tryTwice(() => itemFor(world, memory, event))
  if (seen === null) return { end: 'stale' }
  memory.finishedAuditMs = Math.max(memory.finishedAuditMs, event.auditedAt * 1000)
  const held = await tryTwice(() => drainHolding(world, memory, seen))
  if (held === null) return { end: 'lost' }
  const { item, drained } = held
  if (drained.isCold || drained.changes > 0) warnOfBroken(world, memory)
  const second = Math.min(Math.max(event.second, nowOf(world)), latestFreshSecond(secondOf(drained.startedMs)))
  // A clock that fell back must not open a second again.
  if (second <= item.fence) return { end: 'stale' }
  const plan = planTick(memory.snapshot, { ...item, sentThrough: event.sentThrough }, second)
  const depths = nextDepths(item.depths, plan.opened, {
    fence: second,
    sentThrough: event.sentThrough,
    writtenThrough: memory.minutesThrough,
  })
  memory.sent.forgetThrough(event.sentThrough)
  const prepared = prepare(memory, memory.sent.without(runsOf(plan, 'sent')), depths)
  if (sendsSwitch(item.fence, second))
    await tryTwice(() => sendSwitch(world, { shard: memory.shard, second, delaySeconds: SWITCH_DELAY_SECONDS }))
  const fence = {
    epoch: event.epoch,
    previousFence: item.fence,
    fence: second,
    // The same at a second try, so that a write whose answer was lost is recognised.
    link: world.newId(),
    leaseUntil: leaseUntilOf(nowOf(world)),
    sentThrough: event.sentThrough,
    depths,
    backlog: plan.gap === null ? event.backlog : addGap(event.backlog, plan.gap, second),
  }
  const fenced = await tryTwice(() => world.shards.fence(memory.shard, fence))
  memory.item = fenced
  if (fenced === null) return { end: 'lost' }
  await world.until(second * 1000)
  const firing = new LinkFiring(world, memory, event.sentThrough)
  const fired = firing.fire(plan, prepared, depths)
  await firing.provenBy(fired, Math.max(second * 1000, world.clock.nowMs()) + CHAIN_AFTER_MS)
  const gaps = await workBacklogOrWarn(world, memory, fenced)
  const worked = { ...fenced, backlog: gaps.backlog }
  // A change may have started a job whose catch-up was frozen.
  const mayCatchUp = event.catchesUp || drained.changes > 0
  const knowsOfCatchUp = memory.catchingUp === null ? mayCatchUp : memory.catchingUp.size > 0
  const catchesUp = knowsOfCatchUp || fenced.backlog.length > 0
  const auditedAt = secondOf(memory.finishedAuditMs)
  const next = nextEvent(memory.shard, worked, { sentThrough: firing.sentThrough, catchesUp, auditedAt })
  memory.item = worked
  const soFar: SoFar = {
    runs: before.runs + prepared.reduce((sum, { entryIds }) => sum + entryIds.length, 0),
    messages: before.messages + prepared.length,
    missed: before.missed + runsOf(plan, 'missed').length + gaps.missed,
    finishedJobs: [...before.finishedJobs, ...plan.finishedJobs, ...gaps.finishedJobs],
  }
  if (!isLastHop) {
    await fired
    return { next: { ...next, sentThrough: firing.sentThrough }, soFar }
  }
  const isAsleep = await chainOrSleep(world, memory, worked, next)
  await fired
  const latenessMs = prepared.length === 0 ? null : Math.max(0, memory.lastSentMs - second * 1000)
  const maintenance = await maintain(world, memory, worked, {
    second,
    latenessMs,
    finishedJobs: soFar.finishedJobs,
    catchesUp,
  })
  return {
    end: isAsleep ? 'asleep' : 'chained',
    second,
    runs: soFar.runs,
    messages: soFar.messages,
    missed: soFar.missed,
    gapSeconds: plan.gap === null ? 0 : plan.gap.to - plan.gap.from + 1,
    changes: drained.changes,
    isCold: drained.isCold,
    latenessMs,
    maintenance,
  }
}

/** One more try of a call that failed: a link that gives up ends its chain until the lease is over and a watchdog looks. */
async function twice<Result>(
  world: TickWorld,
  { shard, second }: TickEvent,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (world.clock.nowMs() > second * 1000 + MOST_LATE_MS) throw error
    world.warn('a call of a link failed and is tried once more', { shard, reason: String(error) })
    return work()
  }
}

function warnOfBroken(world: TickWorld, { shard, broken }: ShardMemory): void {
  for (const [jobId, reason] of broken) world.warn('a job does not compile and is left out', { shard, jobId, reason })
}

async function workBacklogOrWarn(world: TickWorld, memory: ShardMemory, item: ShardItem): Promise<WorkedBacklog> {
  try {
    return await workBacklog(world, memory, item.backlog)
  } catch (error) {
    world.warn('a gap was not worked off and is begun again', { shard: memory.shard, reason: String(error) })
    return { backlog: item.backlog, finishedJobs: [], missed: 0 }
  }
}

/** The shard item, if it is where the event says: from memory where this ticker wrote it, else read. */
async function itemFor(world: TickWorld, memory: ShardMemory, { epoch, second }: TickEvent): Promise<ShardItem | null> {
  const fits = (item: ShardItem | null): item is ShardItem =>
    item !== null && item.epoch === epoch && item.fence === second - 1 && item.sleepUntil === null
  if (fits(memory.item)) return memory.item
  // Another ticker went before, so what is known of catching up may be old.
  memory.catchingUp = null
  const item = await world.shards.read(memory.shard)
  return fits(item) ? item : null
}

const runsOf = (plan: TickPlan, what: 'sent' | 'missed') =>
  plan.send.filter(({ firing }) => (firing === 'missed') === (what === 'missed')).map(({ run }) => run)

async function chainOrSleep(world: TickWorld, memory: ShardMemory, item: ShardItem, next: TickEvent): Promise<boolean> {
  const isQuiet = item.backlog.length === 0 && !next.catchesUp && next.sentThrough === item.fence
  const sleepUntil = isQuiet ? sleepUntilOf(memory.nextDue(item.fence + 1), item.fence) : null
  if (sleepUntil === null) {
    await twice(world, next, () => world.bus.put([{ type: TICK, detail: next }]))
    return false
  }
  const { shard } = memory
  const asleep = await world.shards.sleep(shard, {
    epoch: item.epoch,
    previousFence: item.fence,
    link: world.newId(),
    sentThrough: next.sentThrough,
    sleepUntil,
  })
  memory.item = asleep
  if (asleep === null) return true
  // A job that was saved before the shard was seen asleep is found here; one saved later wakes the shard itself.
  const { changes } = await memory.drain(onceFromOf(item))
  if (changes === 0) return true
  await sendSwitch(world, { shard, second: asleep.fence, delaySeconds: SWITCH_DELAY_SECONDS })
  const awake = await world.shards.takeOver(shard, asleep, world.newId(), leaseUntilOf(nowOf(world)))
  memory.item = awake
  if (awake === null) return true
  const { sentThrough, auditedAt } = next
  await world.bus.put([{ type: TICK, detail: nextEvent(shard, awake, { sentThrough, catchesUp: false, auditedAt }) }])
  return false
}

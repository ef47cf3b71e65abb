// Compares what was due with what the ledger holds, and sends again what is missing, dead or waited for. This is how a
// wiped queue heals and a dead executor's runs come back.

import { deadFrom, isDead } from '../core/claim.ts'
import {
  audit,
  auditableThrough,
  isResendDue,
  openDelaySeconds,
  queueLoadOf,
  type Resend,
  splitCopies,
} from '../core/ledger/audit.ts'
import { NOTHING_FOUND } from '../core/ledger/standing.ts'
import type { PageEntry } from '../core/pages/entry.ts'
import { pageKeyOf } from '../core/pages/page.ts'
import type { PlannedRun } from '../core/planner/snapshot.ts'
import { entryIdOf, readMessage, withOpen } from '../core/run/message.ts'
import type { OpenRun, PageKey } from '../core/run/record.ts'
import { formatRunId, parseRunId } from '../core/run/run.ts'
import { isTerminal } from '../core/run/status.ts'
import type { ShardItem } from '../core/shard.ts'
import { hourOf, secondOf } from '../core/time/units.ts'
import type { PageContent } from '../ports.ts'
import { markMissed, prepare, send } from './fire.ts'
import { mapLimited } from './map-limited.ts'
import { sendRuns } from './send-runs.ts'
import type { ShardMemory } from './shard-memory.ts'
import { nowOf, type TickWorld } from './tick-world.ts'

export interface Audited {
  readonly auditedThrough: number
  readonly resent: number
  readonly missed: number
  readonly doubled: number
}

const OPEN_RUNS_A_ROUND = 1000

/** After a long outage there is much to go over; a round does as much as fits into this. */
const ROUND_MS = 300
const MOST_CHUNKS = 500

export async function auditShard(world: TickWorld, memory: ShardMemory, shard: ShardItem): Promise<Audited> {
  const nowMs = world.clock.nowMs()
  // Where this ticker knows of no earlier audit, all that is missing counts as seen for the first time.
  const sinceLastMs = memory.finishedAuditMs === 0 ? Number.POSITIVE_INFINITY : nowMs - memory.finishedAuditMs
  memory.lastAuditMs = nowMs
  let total: Audited = {
    auditedThrough: shard.auditedThrough,
    resent: await resendOpen(world, memory.shard, nowMs),
    missed: 0,
    doubled: 0,
  }
  // However long it took to send open runs again, the account moves on in every round.
  const lookingFromMs = world.clock.nowMs()
  let lookedThrough = shard.auditedThrough
  let isWhole = true
  for (let chunks = 0; chunks < MOST_CHUNKS && world.clock.nowMs() - lookingFromMs < ROUND_MS; chunks++) {
    const item = { ...shard, auditedThrough: lookedThrough }
    const through = auditableThrough(item, secondOf(nowMs), secondOf(memory.changesReadAtMs))
    if (through <= item.auditedThrough) break
    const chunk = await auditChunk(world, memory, item, through, Math.ceil(sinceLastMs / 1000))
    total = {
      // What is not accounted for yet stops the account, and not the healing of what comes after it.
      auditedThrough: isWhole ? chunk.auditedThrough : total.auditedThrough,
      resent: total.resent + chunk.resent,
      missed: total.missed + chunk.missed,
      doubled: total.doubled + chunk.doubled,
    }
    isWhole = isWhole && chunk.auditedThrough === through
    lookedThrough = through
  }
  if (total.auditedThrough > shard.auditedThrough) {
    await world.shards.moveAudited(memory.shard, shard.auditedThrough, total.auditedThrough)
  }
  memory.finishedAuditMs = nowMs
  return total
}

async function auditChunk(
  world: TickWorld,
  memory: ShardMemory,
  shard: ShardItem,
  through: number,
  sinceLastSeconds: number,
): Promise<Audited> {
  const now = nowOf(world)
  const depths = await depthsOf(world, memory.shard, shard, through)
  // Seconds without a depth are gaps: the backlog and the list of open runs account for those.
  const runs = memory.snapshot.due(shard.auditedThrough + 1, through + 1).filter(({ second }) => depths.has(second))
  const find = await ledgerOf(world, memory.shard, runs, depths)
  const result = audit({ runs, after: shard.auditedThrough, through, find, isLive: () => true, now })
  await markMissed(world, memory.shard, result.tooLate, depths)
  const resent = await resend(world, memory, result.resend, depths, sinceLastSeconds)
  if (result.doubled.length > 0) {
    world.warn('instants with two records', { runs: result.doubled.map(({ jobId, second }) => `${jobId}.${second}`) })
  }
  return {
    auditedThrough: result.auditedThrough,
    resent,
    missed: result.tooLate.length,
    doubled: result.doubled.length,
  }
}

/** Page depths of the seconds to audit: in the shard item, or where an audit lags behind in the items of their minutes. */
async function depthsOf(
  world: TickWorld,
  shard: number,
  item: ShardItem,
  through: number,
): Promise<ReadonlyMap<number, number>> {
  const from = item.auditedThrough + 1
  const isInItem = [...item.depths.keys()].some((second) => second <= from)
  if (isInItem) return item.depths
  const hours = new Set([hourOf(from), hourOf(through)])
  const minutes = await Promise.all([...hours].map((hour) => world.shards.minutes(shard, hour)))
  return new Map([...minutes.flat().flatMap(({ depths }) => [...depths]), ...item.depths])
}

async function ledgerOf(
  world: TickWorld,
  shard: number,
  runs: readonly PlannedRun[],
  depths: ReadonlyMap<number, number>,
) {
  const keyOf = (run: PlannedRun) => pageKeyOf(shard, run, depths.get(run.second) ?? 0)
  const keys = new Map(runs.map((run) => [nameOf(keyOf(run)), keyOf(run)]))
  const contents = await world.ledger.readPages([...keys.values()])
  const pages = new Map(contents.map((content): [string, PageContent] => [nameOf(content.key), content]))
  const entryOf = (run: PlannedRun) =>
    pages.get(nameOf(keyOf(run)))?.entries.get(entryIdOf(run.jobId, run.kind)) ?? null
  // The list of open runs is read only where it matters.
  const isUnsettled = (run: PlannedRun) => {
    const entry = entryOf(run)
    return entry !== null && !isTerminal(entry.status)
  }
  const open = runs.some(isUnsettled) ? await world.open.list(shard, OPEN_RUNS_A_ROUND * 10) : []
  const openIds = new Set(open.map(({ runId }) => runId))
  return (run: PlannedRun) => ({
    ...NOTHING_FOUND,
    page: entryOf(run),
    // A stop is never in the list of open runs: an item of this name is that of the run of its second.
    isOpen: run.kind !== 'stop' && openIds.has(formatRunId({ jobId: run.jobId, second: run.second, suffix: '' })),
  })
}

const nameOf = ({ second, depth, page }: PageKey): string => `${second}.${depth}.${page}`

/** One run a message: should one of them have killed its executor, the others are free of it. */
async function resend(
  world: TickWorld,
  memory: ShardMemory,
  runs: readonly Resend[],
  depths: ReadonlyMap<number, number>,
  sinceLastSeconds: number,
): Promise<number> {
  if (runs.length === 0) return 0
  const backlog = {
    fast: queueLoadOf(await world.queues.fast.counts()),
    slow: queueLoadOf(await world.queues.slow.counts()),
  }
  const due = runs.filter(({ run, ageSeconds }) =>
    isResendDue(ageSeconds, ageSeconds - sinceLastSeconds, backlog[memory.laneOf(run)]),
  )
  const messages = due.flatMap(({ run, attempt }) => prepare(memory, [run], depths, attempt))
  await send(world, messages)
  return due.length
}

/** Runs to come back to whose time has come: each sent again once, and looked at later each time. */
export async function resendOpen(world: TickWorld, shard: number, nowMs: number): Promise<number> {
  const due = await world.open.due(shard, nowMs, OPEN_RUNS_A_ROUND)
  const { kept, copies } = splitCopies(due)
  const entries = await mapLimited(kept, (run) => entryOrWarn(world, run))
  const next = await mapLimited(kept, async (run, place) => {
    try {
      return await lookedAt(world, run, entries[place], nowMs)
    } catch (error) {
      // It stays where it is, and the next audit comes to it. One that fails keeps no other from being sent.
      world.warn('an open run could not be moved on', { runId: run.runId, reason: String(error) })
      return null
    }
  })
  const moved = next.filter((run) => run !== null)
  for (const lane of ['fast', 'slow'] as const) {
    const messages = moved
      .filter((run) => run.lane === lane)
      .map(({ message, dueMs }) => ({ body: withOpen(message, dueMs) }))
    if (messages.length > 0) await sendRuns(world, lane, messages)
  }
  // Last, so that of every attempt one item is in the list at any time.
  await mapLimited(copies, (run) => world.open.remove(run))
  return moved.length
}

/** The run as it is to be sent again, or null where an executor has claimed it. */
async function lookedAt(
  world: TickWorld,
  run: OpenRun,
  entry: PageEntry | null,
  nowMs: number,
): Promise<OpenRun | null> {
  if (entry?.status === 'RUNNING' && !isDead(entry, nowOf(world))) {
    // There is nothing to send, and it is looked at again when the claim is dead unless its executor renews it.
    await world.open.move(run, { dueMs: (deadFrom(entry) + 1) * 1000, times: 0 })
    return null
  }
  const times = run.times + 1
  const delayMs = openDelaySeconds(times, entry?.status === 'WAITING') * 1000
  return world.open.move(run, { dueMs: nowMs + delayMs, times })
}

async function entryOrWarn(world: TickWorld, { message, runId }: OpenRun): Promise<PageEntry | null> {
  try {
    return await entryOf(world, message)
  } catch (error) {
    world.warn('an open run could not be looked at', { runId, reason: String(error) })
    return null
  }
}

/** Null also where the message cannot be read: the executor that gets it reports that. */
async function entryOf({ ledger }: TickWorld, body: string): Promise<PageEntry | null> {
  const message = readMessageOrNull(body)
  if (message === null) return null
  if (message.type === 'run') return (await ledger.readRun(parseRunId(message.runId)))?.entry ?? null
  const [{ id } = { id: '' }] = message.tickets
  return (await ledger.readPages([message.key]))[0].entries.get(id) ?? null
}

function readMessageOrNull(body: string): ReturnType<typeof readMessage> | null {
  try {
    return readMessage(body)
  } catch {
    return null
  }
}

// Sends due runs: packed into pages by their second's depth, split by lane, written before their second begins. What is too
// late by its job's rule is marked as missed in the page itself, so that a message still on its way finds the entry taken.

import { lockHintOf } from '../core/gate/overlap.ts'
import type { Lane } from '../core/lanes.ts'
import { neverStarted } from '../core/pages/entry.ts'
import { packPages, splitByLane } from '../core/pages/page.ts'
import type { PlannedRun } from '../core/planner/snapshot.ts'
import type { TickPlan } from '../core/planner/tick.ts'
import { entryIdOf, entryIdsIn, type Ticket, writePageMessage } from '../core/run/message.ts'
import type { PageKey } from '../core/run/record.ts'
import { MOST_PROOF_MS } from '../core/timings.ts'
import type { Message } from '../ports.ts'
import { sendRuns } from './send-runs.ts'
import type { ShardMemory } from './shard-memory.ts'
import type { TickWorld } from './tick-world.ts'

export interface Prepared {
  readonly lane: Lane
  readonly second: number
  readonly entryIds: readonly string[]
  readonly message: Message
}

/** Of the tickets of one message, which are ASCII, so that it never comes near what SQS takes. */
const MESSAGE_BYTES = 200_000

export function prepare(
  memory: ShardMemory,
  runs: readonly PlannedRun[],
  depths: ReadonlyMap<number, number>,
  attempt = 1,
): Prepared[] {
  const prepared: Prepared[] = []
  for (const [second, due] of bySecond(runs)) {
    const depth = depths.get(second)
    if (depth === undefined) throw new Error(`second ${second} is to be sent and was not opened`)
    for (const page of packPages(due, second, depth)) {
      for (const parcel of splitByLane(page, (run) => memory.laneOf(run))) {
        const key = { shard: memory.shard, second, depth, page: page.page, lane: parcel.lane }
        for (const tickets of inParts(parcel.runs.map((run) => ticketOf(memory, run, attempt)))) {
          const body = writePageMessage(key, memory.changesReadAtMs, tickets)
          prepared.push({ lane: parcel.lane, second, entryIds: tickets.map(({ id }) => id), message: { body } })
        }
      }
    }
  }
  return prepared
}

function ticketOf(memory: ShardMemory, { jobId, kind, nominal, second }: PlannedRun, attempt: number): Ticket {
  const job = memory.snapshot.job(jobId)
  const lockHint = job === null ? 'check' : lockHintOf(job, second)
  return { id: entryIdOf(jobId, kind), kind, nominal, lockHint, attempt, notBefore: null, job: memory.ticketOf(jobId) }
}

function* inParts(tickets: readonly Ticket[]): Generator<Ticket[]> {
  let part: Ticket[] = []
  let bytes = 0
  for (const ticket of tickets) {
    if (part.length > 0 && bytes + ticket.job.length > MESSAGE_BYTES) {
      yield part
      part = []
      bytes = 0
    }
    part.push(ticket)
    bytes += ticket.job.length
  }
  if (part.length > 0) yield part
}

function bySecond(runs: readonly PlannedRun[]): Map<number, PlannedRun[]> {
  const groups = new Map<number, PlannedRun[]>()
  for (const run of runs) {
    const group = groups.get(run.second)
    if (group === undefined) groups.set(run.second, [run])
    else group.push(run)
  }
  return groups
}

/** Sends, and returns the runs that were acknowledged and how many messages were not. */
export async function send(
  world: TickWorld,
  prepared: readonly Prepared[],
): Promise<{ readonly sentIds: readonly string[]; readonly unsent: number }> {
  const unsent = await Promise.all(
    (['fast', 'slow'] as const).map(async (lane) => {
      const mine = prepared.filter((each) => each.lane === lane)
      return mine.length === 0
        ? []
        : sendRuns(
            world,
            lane,
            mine.map(({ message }) => message),
          )
    }),
  )
  const left = new Set(unsent.flat().flatMap(({ body }) => entryIdsIn(body)))
  return {
    sentIds: prepared.flatMap(({ entryIds }) => entryIds.filter((id) => !left.has(id))),
    unsent: unsent.flat().length,
  }
}

/** Records live runs as MISSED that no executor has claimed and that their job does not want so late. */
export async function markMissed(
  world: TickWorld,
  shard: number,
  runs: readonly PlannedRun[],
  depths: ReadonlyMap<number, number>,
): Promise<void> {
  const missed = neverStarted('MISSED')
  for (const [second, due] of bySecond(runs)) {
    const depth = depths.get(second)
    if (depth === undefined) throw new Error(`second ${second} is to be marked and was not opened`)
    for (const { page, runs: list } of packPages(due, second, depth)) {
      const key: PageKey = { shard, second, depth, page }
      await world.ledger.swap(
        key,
        list.map(({ jobId, kind }) => ({ id: entryIdOf(jobId, kind), expect: null, next: missed })),
      )
    }
  }
}

/** A chain that fell behind has many seconds to send. One after the other it would hardly gain on the clock. */
const SECONDS_AT_ONCE = 16

/** What one link sends, the oldest seconds first, and how far that is acknowledged. */
export class LinkFiring {
  readonly #world: TickWorld
  readonly #memory: ShardMemory
  readonly #doneBefore: number
  /** The last second of which every send was acknowledged. */
  sentThrough: number
  #moved: () => void = () => {}
  readonly #hasMoved = new Promise<void>((resolve) => {
    this.#moved = resolve
  })

  constructor(world: TickWorld, memory: ShardMemory, sentThrough: number) {
    this.#world = world
    this.#memory = memory
    this.#doneBefore = sentThrough
    this.sentThrough = sentThrough
  }

  /** Never throws: what could not be sent is sent again by the next link. */
  async fire(plan: TickPlan, prepared: readonly Prepared[], depths: ReadonlyMap<number, number>): Promise<void> {
    const missed = plan.send.filter(({ firing }) => firing === 'missed').map(({ run }) => run)
    const all = [...prepared, ...missed].map(({ second }) => second)
    const seconds = [...new Set(all)].sort((a, b) => a - b)
    let isWhole = true
    for (let first = 0; first < seconds.length; first += SECONDS_AT_ONCE) {
      const some = seconds.slice(first, first + SECONDS_AT_ONCE)
      const areDone = await Promise.all(
        some.map((second) =>
          this.#fireSecond(
            second,
            prepared.filter((each) => each.second === second),
            missed.filter((each) => each.second === second),
            depths,
          ),
        ),
      )
      for (const [place, isDone] of areDone.entries()) {
        isWhole &&= isDone
        // Up to the next second that has something to send all is done.
        const next = seconds[first + place + 1]
        if (isWhole && next !== undefined) this.#moveTo(next - 1)
      }
    }
    if (isWhole) this.#moveTo(plan.sendsThrough)
  }

  /** Whether all of it was acknowledged. */
  async #fireSecond(
    second: number,
    prepared: readonly Prepared[],
    missed: readonly PlannedRun[],
    depths: ReadonlyMap<number, number>,
  ): Promise<boolean> {
    try {
      await markMissed(this.#world, this.#memory.shard, missed, depths)
      const { sentIds, unsent } = await send(this.#world, prepared)
      this.#memory.sent.add(second, sentIds)
      if (prepared.length > 0) this.#memory.lastSentMs = this.#world.clock.nowMs()
      if (unsent > 0) this.#world.warn('runs were not acknowledged and are sent again', { second, messages: unsent })
      return unsent === 0
    } catch (error) {
      this.#world.warn('runs could not be sent and are sent again', { reason: String(error) })
      return false
    }
  }

  #moveTo(second: number): void {
    this.sentThrough = Math.max(this.sentThrough, second)
    this.#moved()
  }

  /**
   * Waits for all of it, or until a time, or past that until something new is proven: a link that proves nothing would make the
   * next one send the same again, and so on for ever.
   */
  async provenBy(fired: Promise<void>, ms: number): Promise<void> {
    await Promise.race([fired, this.#world.until(ms)])
    if (this.sentThrough > this.#doneBefore) return
    await Promise.race([fired, this.#hasMoved, this.#world.until(ms + MOST_PROOF_MS)])
  }
}

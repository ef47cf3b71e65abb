// Sends due runs: packed into pages by their second's depth, split by lane, written before their second begins. What is too
// late by its job's rule is marked as missed in the page itself, so that a message still on its way finds the entry taken.

import { isKeptApartByTime } from '../core/gate/overlap.ts'
import { type Lane, laneOf, NEW_LANE } from '../core/lanes.ts'
import type { PageEntry } from '../core/pages/entry.ts'
import { packPages, splitByLane } from '../core/pages/page.ts'
import type { PlannedRun } from '../core/planner/snapshot.ts'
import { entryIdOf, type Ticket, writePageMessage } from '../core/run/message.ts'
import type { PageKey } from '../core/run/record.ts'
import type { Message } from '../ports.ts'
import type { ShardMemory } from './shard-memory.ts'
import type { TickWorld } from './tick-world.ts'

export interface Prepared {
  readonly lane: Lane
  readonly second: number
  readonly runs: number
  readonly message: Message
}

/** One message never comes near what SQS takes. */
const MESSAGE_CHARACTERS = 200_000

export function prepare(
  memory: ShardMemory,
  runs: readonly PlannedRun[],
  depths: ReadonlyMap<number, number>,
): Prepared[] {
  const prepared: Prepared[] = []
  for (const [second, due] of bySecond(runs)) {
    const depth = depths.get(second)
    if (depth === undefined) throw new Error(`second ${second} is to be sent and was not opened`)
    for (const page of packPages(due, second, depth)) {
      for (const parcel of splitByLane(page, laneOfRun)) {
        const key = { shard: memory.shard, second, depth, page: page.page, lane: parcel.lane }
        for (const tickets of inParts(parcel.runs.map((run) => ticketOf(memory, run)))) {
          const body = writePageMessage(key, memory.drainedMs, tickets)
          prepared.push({ lane: parcel.lane, second, runs: tickets.length, message: { body } })
        }
      }
    }
  }
  return prepared
}

const laneOfRun = ({ version, second }: PlannedRun): Lane => laneOf(NEW_LANE, version.timeoutSeconds, second)

function ticketOf(memory: ShardMemory, { jobId, kind, nominal, second }: PlannedRun): Ticket {
  const job = memory.snapshot.job(jobId)
  const isApart = job !== null && isKeptApartByTime(job, second)
  return { jobId, kind, nominal, isApart, job: memory.ticketOf(jobId) }
}

function* inParts(tickets: readonly Ticket[]): Generator<Ticket[]> {
  let part: Ticket[] = []
  let characters = 0
  for (const ticket of tickets) {
    if (part.length > 0 && characters + ticket.job.length > MESSAGE_CHARACTERS) {
      yield part
      part = []
      characters = 0
    }
    part.push(ticket)
    characters += ticket.job.length
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

/** Sends, and returns the seconds of which something was not acknowledged. */
export async function send(world: TickWorld, prepared: readonly Prepared[]): Promise<Set<number>> {
  const unsent = await Promise.all(
    (['fast', 'slow'] as const).map(async (lane) => {
      const mine = prepared.filter((each) => each.lane === lane)
      if (mine.length === 0) return []
      const left = new Set(await world.queues[lane].send(mine.map(({ message }) => message)))
      return mine.filter(({ message }) => left.has(message)).map(({ second }) => second)
    }),
  )
  return new Set(unsent.flat())
}

/** Live runs that nobody claimed and that their job does not want so late. */
export async function markMissed(
  world: TickWorld,
  shard: number,
  runs: readonly PlannedRun[],
  depths: ReadonlyMap<number, number>,
): Promise<void> {
  const missed: PageEntry = { status: 'MISSED', attempt: 1, startOffsetMs: 0, durationMs: 0 }
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

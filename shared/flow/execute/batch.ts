// Makes the runs of a message: those of a page, or one that has an item of its own.

import { jobIdOfEntry, type PageMessage, type RunMessage } from '../../core/run/message.ts'
import { formatRunId, parseRunId } from '../../core/run/run.ts'
import type { Batch, Life, Listed } from './life.ts'
import { onPage, standalone } from './place.ts'
import type { EndingWorld } from './world.ts'

/** A run and its open item are put in one write, but the table may show the two one after the other. */
const SHOWN_WITHIN_MS = 60_000

const UNTOUCHED = {
  stored: null,
  entry: null,
  claimedMs: 0,
  wasKnown: false,
  holds: null,
  end: null,
  isRepeat: false,
} as const

const opensOf = (openMs: number | null, attempt: number): Listed[] =>
  openMs === null ? [] : [{ dueMs: openMs, attempt }]

export async function batchOf(world: EndingWorld, message: PageMessage | RunMessage): Promise<Batch> {
  return message.type === 'page' ? ofPage(world, message) : ofRun(world, message)
}

function ofPage(world: EndingWorld, { key, lane, changesReadAtMs, openMs, tickets }: PageMessage): Batch {
  const { shard, second, depth } = key
  const lives = tickets.map(({ id, kind, nominal, lockHint, attempt, notBefore, job }): Life => {
    const jobId = jobIdOfEntry(id)
    const runId = formatRunId({ jobId, second, suffix: '' })
    const trigger = kind === 'restart' ? 'RESTART' : 'SCHEDULE'
    const run = { runId, trigger, instant: second, nominal, attempt, depth, openMs } as const
    return { ...UNTOUCHED, opens: opensOf(openMs, attempt), id, jobId, second, kind, run, notBefore, lockHint, job }
  })
  return { shard, lane, changesReadAtMs, place: onPage(world.ledger, key, world.warn), lives }
}

/** The item says what the message does not: the instant, and a payload of its own. */
async function ofRun(world: EndingWorld, message: RunMessage): Promise<Batch> {
  const { shard, lane, changesReadAtMs, runId, trigger, nominal, openMs, attempt, notBefore, job } = message
  const id = parseRunId(runId)
  const record = await world.ledger.readRun(id)
  if (record === null) {
    // It was there and is no longer kept, so its open item is of no use.
    const isGone = world.clock.nowMs() - changesReadAtMs > SHOWN_WITHIN_MS
    if (isGone && openMs !== null) await world.open.remove({ shard, dueMs: openMs, runId, attempt })
    return { shard, lane, changesReadAtMs, place: standalone(world.ledger, id), lives: [] }
  }
  const instant = record.detail.instant ?? null
  const life: Life = {
    ...UNTOUCHED,
    opens: opensOf(openMs, attempt),
    id: id.jobId,
    jobId: id.jobId,
    second: id.second,
    kind: 'start',
    run: { runId, trigger, instant, nominal, attempt, depth: null, openMs },
    notBefore,
    lockHint: 'check',
    job,
    entry: record.entry,
    ...(record.detail.payload === undefined ? {} : { ownPayload: record.detail.payload }),
    ...(record.detail.root === undefined ? {} : { root: record.detail.root }),
  }
  return { shard, lane, changesReadAtMs, place: standalone(world.ledger, id), lives: [life] }
}

// Ends the runs of a message that no executor could carry out. A run without a live claim becomes FAILED with the reason, so that the
// failure is on record. A run that an executor has claimed, that waits in line or for another attempt, or that has ended, is left alone.

import { isNobodys } from '../../core/claim.ts'
import { neverStarted } from '../../core/pages/entry.ts'
import { jobIdOfEntry, readMessage } from '../../core/run/message.ts'
import { formatRunId, parseRunId, type RunId, type Trigger } from '../../core/run/run.ts'
import { nowOf } from '../tick-world.ts'
import { onPage, type Place, standalone } from './place.ts'
import type { ExecuteWorld } from './world.ts'

interface DeadRun {
  readonly place: Place
  readonly shard: number
  readonly id: string
  readonly runId: RunId
  readonly trigger: Trigger
}

/** The runs that it ended; none where not even the head of the message can be read. */
export async function failDeadLetter(world: ExecuteWorld, body: string, reason: string): Promise<string[]> {
  const failed: string[] = []
  for (const doomed of deadRunsOf(world, body)) {
    if (await end(world, doomed, reason)) failed.push(formatRunId(doomed.runId))
  }
  return failed
}

function deadRunsOf(world: ExecuteWorld, body: string): DeadRun[] {
  try {
    const message = readMessage(body)
    if (message.type === 'run') {
      const runId = parseRunId(message.runId)
      const { shard, trigger } = message
      return [{ place: standalone(world.ledger, runId), shard, id: runId.jobId, runId, trigger }]
    }
    const { key, tickets, unreadable } = message
    const place = onPage(world.ledger, key)
    // Where single tickets cannot be read the others were carried out.
    const ids = unreadable.length > 0 ? unreadable.flatMap(({ id }) => id ?? []) : tickets.map(({ id }) => id)
    return ids.map((id) => {
      const runId = { jobId: jobIdOfEntry(id), second: key.second, suffix: '' }
      return { place, shard: key.shard, id, runId, trigger: 'SCHEDULE' }
    })
  } catch {
    return []
  }
}

async function end(world: ExecuteWorld, { place, shard, id, runId, trigger }: DeadRun, why: string): Promise<boolean> {
  const expect = (await place.read()).get(id) ?? null
  if (!isNobodys(expect, nowOf(world))) return false
  const next = neverStarted('FAILED', expect?.attempt)
  const reason = `its message failed every time it came: ${why}`
  const result = (await place.swap([{ id, expect, next, detail: { trigger, reason } }])).get(id)
  if (result?.done !== true) return false
  const ms = world.clock.nowMs()
  await world.ledger.putRecent({ shard, ms, runId: formatRunId(runId), entry: next, trigger, reason })
  return true
}

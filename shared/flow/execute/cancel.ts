// Ends a run for good whatever it does at the moment. Its entry is written over, so the executor that runs it finds its claim gone
// within two seconds, and what that executor writes later is refused.

import type { GateRun } from '../../core/gate/state.ts'
import { neverStarted } from '../../core/pages/entry.ts'
import { parseRunId } from '../../core/run/run.ts'
import { isTerminal } from '../../core/run/status.ts'
import type { Ledger } from '../../ports.ts'
import { placeOf } from './place.ts'

const MOST_ROUNDS = 5

/** absent: there is no such run. contended: others keep changing it. */
export type Cancelled = 'cancelled' | 'ended' | 'absent' | 'contended'

export async function cancelRun(
  ledger: Ledger,
  shard: number,
  run: Pick<GateRun, 'runId' | 'depth' | 'trigger'>,
  reason: string,
): Promise<Cancelled> {
  const { jobId } = parseRunId(run.runId)
  const place = placeOf(ledger, shard, run)
  let expect = (await place.read()).get(jobId) ?? null
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    if (expect !== null && isTerminal(expect.status)) return 'ended'
    // What has no item of its own yet can only be a run on a page.
    if (expect === null && run.depth === null) return 'absent'
    const next = neverStarted('CANCELLED', expect?.attempt)
    const detail = { trigger: run.trigger, reason }
    const result = (await place.swap([{ id: jobId, expect, next, detail }])).get(jobId)
    if (result?.done === true) return 'cancelled'
    expect = result?.found ?? null
  }
  return 'contended'
}

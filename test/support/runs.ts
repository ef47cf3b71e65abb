// Every run of a job that the ledger knows, page after page.

import type { StoredJob } from '../../shared/core/job/stored.ts'
import { type RunPosition, runsOfJob } from '../../shared/flow/runs/job-runs.ts'
import type { RunsWorld, RunView } from '../../shared/flow/runs/view.ts'

/** Those in [from, to), the newest first. */
export async function allRunsOf(world: RunsWorld, job: StoredJob, from: number, to: number): Promise<RunView[]> {
  // As it is now: a stop since it was saved has taken instants away.
  const [current = job] = await world.jobs.readMany([job.id])
  const runs: RunView[] = []
  let after: RunPosition | null = null
  do {
    const page = await runsOfJob(world, current, { from, to, isWanted: () => true, limit: 1000, after })
    runs.push(...page.items)
    after = page.next
  } while (after !== null)
  return runs
}

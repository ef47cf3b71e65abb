// Triggers a job after another's end. The run's id follows from the one that it comes after, so that it is put once however
// often that end is reported.

import { idOfText } from '../../core/job/id.ts'
import { statusAt } from '../../core/job/stored.ts'
import { neverStarted } from '../../core/pages/entry.ts'
import { findJobs } from '../find-job.ts'
import { startAlone } from '../put-standalone.ts'
import { nowOf } from '../tick-world.ts'
import type { Life } from './life.ts'
import type { EndingWorld } from './world.ts'

export async function triggerDependent(world: EndingWorld, parent: Life, fullName: string): Promise<void> {
  const { runId } = parent.run
  const job = (await findJobs(world, [fullName])).get(fullName)
  if (job === undefined) {
    world.warn('a job that was to follow is not there', { job: fullName, after: runId })
    return
  }
  const id = { jobId: job.id, second: parent.second, suffix: `d${idOfText(runId)}` }
  const because = { cause: { retryOf: null, run: runId, operation: null, by: null }, root: parent.root ?? runId }
  if (statusAt(job, nowOf(world)) === 'STOPPED') {
    const reason = `it was to follow ${runId}, and the job is stopped`
    const detail = { trigger: 'DEPENDENCY', reason, version: job.version, ...because } as const
    await world.ledger.putRun({ id, entry: neverStarted('SKIPPED'), detail }, world.newId())
    return
  }
  await startAlone(world, job, { id, trigger: 'DEPENDENCY', instant: null, ...because })
}

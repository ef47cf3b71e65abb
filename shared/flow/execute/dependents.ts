// Triggers a job after another's end. The run's id follows from the one that it comes after, so that it is put once however
// often that end is reported.

import { hashText } from '../../core/hash.ts'
import { idOfHash, jobIdOf } from '../../core/job/id.ts'
import { statusOf } from '../../core/job/stored.ts'
import { neverStarted } from '../../core/pages/entry.ts'
import { startAlone } from '../put-alone.ts'
import type { Life } from './life.ts'
import type { ExecuteWorld } from './world.ts'

export async function triggerDependent(world: ExecuteWorld, parent: Life, fullName: string): Promise<void> {
  const [namespace, name] = fullName.split('/')
  const jobId = jobIdOf(namespace, name)
  const [job] = await world.jobs.readMany([jobId])
  if (job === undefined || statusOf(job) === 'DELETED') {
    world.warn('a job that was to follow is not there', { job: fullName, after: parent.run.runId })
    return
  }
  const id = { jobId, second: parent.second, suffix: `d${idOfHash(hashText(parent.run.runId))}` }
  if (statusOf(job) === 'STOPPED') {
    const reason = `it was to follow ${parent.run.runId}, and the job is stopped`
    await world.ledger.putRun(id, neverStarted('SKIPPED'), { trigger: 'DEPENDENCY', reason }, world.newId())
    return
  }
  await startAlone(world, job, { id, trigger: 'DEPENDENCY', instant: null })
}

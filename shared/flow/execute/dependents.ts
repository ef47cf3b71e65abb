// Triggers a job after another's end. The run's id follows from the one that it comes after, so that it is put once however
// often that end is reported.

import { hashText } from '../../core/hash.ts'
import { hashOfId, idOfHash, jobIdOf, shardOf } from '../../core/job/id.ts'
import { statusOf } from '../../core/job/stored.ts'
import { laneOf, NEW_LANE } from '../../core/lanes.ts'
import { ticketJobOf, writeTicketJob } from '../../core/run/message.ts'
import { putAlone } from '../put-alone.ts'
import { nowOf } from '../tick-world.ts'
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
    const skipped = { status: 'SKIPPED', attempt: 1, startOffsetMs: 0, durationMs: 0 } as const
    const reason = `it was to follow ${parent.run.runId}, and the job is stopped`
    await world.ledger.putRun(id, skipped, { trigger: 'DEPENDENCY', reason }, world.newId())
    return
  }
  const ticket = ticketJobOf(job)
  const lane = laneOf(NEW_LANE, ticket.timeoutSeconds, nowOf(world))
  const shard = shardOf(hashOfId(jobId), world.shardCount)
  const drainedMs = world.clock.nowMs()
  const message = await putAlone(world, {
    shard,
    id,
    trigger: 'DEPENDENCY',
    instant: null,
    nominal: null,
    lane,
    drainedMs,
    ticket: writeTicketJob(ticket),
  })
  // What the queue does not take now is sent again from the list of open runs.
  if (message !== null) await world.queues[lane].send([message])
}

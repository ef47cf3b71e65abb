// Schedulers whose handlers take time and record when they began and ended, and short questions to ask about their runs.

import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatRunId } from '../../shared/core/run/run.ts'
import { asking, body } from './job-body.ts'
import { RecordingHandlers } from './recording-handlers.ts'
import { allRunsOf } from './runs.ts'
import { saveBody } from './save.ts'
import { START, type TestScheduler, type TestSchedulerOptions } from './test-scheduler.ts'
import { schedulersOfThisFile } from './test-schedulers.ts'

export interface RecordedScheduler {
  readonly scheduler: TestScheduler
  readonly recording: RecordingHandlers
}

const save = async (
  { scheduler }: RecordedScheduler,
  name: string,
  handler: string,
  part: object = {},
): Promise<StoredJob> =>
  (await saveBody(scheduler.world, body(name, { target: { type: 'handler', handler }, ...part }), asking)).job

/** Every run of a job that the ledger knows, by the second from the start: its status. */
async function statuses({ scheduler }: RecordedScheduler, job: StoredJob, to: number): Promise<Map<number, string>> {
  const runs = await allRunsOf(scheduler.world, job, START, START + to + 1)
  return new Map(runs.reverse().map(({ id, entry }) => [id.second - START, entry?.status ?? 'NONE']))
}

const detailOf = async ({ scheduler }: RecordedScheduler, job: StoredJob, second: number) =>
  (await scheduler.world.ledger.readDetails([{ jobId: job.id, second: START + second }]))[0]

const firstOf = (job: StoredJob): number => job.versions[0].activeFrom - START
const idOf = (job: StoredJob, second: number) => formatRunId({ jobId: job.id, second: START + second, suffix: '' })

/** To be called once in a test file. */
export function recordedSchedulersOfThisFile() {
  const beginScheduler = schedulersOfThisFile()
  const begin = async (options: TestSchedulerOptions = {}): Promise<RecordedScheduler> => {
    const recording = new RecordingHandlers()
    const scheduler = beginScheduler({ handlers: (of) => recording.handlers(of), ...options })
    await scheduler.run(1)
    return { scheduler, recording }
  }
  return { begin, save, statuses, detailOf, firstOf, idOf }
}

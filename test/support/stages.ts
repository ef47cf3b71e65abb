// Towns with a stage: handlers that take time and note when, and short questions to ask about their runs.

import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatRunId } from '../../shared/core/run/run.ts'
import { asking, body } from './job-body.ts'
import { allRunsOf } from './runs.ts'
import { saveBody } from './save.ts'
import { Stage } from './stage.ts'
import { START, type Town, type TownOptions } from './town.ts'
import { townsOfThisFile } from './towns.ts'

export interface Staged {
  readonly town: Town
  readonly stage: Stage
}

const save = async ({ town }: Staged, name: string, handler: string, part: object = {}): Promise<StoredJob> =>
  (await saveBody(town.world, body(name, { target: { type: 'handler', handler }, ...part }), asking)).job

/** Every run of a job that the ledger knows, by the second from the start: its status. */
async function statuses({ town }: Staged, job: StoredJob, to: number): Promise<Map<number, string>> {
  const runs = await allRunsOf(town.world, job, START, START + to + 1)
  return new Map(runs.reverse().map(({ id, entry }) => [id.second - START, entry?.status ?? 'NONE']))
}

const detailOf = async ({ town }: Staged, job: StoredJob, second: number) =>
  (await town.world.ledger.readDetails([{ jobId: job.id, second: START + second }]))[0]

const firstOf = (job: StoredJob): number => job.versions[0].activeFrom - START
const idOf = (job: StoredJob, second: number) => formatRunId({ jobId: job.id, second: START + second, suffix: '' })

/** To be called once in a test file. */
export function stagesOfThisFile() {
  const beginTown = townsOfThisFile()
  const begin = async (options: TownOptions = {}): Promise<Staged> => {
    const stage = new Stage()
    const town = beginTown({ handlers: (of) => stage.handlers(of), ...options })
    await town.run(1)
    return { town, stage }
  }
  return { begin, save, statuses, detailOf, firstOf, idOf }
}

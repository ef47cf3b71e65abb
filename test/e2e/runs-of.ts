// The runs of a job of the last minutes, the oldest first.

import type { StoredJob } from '../../shared/core/job/stored.ts'
import type { RunView } from '../../shared/flow/runs/view.ts'
import type { RealStack } from '../support/real-stack.ts'
import { allRunsOf } from '../support/runs.ts'

export async function runsOf({ world }: RealStack, job: StoredJob): Promise<RunView[]> {
  const now = Math.floor(Date.now() / 1000)
  return (await allRunsOf(world, job, now - 300, now)).reverse()
}

// Saves the jobs whose schedules stand beside the code, at a deployment and at a start. They are marked as such, so that
// nobody wonders why an edit of theirs does not last.

import type { Handlers } from '../core/handlers.ts'
import { type BatchResult, saveJobs } from './manage-jobs.ts'
import type { JobsWorld } from './mutate-job.ts'

export const saveHandlerJobs = (world: JobsWorld, { jobs }: Handlers): Promise<BatchResult[]> =>
  saveJobs(world, jobs, { by: 'code', managedBy: 'code' })

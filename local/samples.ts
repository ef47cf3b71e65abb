// The jobs that `npm start` shows: names and schedules that make a minute interesting. It knows nothing of how they run.

import type { ScheduleSpec } from '../shared/core/schedule/schedule.ts'

export interface SampleJob {
  readonly name: string
  readonly schedule: ScheduleSpec
}

export const SAMPLE_JOBS: readonly SampleJob[] = [
  { name: 'heartbeat', schedule: { every: 5 } },
  // Seven does not divide sixty, so this one falls on other slots in every turn of the ring.
  { name: 'poll-inbox', schedule: { every: 7, anchor: '2026-01-01T00:00:03Z' } },
  { name: 'flush-metrics', schedule: { cron: '*/15 * * * * *' } },
  { name: 'sync-orders', schedule: { cron: '0 * * * * *', zone: 'Europe/Brussels' } },
  { name: 'market-open', schedule: { cron: '30 9 * * MON-FRI', zone: 'America/New_York' } },
]

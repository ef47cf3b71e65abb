// A run as the API shows it, and its id. One schema gives the type, the answer's check and the documentation.

import { z } from 'zod'
import { InputError } from '../errors.ts'
import { STATUSES } from './status.ts'

export const TRIGGERS = ['SCHEDULE', 'CATCH_UP', 'MISFIRE', 'MANUAL', 'BACKFILL', 'DEPENDENCY', 'RESTART'] as const
export type Trigger = (typeof TRIGGERS)[number]

const time = z.string().nullable()

export const runSchema = z.strictObject({
  id: z.string(),
  job: z.strictObject({ id: z.string(), namespace: z.string(), name: z.string() }),
  instant: time,
  nominal: time,
  trigger: z.enum(TRIGGERS),
  status: z.enum(STATUSES),
  attempt: z.int().min(1),
  lane: z.enum(['fast', 'slow']),
  queuedAt: time,
  claimedAt: time,
  startedAt: time,
  finishedAt: time,
  durationMs: z.number().nullable(),
  latenessMs: z.number().nullable(),
  executor: z.string().nullable(),
  shard: z.strictObject({ index: z.int(), total: z.int() }).nullable(),
  output: z.json().nullable(),
  error: z.strictObject({ name: z.string(), message: z.string(), stack: z.string() }).nullable(),
  reason: z.string().nullable(),
  log: z.array(z.string()),
})

export interface RunId {
  readonly jobId: string
  readonly second: number
  /** Empty for a scheduled run; manual, backfill and dependent ones have their own, so that they never take its place. */
  readonly suffix: string
}

const RUN_ID = /^([0-9A-Za-z]{11})\.(\d{1,12})(?:\.([0-9A-Za-z-]{1,64}))?$/

export const formatRunId = ({ jobId, second, suffix }: RunId): string =>
  `${jobId}.${second}${suffix === '' ? '' : `.${suffix}`}`

export function parseRunId(text: string): RunId {
  const parts = RUN_ID.exec(text)
  if (parts === null) {
    const remedy = 'Use an id as the API gave it, such as 3kTMd8xBqZ1.1790000000'
    throw new InputError({ code: 'run.id', field: 'run', value: text, problem: 'is not the id of a run', remedy })
  }
  return { jobId: parts[1], second: Number(parts[2]), suffix: parts[3] ?? '' }
}

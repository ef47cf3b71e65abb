// What brings a run about, and its id, by which it is found.

import { InputError } from '../errors.ts'

export const TRIGGERS = ['SCHEDULE', 'CATCH_UP', 'MISFIRE', 'MANUAL', 'BACKFILL', 'DEPENDENCY', 'RESTART'] as const
export type Trigger = (typeof TRIGGERS)[number]

export interface RunId {
  readonly jobId: string
  readonly second: number
  /** Empty for a scheduled run; manual, backfill and dependent ones have their own, so that they never take its place. */
  readonly suffix: string
}

/** By hand, a retry, of a backfill, after another run. */
const RUN_ID = /^([0-9A-Za-z]{11})\.(0|[1-9]\d{0,11})(?:\.([mrbd][0-9A-Za-z-]{1,63}))?$/

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

// Times as answers write them.

import { formatInstant } from '../../../shared/core/time/instant.ts'

export const instantText = (second: number | null | undefined): string | null =>
  second === null || second === undefined ? null : formatInstant(second)

export const momentText = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(Math.round(ms)).toISOString()

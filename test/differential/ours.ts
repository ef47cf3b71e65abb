// Knows how to compile an expression with our evaluator; one that it refuses because it never runs has no instants.
import { compileCron } from '../../shared/core/cron/cron.ts'
import type { CronCase } from '../support/random-cron.ts'
import type { Cron } from './library.ts'

const NEVER: Cron = { next: () => -1, previous: () => -1, between: () => {} }

export function compileOurs({ expression, zone }: CronCase, dst: CronCase['dst']): Cron {
  try {
    return compileCron(expression, { zone, dst })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'cron.never-fires') return NEVER
    throw error
  }
}

// Real engines for the schedulers of a test: tables on the dynoxide that all tests share, queues on a fauxqs of its own.

import { inject } from 'vitest'
import { enginesAt, type RealEngines } from './engines/for-scheduler.ts'

export type { RealEngines } from './engines/for-scheduler.ts'

export const whyNoRealEngines = (): string | null => inject('engines').dynoxide.whyNot

export const realEngines = (): Promise<RealEngines> => enginesAt(inject('engines').dynoxide.endpoint ?? undefined)

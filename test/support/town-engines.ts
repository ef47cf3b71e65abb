// Real engines for the towns of a test: tables on the dynoxide that all tests share, queues on a fauxqs of its own.

import { inject } from 'vitest'
import { enginesAt, type RealEngines } from './engines/for-town.ts'

export type { RealEngines } from './engines/for-town.ts'

export const whyNoRealTown = (): string | null => inject('engines').dynoxide.whyNot

export const realEngines = (): Promise<RealEngines> => enginesAt(inject('engines').dynoxide.endpoint ?? undefined)

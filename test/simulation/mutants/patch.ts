// A line of the code in the place of another, and how processes are told to put it there.

import { fileURLToPath } from 'node:url'
import type { Net } from '../simulate.ts'

export interface Patch {
  readonly file: string
  /** As it stands there, without its indentation. */
  readonly line: string
  readonly instead: string
}

/** The audit is part of the chain, so it is taken away where it begins. */
export const NO_AUDIT: readonly Patch[] = [
  {
    file: 'shared/flow/audit.ts',
    line: 'const nowMs = world.clock.nowMs()',
    instead: 'const nowMs = world.clock.nowMs(); if (nowMs > 0) return { ...shard, resent: 0, missed: 0, doubled: 0 }',
  },
  {
    file: 'shared/flow/audit.ts',
    line: 'const due = await world.open.due(shard, nowMs, OPEN_RUNS_A_ROUND)',
    instead: 'const due: OpenRun[] = []',
  },
]

const PLANT = fileURLToPath(new URL('./plant.ts', import.meta.url))

/** What a process needs so that it simulates changed code. */
export const planted = (mutant: string | null, without: Net | null) => ({
  execArgv: mutant === null && without !== 'audit' ? [] : ['--import', PLANT],
  env: { TICKRING_MUTANT: mutant ?? '', TICKRING_WITHOUT: without ?? '' },
})

// A third of a minute through the real adapters, on the engine that every machine has.

import { expect, inject, test } from 'vitest'
import { BAD_MINUTE, sdkScene } from './sdk-scene.ts'

const { endpoint, whyNot } = inject('engines').dynoxide

test.skipIf(whyNot !== null)(
  'requests that fail, are throttled or are never answered lose and double nothing',
  { timeout: 120_000 },
  async () => {
    const play = { ...BAD_MINUTE, seconds: 20 }
    const { faults, instants, starts, violations, reads, staleReads } = await sdkScene(1, endpoint ?? '', play)
    expect(violations).toEqual([])
    expect(faults).toBeGreaterThan(10)
    expect(instants).toBeGreaterThan(20)
    expect(starts).toBeGreaterThan(20)
    expect(reads).toBeGreaterThan(30)
    expect(staleReads, 'no decision is made by what was read from a copy').toEqual([])
  },
)

// One seed through the real adapters on each engine; twenty, and a store that fails all the time, have their own command.

import { describe, expect, inject, test } from 'vitest'
import type { EngineName } from '../support/backends/names.ts'
import { sdkScene } from './sdk-scene.ts'

const ENGINES: readonly EngineName[] = ['dynoxide', 'DynamoDB Local']

describe.each(ENGINES)('on %s', (name) => {
  const { endpoint, whyNot } = inject('engines')[name]

  test.skipIf(whyNot !== null)(
    'requests that fail, are throttled or are never answered lose and double nothing',
    { timeout: 180_000 },
    async () => {
      const { faults, instants, starts, violations, reads, staleReads } = await sdkScene(1, endpoint ?? '')
      expect(violations).toEqual([])
      expect(faults).toBeGreaterThan(30)
      expect(instants).toBeGreaterThan(60)
      expect(starts).toBeGreaterThan(60)
      expect(reads).toBeGreaterThan(100)
      expect(staleReads, 'no decision is made by what was read from a copy').toEqual([])
    },
  )
})

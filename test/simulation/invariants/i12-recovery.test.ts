import { describe, expect, test } from 'vitest'
import type { ShardItem } from '../../../shared/core/shard.ts'
import { moved, phase, type Step, say, T, version, whole } from './by-hand.ts'
import { recovers } from './i12-recovery.ts'

describe('I12, recovery', () => {
  const well = (part: Partial<ShardItem>): Step[] => [
    version(),
    ...[10, 20, 30, 40].flatMap((t) => whole(t)),
    phase('calm', 45),
    moved('fence', {}, { fence: T + 165, watermark: T + 164, auditedThrough: T + 140, ...part }, 165),
    phase('drain', 170),
  ]

  test('accepts a shard that ticks and accounts two minutes after the last fault', () => {
    expect(say(recovers, well({}))).toEqual([])
    expect(say(recovers, well({ fence: T + 50, sleepUntil: T + 999 }))).toEqual([])
  })

  test('rejects a chain that stands, a watermark or an account that lags, and a run that never came', () => {
    expect(say(recovers, well({ fence: T + 100 }))).toHaveLength(1)
    expect(say(recovers, well({ watermark: T + 100 }))).toHaveLength(1)
    expect(say(recovers, well({ auditedThrough: T + 20 }))).toHaveLength(1)
    expect(say(recovers, [version(), ...whole(10), phase('calm', 25), phase('drain', 170)])).toHaveLength(1)
  })
})

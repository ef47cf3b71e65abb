import { describe, expect, test } from 'vitest'
import type { ShardItem } from '../../../shared/core/shard.ts'
import { moved, phase, type Step, say, T, version, whole } from './by-hand.ts'
import { recovers } from './i12-recovery.ts'

describe('I12, recovery', () => {
  const ran = (...seconds: number[]) => seconds.flatMap((second) => whole(second))
  const inTime = [50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160]
  const well = (part: Partial<ShardItem>, later = inTime): Step[] => [
    version(),
    ...ran(10, 20, 30, 40),
    phase('calm', 45),
    ...ran(...later),
    moved('fence', {}, { fence: T + 165, sentThrough: T + 164, auditedThrough: T + 140, ...part }, 165),
    phase('drain', 170),
  ]

  test('accepts a shard that ticks and accounts two minutes after the last fault', () => {
    expect(say(recovers, well({}))).toEqual([])
    expect(say(recovers, well({ fence: T + 50, sleepUntil: T + 999 }))).toEqual([])
  })

  test('accepts an account that waits for a run to which no executor has come yet', () => {
    const allButOne = inTime.filter((second) => second !== 70)
    expect(say(recovers, well({ auditedThrough: T + 69 }, allButOne))).toEqual([])
  })

  test('accepts an account that waited for a run until the last audit', () => {
    const allButOne = inTime.filter((second) => second !== 70)
    const until = (endsAt: number) =>
      [...well({ auditedThrough: T + 69 }, allButOne)].toSpliced(-2, 0, ...whole(70, endsAt - 1))
    expect(say(recovers, until(155))).toEqual([])
    expect(say(recovers, until(140))).toHaveLength(1)
  })

  test('rejects a chain that stands, a sentThrough or an account that lags, and a run that never came', () => {
    expect(say(recovers, well({ fence: T + 100 }))).toHaveLength(1)
    expect(say(recovers, well({ sentThrough: T + 100 }))).toHaveLength(1)
    expect(say(recovers, well({ auditedThrough: T + 20 }))).toHaveLength(1)
    expect(say(recovers, [version(), ...whole(10), phase('calm', 25), phase('drain', 170)])).toHaveLength(1)
  })
})

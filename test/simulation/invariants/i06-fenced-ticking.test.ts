import { describe, expect, test } from 'vitest'
import type { ShardItem } from '../../../shared/core/shard.ts'
import { claim, entry, moved, run, type Step, say, T, version, whole } from './by-hand.ts'
import { ticksAreFenced } from './i06-fenced-ticking.ts'

describe('I6, fenced ticking', () => {
  const depths = new Map([[T + 1, 0]])

  test('accepts a chain that goes on, is taken over, and is audited when all has ended', () => {
    const steps = [
      version(),
      moved('fence', {}, { fence: T + 1, depths }, 1),
      moved('takeOver', { fence: T + 1, depths }, { epoch: 1 }, 8),
      ...whole(10),
      moved('audited', { fence: T + 20, depths: new Map([[T + 10, 0]]) }, { auditedThrough: T + 15 }, 30),
    ]
    expect(say(ticksAreFenced, steps)).toEqual([])
  })

  test('rejects what goes back, an epoch that a fence changes, a depth that changes, goes early or comes late', () => {
    const fence = (from: Partial<ShardItem>, to: Partial<ShardItem>) =>
      say(ticksAreFenced, [moved('fence', from, to, 1)])
    expect(fence({ fence: T + 5 }, { fence: T + 4 })).toHaveLength(1)
    expect(fence({ fence: T + 5, sentThrough: T + 5 }, { sentThrough: T + 3 })).toHaveLength(1)
    expect(fence({ fence: T + 5, sentThrough: T + 5 }, { sentThrough: T + 6 })).toHaveLength(1)
    expect(fence({}, { epoch: 1 })).toHaveLength(1)
    expect(fence({ fence: T + 1, depths }, { depths: new Map([[T + 1, 3]]) })).toHaveLength(1)
    expect(fence({ fence: T + 1, depths }, { depths: new Map() })).toHaveLength(1)
    expect(fence({ fence: T + 1 }, { depths })).toHaveLength(1)
    expect(say(ticksAreFenced, [moved('takeOver', {}, { epoch: 2 }, 1)])).toHaveLength(1)
  })

  test('rejects an account that passes a run which has not ended and to which no message comes back', () => {
    const audited = moved('audited', { fence: T + 20, depths: new Map([[T + 10, 0]]) }, { auditedThrough: T + 15 }, 30)
    const open: Step = { op: 'open', what: 'put', runId: run(10), dueMs: 1, attempt: 1 }
    expect(say(ticksAreFenced, [version(), entry(10, null, claim()), audited])).toHaveLength(1)
    expect(say(ticksAreFenced, [version(), audited])).toHaveLength(1)
    expect(say(ticksAreFenced, [version(), open, entry(10, null, claim()), audited])).toEqual([])
  })
})

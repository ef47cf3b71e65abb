import { describe, expect, test } from 'vitest'
import { ended, entry, missed, phase, run, type Step, say, version, whole } from './by-hand.ts'
import { oneRecordAnInstant } from './i02-one-record.ts'

describe('I2, one record an instant', () => {
  test('accepts one record and two attempts', () => {
    const second: Step = { op: 'start', runId: run(10), attempt: 2, trigger: 'SCHEDULE' }
    expect(say(oneRecordAnInstant, [version(), ...whole(10), second])).toEqual([])
  })

  test('rejects a page and an item, two pages, a run that is also missed, two creations and two first attempts', () => {
    const item = entry(10, null, ended(), { place: 'item', key: run(10) } as Partial<Step>)
    const otherPage = entry(10, null, ended(), { key: 'other' } as Partial<Step>)
    const again: Step = { op: 'start', runId: run(10), attempt: 1, trigger: 'SCHEDULE' }
    expect(say(oneRecordAnInstant, [version(), ...whole(10), item])).toHaveLength(2)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), otherPage])).toHaveLength(2)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), missed(10, 10, 1), phase('end', 15)])).toHaveLength(1)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), entry(10, null, ended())])).toHaveLength(1)
    expect(say(oneRecordAnInstant, [version(), ...whole(10), again])).toHaveLength(1)
  })
})

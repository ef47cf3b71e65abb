import { describe, expect, test } from 'vitest'
import { entry, idle, missed, moved, phase, run, type Step, say, T, version, whole } from './by-hand.ts'
import { misfiresObey } from './i10-misfires.ts'

describe('I10, misfires', () => {
  const gap = moved('fence', { fence: T + 5 }, { fence: T + 40, depths: new Map([[T + 30, 0]]) }, 40)
  const item = (second: number) =>
    entry(second, null, idle('QUEUED'), { place: 'item', key: run(second) } as Partial<Step>)

  test('accepts a gap of which one instant runs and the others are counted', () => {
    expect(say(misfiresObey, [version(), gap, missed(10, 10, 1), item(20), phase('end', 45)])).toEqual([])
  })

  test('rejects a wrong count, an entry on a page for a gap, and a run where the job does nothing', () => {
    expect(say(misfiresObey, [version(), missed(10, 20, 3), phase('end', 45)])).toHaveLength(1)
    expect(say(misfiresObey, [version(), gap, ...whole(20, 41), phase('end', 45)])).toHaveLength(1)
    const nothing = version({}, { misfire: { policy: 'DO_NOTHING' } })
    expect(say(misfiresObey, [nothing, gap, item(20), phase('end', 45)])).toHaveLength(1)
  })

  test('rejects a late start where the job does nothing so late, and catching up while it is stopped', () => {
    const nothing = version({}, { misfire: { policy: 'DO_NOTHING' } })
    expect(say(misfiresObey, [nothing, ...whole(10, 40), phase('end', 45)])).toHaveLength(1)
    const stopped = version(
      { status: 'STOPPED' },
      { misfire: { policy: 'CATCH_UP', window: 100, max: 9, overlap: 'all' } },
    )
    const start: Step = { op: 'start', runId: run(10), attempt: 1, trigger: 'CATCH_UP' }
    expect(say(misfiresObey, [stopped, { ...item(10), at: 60 }, start])).toHaveLength(1)
  })

  test('rejects more than fifty old instants a second', () => {
    const many = Array.from({ length: 700 }, (_, n) => [
      entry(n, null, idle('QUEUED'), { place: 'item', key: run(n), at: 1000 + n / 100 } as Partial<Step>),
      { op: 'start', runId: run(n), attempt: 1, trigger: 'CATCH_UP' } as Step,
    ]).flat()
    expect(say(misfiresObey, [version({ schedules: [{ every: 1 }] }), ...many])).toHaveLength(1)
  })
})

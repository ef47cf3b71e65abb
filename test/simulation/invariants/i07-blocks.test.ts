import { describe, expect, test } from 'vitest'
import { FREE, type Holder, type Lock, type Waiter } from '../../../shared/core/gate/state.ts'
import { claim, ended, entry, JOB, run, type Step, say, T, version } from './by-hand.ts'
import { blocksAreKept } from './i07-blocks.ts'

describe('I7, block strategies', () => {
  const serial = version({}, { block: { strategy: 'SERIAL' } })
  const start = (second: number, at: number, proc: string): Step => ({
    op: 'start',
    runId: run(second),
    attempt: 1,
    trigger: 'SCHEDULE',
    at,
    proc,
  })
  const end = (second: number, at: number, proc: string): Step => ({
    op: 'end',
    runId: run(second),
    attempt: 1,
    how: 'returned',
    at,
    proc,
  })

  test('accepts one after the other, and as many at once as are allowed', () => {
    expect(
      say(blocksAreKept, [serial, start(10, 10, 'a'), end(10, 12, 'a'), start(20, 20, 'b'), end(20, 21, 'b')]),
    ).toEqual([])
    const two = version({}, { block: { strategy: 'CONCURRENT', max: 2 } })
    expect(
      say(blocksAreKept, [two, start(10, 10, 'a'), start(20, 20, 'b'), end(10, 25, 'a'), end(20, 26, 'b')]),
    ).toEqual([])
  })

  test('rejects two at once, and a third where two may run', () => {
    expect(
      say(blocksAreKept, [serial, start(10, 10, 'a'), start(20, 20, 'b'), end(10, 25, 'a'), end(20, 26, 'b')]),
    ).toHaveLength(1)
    const two = version({}, { block: { strategy: 'CONCURRENT', max: 2 } })
    const three = [
      start(10, 10, 'a'),
      start(20, 20, 'b'),
      start(30, 30, 'c'),
      end(10, 35, 'a'),
      end(20, 36, 'b'),
      end(30, 37, 'c'),
    ]
    expect(say(blocksAreKept, [two, ...three])).toHaveLength(1)
  })

  test('accepts a covered run that goes on for two seconds, and rejects one that goes on for five', () => {
    const cover = version({}, { block: { strategy: 'COVER' } })
    const steps = (until: number) => [
      cover,
      start(10, 10, 'a'),
      start(20, 20, 'b'),
      end(10, until, 'a'),
      end(20, 30, 'b'),
    ]
    expect(say(blocksAreKept, steps(22))).toEqual([])
    expect(say(blocksAreKept, steps(25))).toHaveLength(1)
  })

  test('rejects a run that is discarded though it is alone', () => {
    const alone = [entry(10, null, claim()), entry(10, claim(), ended('DISCARDED'))]
    expect(say(blocksAreKept, [serial, ...alone])).toHaveLength(1)
    expect(say(blocksAreKept, [serial, entry(20, null, claim(1, 'b')), ...alone])).toEqual([])
  })

  test('rejects a lock that goes to a younger run while an older one waits', () => {
    const waiter = (second: number): Waiter => ({
      runId: run(second),
      trigger: 'SCHEDULE',
      instant: T + second,
      nominal: null,
      attempt: 1,
      depth: 0,
      openMs: null,
      orderedBy: T + second,
    })
    const holder = (second: number): Holder => ({ ...waiter(second), deadline: T + 90, sentAt: T })
    const from: Lock = { holders: [], waiting: [waiter(10), waiter(20)] }
    const given = (to: number, left: number): Step => ({
      op: 'lock',
      jobId: JOB,
      from,
      to: { holders: [holder(to)], waiting: [waiter(left)] },
    })
    expect(say(blocksAreKept, [serial, given(10, 20)])).toEqual([])
    expect(say(blocksAreKept, [serial, given(20, 10)])).toHaveLength(1)
    expect(say(blocksAreKept, [serial, { op: 'lock', jobId: JOB, from, to: FREE }])).toEqual([])
  })
})

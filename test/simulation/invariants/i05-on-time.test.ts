import { describe, expect, test } from 'vitest'
import { fault, moved, phase, run, say, T, version, whole } from './by-hand.ts'
import { onTime } from './i05-on-time.ts'

describe('I5, on time', () => {
  const fair = [version(), phase('storm', 100)]

  test('accepts starts within two seconds, and a chain that one crash has ended and that is soon back', () => {
    expect(
      say(onTime, [
        ...fair.slice(0, 1),
        ...[20, 30, 40, 50, 60, 70, 80, 90].flatMap((t) => whole(t, t + 1)),
        phase('storm', 100),
      ]),
    ).toEqual([])
    const chain = [
      moved('fence', {}, { fence: T + 20 }, 20),
      fault('tick-1', 21),
      moved('fence', { fence: T + 20 }, { fence: T + 29 }, 29),
    ]
    expect(say(onTime, chain)).toEqual([])
  })

  test('rejects a start before its instant', () => {
    expect(
      say(onTime, [version(), { op: 'start', runId: run(10), attempt: 1, trigger: 'SCHEDULE', at: 8 }]),
    ).toHaveLength(1)
  })

  test('rejects a late start in good weather, and one that never came', () => {
    const others = [30, 40, 50, 60, 70, 80, 90].flatMap((t) => whole(t))
    expect(say(onTime, [version(), ...whole(20, 23), ...others, phase('storm', 100)])).toHaveLength(1)
    expect(say(onTime, [version(), ...others, phase('storm', 100)])).toHaveLength(1)
  })

  test('rejects a chain that stands still for long after one fault', () => {
    const chain = [
      moved('fence', {}, { fence: T + 20 }, 20),
      fault('tick-1', 21),
      moved('fence', { fence: T + 20 }, { fence: T + 40 }, 40),
    ]
    expect(say(onTime, chain)).toHaveLength(1)
  })
})

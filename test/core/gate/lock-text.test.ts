import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeLock, encodeLock } from '../../../shared/core/gate/lock-text.ts'
import { FREE, type GateRun, type Lock, MOST_WAITING } from '../../../shared/core/gate/state.ts'
import { jobIdOf } from '../../../shared/core/job/id.ts'
import { formatRunId, TRIGGERS } from '../../../shared/core/run/run.ts'

const jobId = jobIdOf('default', 'locked')
const time = fc.integer({ min: 0, max: 4_000_000_000 })
const maybe = (value: fc.Arbitrary<number>) => fc.option(value, { nil: null })
const run: fc.Arbitrary<GateRun> = fc
  .record({
    second: time,
    suffix: fc.constantFrom('', 'm1f-Z', 'd3kTMd8xBqZ1'),
    trigger: fc.constantFrom(...TRIGGERS),
    instant: maybe(time),
    nominal: maybe(time),
    isOwn: fc.boolean(),
    attempt: fc.integer({ min: 1, max: 101 }),
    depth: maybe(fc.integer({ min: 0, max: 20 })),
    openMs: maybe(fc.integer({ min: 0, max: 4_000_000_000_000 })),
  })
  .map(({ second, suffix, isOwn, instant, ...rest }) => ({
    ...rest,
    runId: formatRunId({ jobId, second, suffix }),
    instant: isOwn ? second : instant,
  }))
const lock: fc.Arbitrary<Lock> = fc.record({
  holders: fc.array(
    fc.tuple(run, time, maybe(time)).map(([each, deadline, sentAt]) => ({ ...each, deadline, sentAt })),
    { maxLength: 5 },
  ),
  waiting: fc.array(
    fc.tuple(run, time).map(([each, orderedBy]) => ({ ...each, orderedBy })),
    { maxLength: 5 },
  ),
})

const usual = (second: number): GateRun => ({
  runId: formatRunId({ jobId, second, suffix: '' }),
  trigger: 'SCHEDULE',
  instant: second,
  nominal: second,
  attempt: 1,
  depth: 5,
  openMs: null,
})

describe('a lock as text', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(lock, (each) => {
        expect(decodeLock(encodeLock(each), jobId)).toEqual(each)
      }),
    )
  })

  test('is nothing where no run holds it and none waits', () => {
    expect(encodeLock(FREE)).toBeNull()
    expect(decodeLock(null, jobId)).toEqual(FREE)
  })

  test('is short: thirty usual ones with their names fit into a kilobyte and a half', () => {
    const held = { ...FREE, holders: [{ ...usual(1_790_000_000), deadline: 1_790_000_075, sentAt: null }] }
    const text = encodeLock(held) ?? ''
    expect(30 * (text.length + jobId.length)).toBeLessThan(1536)
  })

  test('of a thousand that wait stays far below what an item holds', () => {
    const waiting = Array.from({ length: MOST_WAITING }, (_, n) => ({
      ...usual(1_790_000_000 + n),
      openMs: 1_790_000_020_000 + n,
      orderedBy: 1_790_000_000 + n,
    }))
    expect((encodeLock({ ...FREE, waiting }) ?? '').length).toBeLessThan(60_000)
  })

  test.each(['', ';', 'x', '1.2;', 't..Z1.=.=.5..t.s;', '1,2', 't..S1.=.=.5..t.s;;', '.;.'])(
    'that encodeLock did not write is refused: %j',
    (text) => {
      expect(() => decodeLock(text, jobId)).toThrow('which is no lock')
    },
  )
})

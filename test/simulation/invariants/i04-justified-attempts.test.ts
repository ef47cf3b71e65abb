import { describe, expect, test } from 'vitest'
import { claim, ended, entry, fault, idle, run, type Step, say, T, version } from './by-hand.ts'
import { attemptsAreJustified } from './i04-justified-attempts.ts'

describe('I4, attempts', () => {
  const retry = version({}, { retries: 1 })
  const takeOver = entry(10, claim(), claim(2, 'b'), { at: 70 } as Partial<Step>)

  test('accepts a take-over from one who died, and a retry after its backoff', () => {
    expect(
      say(attemptsAreJustified, [retry, { ...entry(10, null, claim()), proc: 'dies' }, fault('dies', 11), takeOver]),
    ).toEqual([])
    const failed = [entry(10, null, claim()), entry(10, claim(), idle('QUEUED', 2))]
    expect(
      say(attemptsAreJustified, [
        retry,
        ...failed,
        { op: 'start', runId: run(10), attempt: 2, trigger: 'SCHEDULE', at: 5 },
      ]),
    ).toEqual([])
  })

  test('rejects a take-over from one who was well, and a run given up as lost for no reason', () => {
    expect(say(attemptsAreJustified, [retry, { ...entry(10, null, claim()), proc: 'well' }, takeOver])).toHaveLength(1)
    expect(
      say(attemptsAreJustified, [version(), entry(10, null, claim()), entry(10, claim(), ended('LOST'))]),
    ).toHaveLength(1)
  })

  test('accepts a ticker that fails what a queue refused alone, and rejects it of neighbours and of what an executor has', () => {
    const refused = (...runs: string[]): Step => ({ op: 'refused', queue: 'fast', runs })
    const failed = { ...entry(10, null, ended('FAILED')), proc: 'tick-1' }
    expect(say(attemptsAreJustified, [version(), refused(run(10)), failed])).toEqual([])
    expect(say(attemptsAreJustified, [version(), refused(run(10), run(20)), failed])).toHaveLength(1)
    const had = [version(), entry(10, null, claim()), refused(run(10))]
    const taken = { ...entry(10, claim(), ended('FAILED')), proc: 'watch-1' }
    expect(say(attemptsAreJustified, [...had, { ...taken, at: 99 }])).toHaveLength(1)
    expect(say(attemptsAreJustified, [...had, { ...taken, at: 106 }])).toEqual([])
    expect(say(attemptsAreJustified, [version(), entry(10, null, ended('FAILED'))])).toEqual([])
  })

  test('rejects two starts of one attempt, more attempts than allowed, and a retry that comes at once', () => {
    const start = (attempt: number): Step => ({ op: 'start', runId: run(10), attempt, trigger: 'SCHEDULE' })
    expect(say(attemptsAreJustified, [version(), start(1), start(1)])).toHaveLength(1)
    expect(say(attemptsAreJustified, [version(), start(2)])).toHaveLength(1)
    const listed: Step = { op: 'open', what: 'put', runId: run(10), dueMs: (T + 50) * 1000, attempt: 2 }
    const patient = [
      version({}, { retries: 1 }),
      entry(10, null, claim()),
      listed,
      entry(10, claim(), idle('QUEUED', 2)),
    ]
    expect(say(attemptsAreJustified, [...patient, { ...start(2), at: 27 }])).toHaveLength(1)
    expect(say(attemptsAreJustified, [...patient, { ...start(2), at: 30 }])).toEqual([])
  })

  test('accepts a retry after its backoff, though a ticker moved its item on while the executor was stalled', () => {
    const listed = (second: number): Step => {
      const dueMs = (T + second) * 1000
      return { op: 'open', what: 'put', runId: run(10), dueMs, attempt: 2 }
    }
    const stalled = [
      retry,
      entry(10, null, claim()),
      { ...listed(50), at: 20 },
      { ...listed(140), at: 60, proc: 'tick-1' },
      { ...entry(10, claim(), idle('QUEUED', 2)), at: 70 },
    ]
    const start: Step = { op: 'start', runId: run(10), attempt: 2, trigger: 'SCHEDULE' }
    expect(say(attemptsAreJustified, [...stalled, { ...start, at: 71 }])).toEqual([])
  })
})

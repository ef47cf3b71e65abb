import { describe, expect, test } from 'vitest'
import { FREE } from '../../../shared/core/gate/state.ts'
import { claim, ended, entry, idle, JOB, phase, run, type Step, say, T, version, whole } from './by-hand.ts'
import { livesAreLegal } from './i08-life-cycle.ts'

describe('I8, the life of a run', () => {
  test('accepts a life with a wait and a second attempt', () => {
    const steps = [
      entry(10, null, claim()),
      entry(10, claim(), idle('WAITING')),
      entry(10, idle('WAITING'), claim()),
      entry(10, claim(), idle('QUEUED', 2)),
      entry(10, idle('QUEUED', 2), claim(2)),
      entry(10, claim(2), ended('SUCCEEDED', 2)),
    ]
    expect(say(livesAreLegal, steps)).toEqual([])
  })

  test('accepts a run that is left as it is where an edit made its second doubtful, and rejects it where none did', () => {
    const left = entry(10, null, claim())
    expect(say(livesAreLegal, [version({}, {}, T + 18), left])).toEqual([])
    expect(say(livesAreLegal, [version(), left])).toHaveLength(1)
  })

  describe('once a run has ended', () => {
    const gate = { trigger: 'SCHEDULE', instant: T, nominal: T, attempt: 1, depth: 0, openMs: null } as const
    const lock = (holders: string[], waiting: string[], deadline = T): Step => ({
      op: 'lock',
      jobId: JOB,
      from: FREE,
      to: {
        holders: holders.map((runId) => ({ ...gate, runId, deadline, sentAt: null })),
        waiting: waiting.map((runId) => ({ ...gate, runId, orderedBy: T })),
      },
    })

    test('rejects a lock that it holds or waits for', () => {
      expect(say(livesAreLegal, [...whole(10), lock([run(10)], [])])).toHaveLength(1)
      expect(say(livesAreLegal, [...whole(10), lock([], [run(10)])])).toHaveLength(1)
      expect(say(livesAreLegal, [...whole(10), lock([run(10)], [run(20)]), lock([run(20)], [])])).toEqual([])
    })

    test('accepts a lock past its deadline where the message was wiped that would have given it on, and no other', () => {
      const wiped = (second: number, at: number): Step => ({
        op: 'queue',
        queue: 'fast',
        what: 'purged',
        message: 1,
        runs: [run(second)],
        at,
      })
      const held = [...whole(10), lock([run(10)], [], T + 15)]
      expect(say(livesAreLegal, [...held, wiped(10, 20)])).toEqual([])
      expect(say(livesAreLegal, [...held, wiped(20, 20)])).toHaveLength(1)
      expect(say(livesAreLegal, [...held, wiped(10, 14)])).toHaveLength(1)
      expect(say(livesAreLegal, [wiped(10, 5), ...held, phase('end', 60)])).toHaveLength(1)
      expect(say(livesAreLegal, [...whole(10), lock([], [run(10)]), wiped(10, 20)])).toHaveLength(1)
    })
  })

  test('rejects an end that changes, a success out of nothing, an attempt that goes back, and what is left alive or open', () => {
    expect(say(livesAreLegal, [...whole(10), entry(10, ended(), ended('FAILED'))])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, ended())])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, claim(2)), entry(10, claim(2), ended('FAILED', 1))])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, claim())])).toHaveLength(1)
    expect(say(livesAreLegal, [{ op: 'open', what: 'put', runId: run(10), dueMs: 1, attempt: 1 }])).toHaveLength(1)
  })
})

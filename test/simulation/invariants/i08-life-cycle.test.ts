import { describe, expect, test } from 'vitest'
import { claim, ended, entry, idle, run, say, T, version, whole } from './by-hand.ts'
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

  test('rejects an end that changes, a success out of nothing, an attempt that goes back, and what is left alive or open', () => {
    expect(say(livesAreLegal, [...whole(10), entry(10, ended(), ended('FAILED'))])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, ended())])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, claim(2)), entry(10, claim(2), ended('FAILED', 1))])).toHaveLength(1)
    expect(say(livesAreLegal, [entry(10, null, claim())])).toHaveLength(1)
    expect(say(livesAreLegal, [{ op: 'open', what: 'put', runId: run(10), dueMs: 1, attempt: 1 }])).toHaveLength(1)
  })
})

import { describe, expect, test } from 'vitest'
import { claim, ended, entry, phase, run, type Step, say, T, version, whole } from './by-hand.ts'
import { noPhantom } from './i03-no-phantom.ts'

describe('I3, no phantom', () => {
  test('accepts what is due, and what was found not to be and did not run', () => {
    const skipped = [entry(13, null, claim()), entry(13, claim(), ended('SKIPPED'))]
    expect(say(noPhantom, [version(), ...whole(10), ...skipped, phase('end', 25)])).toEqual([])
  })

  test('rejects a run between two instants, and one after a stop', () => {
    expect(say(noPhantom, [version(), ...whole(13), phase('end', 25)])).toHaveLength(1)
    const stop = version({ version: 2, activeFrom: T + 15, status: 'STOPPED' }, {}, T + 13)
    expect(say(noPhantom, [version(), stop, ...whole(20), phase('end', 25)])).toHaveLength(1)
  })

  test('rejects a start under an entry that says it did not run', () => {
    const skipped = [
      entry(13, null, claim()),
      { op: 'start', runId: run(13), attempt: 1, trigger: 'SCHEDULE' } as Step,
      entry(13, claim(), ended('SKIPPED')),
    ]
    expect(say(noPhantom, [version(), ...skipped, phase('end', 25)])).toHaveLength(1)
  })
})

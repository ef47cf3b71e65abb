import { describe, expect, test } from 'vitest'
import { claim, ended, entry, JOB, missed, phase, run, type Step, say, T, version, whole } from './by-hand.ts'
import { noLostRun } from './i01-no-lost-run.ts'

describe('I1, no lost run', () => {
  test('accepts runs that have ended, instants that are counted, and what a stop has frozen', () => {
    expect(say(noLostRun, [version(), ...whole(10), ...whole(20), phase('end', 25)])).toEqual([])
    expect(say(noLostRun, [version(), missed(10, 20, 2), phase('end', 25)])).toEqual([])
    const frozen: Step = { op: 'cursors', jobId: JOB, left: [[T + 10, T + 20]] }
    expect(say(noLostRun, [version(), frozen, phase('end', 25)])).toEqual([])
  })

  test('asks for nothing while an edit was being taken in', () => {
    expect(say(noLostRun, [version({}, {}, T + 18), phase('end', 19)])).toEqual([])
  })

  test('rejects an instant without a record, and one that never ended', () => {
    expect(say(noLostRun, [version(), ...whole(10), phase('end', 25)])).toEqual([
      `${run(20)} was due and has no record`.replaceAll(JOB, 'job').replaceAll(String(T), ''),
    ])
    expect(say(noLostRun, [version(), entry(10, null, claim()), phase('end', 15)])[0]).toMatch(
      /never ended: it is RUNNING$/,
    )
  })

  test('rejects a stop of which nothing is on record', () => {
    const withStop = version({ schedules: [{ every: 10 }, { kind: 'stop', every: 20 }] })
    const stop = (to: ReturnType<typeof ended>) => entry(20, null, to, { runId: `${JOB}~.${T + 20}` } as Partial<Step>)
    const runs = [...whole(10), ...whole(20), phase('end', 25)]
    expect(say(noLostRun, [withStop, stop(ended()), ...runs])).toEqual([])
    expect(say(noLostRun, [withStop, stop(ended('LOST')), ...runs])).toEqual([])
    expect(say(noLostRun, [withStop, ...runs])).toHaveLength(1)
    expect(say(noLostRun, [withStop, stop(claim()), ...runs])).toHaveLength(1)
  })
})

import { describe, expect, test } from 'vitest'
import { claim, entry, idle, JOB, run, type Step, say, version, whole } from './by-hand.ts'
import { ackedIsDurable } from './i09-acked-is-durable.ts'

describe('I9, what was acknowledged', () => {
  const ask = (part: object): Step =>
    ({ op: 'ask', kind: 'ok', ask: 1, what: 'save', jobId: JOB, version: 1, ...part }) as Step

  test('accepts a save that stands and a run by hand that is there', () => {
    expect(say(ackedIsDurable, [version(), ask({})])).toEqual([])
    expect(
      say(ackedIsDurable, [entry(10, null, idle('QUEUED')), ask({ what: 'trigger', runId: run(10), key: 'a' })]),
    ).toEqual([])
  })

  test('rejects a save that is not there, one that is there twice, and one that reaches back', () => {
    expect(say(ackedIsDurable, [ask({})])).toHaveLength(1)
    expect(say(ackedIsDurable, [version(), version()])).toHaveLength(1)
    expect(say(ackedIsDurable, [{ ...ask({ kind: 'invoke' }), at: 9 }, version()])).toHaveLength(1)
  })

  test('rejects a promised run that is not there, one request that became two, and a start after a stop that cancels', () => {
    expect(say(ackedIsDurable, [ask({ what: 'trigger', runId: run(10) })])).toHaveLength(1)
    const twice = [10, 11].flatMap((t) => [
      entry(t, null, idle('QUEUED')),
      ask({ what: 'trigger', runId: run(t), key: 'a' }),
    ])
    expect(say(ackedIsDurable, twice)).toHaveLength(1)
    const stop = version({ status: 'STOPPED' }, { cancelsQueued: true })
    expect(say(ackedIsDurable, [stop, ...whole(10)])).toHaveLength(1)
    expect(
      say(ackedIsDurable, [
        entry(10, null, claim()),
        stop,
        { op: 'start', runId: run(10), attempt: 1, trigger: 'SCHEDULE' },
      ]),
    ).toEqual([])
  })
})

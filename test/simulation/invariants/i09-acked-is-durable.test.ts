import { describe, expect, test } from 'vitest'
import { claim, ended, entry, idle, JOB, run, type Step, say, T, version, whole } from './by-hand.ts'
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
    const stop = version({ status: 'STOPPED', activeFrom: T + 12 }, { cancelsQueued: true })
    expect(say(ackedIsDurable, [stop, ...whole(10)])).toHaveLength(1)
    expect(
      say(ackedIsDurable, [
        entry(10, null, claim()),
        stop,
        { op: 'start', runId: run(10), attempt: 1, trigger: 'SCHEDULE' },
      ]),
    ).toEqual([])
  })

  test('accepts what is due again after a stop that cancels and has an end, and rejects what was queued before it', () => {
    const stop = version({ status: 'STOPPED', activeFrom: T + 12, until: T + 30 }, { cancelsQueued: true })
    expect(say(ackedIsDurable, [stop, ...whole(30)])).toEqual([])
    expect(say(ackedIsDurable, [stop, ...whole(10, 31)])).toHaveLength(1)
    const longer = version(
      { version: 2, status: 'STOPPED', activeFrom: T + 22, until: T + 50 },
      { cancelsQueued: true },
    )
    expect(say(ackedIsDurable, [stop, longer, ...whole(10, 51)])).toHaveLength(1)
    const later = version({ version: 2, status: 'STOPPED', activeFrom: T + 42 }, { cancelsQueued: true })
    expect(say(ackedIsDurable, [stop, later, ...whole(40, 43)])).toHaveLength(1)
    const cancelled = (second: number) => entry(second, null, ended('CANCELLED'), { reason: 'its job was stopped: x' })
    expect(say(ackedIsDurable, [stop, cancelled(10)])).toEqual([])
    expect(say(ackedIsDurable, [stop, cancelled(30)])).toHaveLength(1)
    expect(say(ackedIsDurable, [cancelled(10), stop])).toHaveLength(1)
  })
})

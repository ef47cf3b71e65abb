import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ItemKey, itemOf, keyOf } from '../../shared/aws/keys.ts'

const jobId = fc.stringMatching(/^[0-9A-Za-z]{11}$/)
const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,125}$/)
const shard = fc.nat(4095)
const version = fc.nat(99_999_999)
const second = fc.nat(253_402_300_799)
const minute = fc.nat(4_223_371_679)
const ms = fc.nat(253_402_300_799_000)
const bits = fc.stringMatching(/^[01]{0,20}$/)
const runId = fc.tuple(jobId, second).map((parts) => parts.join('.'))
const type = <T extends string>(value: T) => fc.constant(value)

const item: fc.Arbitrary<ItemKey> = fc.oneof(
  fc.record({ type: type('meta') }),
  fc.record({ type: type('job'), shard, jobId }),
  fc.record({ type: type('body'), jobId, version }),
  fc.record({ type: type('version'), jobId, version }),
  fc.record({ type: type('definition'), jobId, version }),
  fc.record({ type: type('once'), shard, jobId }),
  fc.record({ type: type('pointer'), shard, minute, second, jobId }),
  fc.record({ type: type('change'), shard, ms, jobId, version }),
  fc.record({ type: type('shard'), shard }),
  fc.record({ type: type('minute'), shard, hour: fc.nat(70_389_527), minute }),
  fc.record({ type: type('page'), shard, minute, partition: bits, second, prefix: bits }),
  fc.record({
    type: type('open'),
    shard,
    part: fc.nat({ max: 9 }),
    ms,
    runId,
    attempt: fc.nat({ max: 999 }),
  }),
  fc.record({ type: type('openMessage'), runId, attempt: fc.nat({ max: 999 }), ms }),
  fc.record({
    type: type('recent'),
    kind: fc.constantFrom('failed' as const, 'other' as const),
    shard,
    hour: fc.nat(70_389_527),
    ms,
    runId,
  }),
  fc.record({ type: type('dates'), hash: jobId }),
  fc.record({ type: type('run'), jobId, second, suffix: fc.stringMatching(/^[0-9A-Za-z]{0,20}$/) }),
  fc.record({ type: type('detail'), jobId, second }),
  fc.record({ type: type('missed'), jobId, second, of: fc.constantFrom('starts', 'stops') }),
  fc.record({ type: type('feed'), shard, hour: fc.nat(70_389_527), second, runId }),
  fc.record({ type: type('chain'), root: runId, runId }),
  fc.record({ type: type('state'), jobId }),
  fc.record({ type: type('executor'), namespace: name, group: name, member: name }),
  fc.record({ type: type('calendar'), namespace: name, name }),
  fc.record({ type: type('template'), namespace: name, name }),
  fc.record({ type: type('namespace'), namespace: name, name }),
  fc.record({ type: type('pending'), namespace: name, name }),
  fc.record({ type: type('backfill'), id: jobId }),
  fc.record({ type: type('keys') }),
  fc.record({ type: type('key'), id: jobId }),
  fc.record({ type: type('idempotency'), hash: jobId }),
  fc.record({
    type: type('audit'),
    namespace: fc.oneof(name, fc.constant('*')),
    day: fc.nat(2_932_896),
    ms,
    id: jobId,
  }),
  fc.record({ type: type('audited'), day: fc.nat(2_932_896), namespace: fc.oneof(name, fc.constant('*')) }),
)

describe('a key', () => {
  test('is taken apart into what it was built of', () => {
    fc.assert(
      fc.property(item, (each) => {
        expect(itemOf(keyOf(each))).toEqual(each)
      }),
      { numRuns: 2000 },
    )
  })

  test('belongs to one thing only', () => {
    fc.assert(
      fc.property(item, item, (a, b) => {
        const [first, second] = [keyOf(a), keyOf(b)]
        fc.pre(JSON.stringify(a) !== JSON.stringify(b))
        expect(`${first.pk}\n${first.sk}`).not.toBe(`${second.pk}\n${second.sk}`)
      }),
      { numRuns: 2000 },
    )
  })

  test('sorts by time', () => {
    fc.assert(
      fc.property(second, second, jobId, (a, b, id) => {
        const key = (at: number) => keyOf({ type: 'run', jobId: id, second: at, suffix: '' }).sk
        expect(key(a) < key(b)).toBe(a < b)
      }),
    )
  })

  test.each<[string, object]>([
    ['a separator', { type: 'job', shard: 0, jobId: 'a#b' }],
    ['a number for a text', { type: 'job', shard: 0, jobId: 5 }],
    ['a text for a number', { type: 'shard', shard: '0' }],
    ['a fraction', { type: 'shard', shard: 0.5 }],
    ['a negative number', { type: 'shard', shard: -1 }],
    ['a number that is too large', { type: 'shard', shard: 10_000 }],
    ['nothing', { type: 'job', shard: 0 }],
  ])('with %s is not built', (_, bad) => {
    expect(() => keyOf(bad as ItemKey)).toThrow('cannot stand in a key')
  })

  test.each([
    ['', ''],
    ['NOPE#0001', '-'],
    ['JOB', 'x'],
    ['JOB#0001#x', 'y'],
    ['JOB#1', 'abc'],
    ['JOB#x', 'abc'],
    ['META', 'x'],
    ['CHG#0000', '000000000000005#x'],
  ])('that keyOf did not build (%j, %j) is not taken apart', (pk, sk) => {
    expect(() => itemOf({ pk, sk })).toThrow('is no key of this table')
  })
})

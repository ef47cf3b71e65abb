import { describe, expect, test } from 'vitest'
import { type Step, say, version } from './by-hand.ts'
import { queuesAreConserved } from './i11-queues.ts'

describe('I11, queues', () => {
  const message = (what: 'sent' | 'deleted' | 'purged' | 'failed', n = 1, at = 0): Step => ({
    op: 'queue',
    queue: 'fast',
    what,
    message: n,
    at,
  })

  test('accepts messages that were deleted, wiped or failed', () => {
    expect(
      say(
        queuesAreConserved,
        (['deleted', 'purged', 'failed'] as const).flatMap((what, n) => [message('sent', n), message(what, n)]),
      ),
    ).toEqual([])
  })

  test('rejects a message that is still there, one that was deleted twice, and one out of nothing', () => {
    expect(say(queuesAreConserved, [message('sent')])).toHaveLength(1)
    expect(say(queuesAreConserved, [message('sent'), message('deleted'), message('deleted')])).toHaveLength(1)
    expect(say(queuesAreConserved, [message('deleted')])).toHaveLength(1)
  })

  test('rejects messages that beget messages', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => [message('sent', n, 5), message('deleted', n, 5)]).flat()
    expect(say(queuesAreConserved, [version(), ...many(300)])).toEqual([])
    expect(say(queuesAreConserved, [version(), ...many(400)])).toHaveLength(1)
  })

  test('rejects copies without number while no executor takes messages', () => {
    const away: Step = { op: 'fault', fault: 'no executors', where: 'fast 100000' }
    const copies = Array.from({ length: 400 }, (_, n) => [message('sent', n, n / 4), message('deleted', n, n / 4)])
    expect(say(queuesAreConserved, [version(), away, ...copies.flat()])).toHaveLength(1)
  })
})

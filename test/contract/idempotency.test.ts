import { expect, test } from 'vitest'
import { inEachBackend } from '../support/backends/backends.ts'

const NOW = 1_790_000_000_000
const DAY_MS = 86_400_000
const wanted = (plan: string, nowMs = NOW, bodyHash = 'body') => ({ bodyHash, plan, pendingUntilMs: nowMs + 35_000 })

inEachBackend('an idempotency key', (make) => {
  test('is reserved once, and the next request sees what is planned', async () => {
    const { idempotency } = await make()
    expect(await idempotency.reserve('hash', wanted('first'), NOW)).toBeNull()
    expect(await idempotency.reserve('hash', wanted('second', NOW + 10), NOW + 10)).toEqual({
      ...wanted('first'),
      answer: null,
    })
    expect(await idempotency.reserve('other', wanted('second'), NOW)).toBeNull()
  })

  test('is reserved by one of many', async () => {
    const world = await make()
    const found = await Promise.all(
      Array.from({ length: 6 }, (_, n) => world.again().idempotency.reserve('hash', wanted(`plan-${n}`), NOW)),
    )
    expect(found.filter((there) => there === null)).toHaveLength(1)
    expect(new Set(found.flatMap((there) => there?.plan ?? []))).toEqual(new Set([`plan-${found.indexOf(null)}`]))
  })

  test('shows the answer that was given, for a day', async () => {
    const { idempotency } = await make()
    await idempotency.reserve('hash', wanted('plan'), NOW)
    await idempotency.answer('hash', 'the answer')
    expect(await idempotency.reserve('hash', wanted('x'), NOW + DAY_MS - 1000)).toMatchObject({ answer: 'the answer' })
    expect(await idempotency.reserve('hash', wanted('x'), NOW + DAY_MS)).toBeNull()
    expect(await idempotency.reserve('hash', wanted('y'), NOW + DAY_MS + 1)).toMatchObject({ plan: 'x', answer: null })
  })

  test('of a request that died is taken over with its plan, by one of many', async () => {
    const world = await make()
    await world.idempotency.reserve('hash', wanted('first'), NOW)
    const laterMs = NOW + 35_000
    const found = await Promise.all(
      Array.from({ length: 5 }, () => world.again().idempotency.reserve('hash', wanted('late', laterMs), laterMs)),
    )
    expect(new Set(found.map((there) => there?.plan))).toEqual(new Set(['first']))
    expect(found.filter((there) => there !== null && there.pendingUntilMs <= laterMs)).toHaveLength(1)
  })

  test('of a request that died is not taken over by another body', async () => {
    const { idempotency } = await make()
    await idempotency.reserve('hash', wanted('first'), NOW)
    const laterMs = NOW + 40_000
    const other = wanted('other', laterMs, 'another body')
    for (const tries of [1, 2]) {
      const there = await idempotency.reserve('hash', other, laterMs + tries)
      expect(there, `try ${tries}`).toMatchObject({ bodyHash: 'body', plan: 'first' })
    }
    expect(await idempotency.reserve('hash', wanted('again', laterMs), laterMs + 3)).toMatchObject({
      bodyHash: 'body',
      plan: 'first',
      pendingUntilMs: NOW + 35_000,
    })
  })

  test('that was released is free', async () => {
    const { idempotency } = await make()
    await idempotency.reserve('hash', wanted('first'), NOW)
    await idempotency.release('hash')
    expect(await idempotency.reserve('hash', wanted('second'), NOW)).toBeNull()
  })
})

// A slice of all points at which a process may die: some of them, and some pairs.

import { expect, test } from 'vitest'
import { everyPoint, somePairs } from './crash-points.ts'
import { expectNoHarm } from './scenes.ts'

test('wherever a process dies nothing is lost and nothing runs twice', { timeout: 120_000 }, async () => {
  const points = await everyPoint(1)
  expect(points.length).toBeGreaterThan(700)
  const some = points.filter((_, place) => place % 48 === 0).map((point) => [point])
  await expectNoHarm([...some, ...somePairs(points, 8, 2)], 'one process')
})

// Every point at which a process may die, and some pairs.

import { expect, test } from 'vitest'
import { everyPoint, somePairs } from './crash-points.ts'
import { expectNoHarm } from './scenes.ts'

test('wherever one process or two die nothing is lost and nothing runs twice', { timeout: 240_000 }, async () => {
  const points = await everyPoint(1)
  expect(points.length).toBeGreaterThan(700)
  await expectNoHarm([...points.map((point) => [point]), ...somePairs(points, 100, 2)], 'all cores')
})

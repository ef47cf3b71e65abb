// A slice of all points at which a process may die: every twelfth of them, and some pairs.

import { expect, test } from 'vitest'
import { everyPoint, somePairs, textOf } from './crash-points.ts'
import { crashScene } from './crash-scene.ts'
import { judge } from './invariants/all.ts'

test('whoever dies where, nothing is lost and nothing runs twice', { timeout: 120_000 }, async () => {
  const points = await everyPoint(1)
  expect(points.length).toBeGreaterThan(700)
  const some = [...points.filter((_, place) => place % 12 === 0).map((point) => [point]), ...somePairs(points, 30, 2)]
  for (const crashes of some) {
    const { history, faults } = await crashScene(1, crashes)
    expect(faults, textOf(crashes)).toBeGreaterThan(0)
    expect(judge(history).violations, textOf(crashes)).toEqual([])
  }
})

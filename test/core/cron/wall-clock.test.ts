import { expect, test } from 'vitest'
import { WORDS } from '../../../shared/core/cron/masks.ts'
import { wallFrom, wallUpTo } from '../../../shared/core/cron/wall-clock.ts'

test('masks that match no day are searched for 400 years either way and no longer', () => {
  const nothing = new Int32Array(WORDS)
  expect(wallFrom(nothing, 0, 0)).toBe(Number.POSITIVE_INFINITY)
  expect(wallUpTo(nothing, 0, 0)).toBe(Number.NEGATIVE_INFINITY)
})

import { expect, test } from 'vitest'
import { RELATIONS } from '../../shared/core/timings.ts'

test.each(RELATIONS.map(({ because, holds }) => [because, holds] as const))(
  'the times of the protocol fit: %s',
  (_, holds) => {
    expect(holds).toBe(true)
  },
)

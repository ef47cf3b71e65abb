// Some of the bugs that are planted are found.

import { expect, test } from 'vitest'
import { isFound } from './mutants/hunt.ts'

test.each(['R1:', 'R9:', 'R24:', 'a claim that was refused'])('%s is found', { timeout: 120_000 }, async (start) => {
  expect(await isFound(start, 5)).toBe(true)
})

// One seed of every weather, and again without each of the nets.

import { expect, test } from 'vitest'
import { expectNoneLost, expectOnlyWhatTheNetIsFor } from './scenes.ts'
import { NETS } from './simulate.ts'
import { CLIMATES } from './weather.ts'

test('in every weather nothing is lost, doubled or started for no reason', { timeout: 240_000 }, async () => {
  const { instants, faults } = await expectNoneLost(
    CLIMATES.map(({ name }) => name),
    'all cores',
  )
  // A simulation in which nothing was due or nothing went wrong would prove nothing.
  expect(instants).toBeGreaterThan(50_000)
  expect(faults).toBeGreaterThan(5000)
})

test.each(NETS)('without %s only that fails which it is for', { timeout: 120_000 }, async (without) => {
  await expectOnlyWhatTheNetIsFor(without, 'all cores')
})

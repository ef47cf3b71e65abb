// Whether a planted bug is found, by the start of its name.

import { seedsOf } from '../weather.ts'
import { simulateAll } from '../workers.ts'
import { MUTANTS } from './list.ts'
import { planted } from './patch.ts'

export async function isFound(start: string, mostSeeds: number): Promise<boolean> {
  const mutant = MUTANTS.find(({ name }) => name.startsWith(start))
  if (mutant === undefined) throw new Error(`there is no mutant ${start}`)
  const { name, climate, without = null } = mutant
  let isKnown = false
  await simulateAll(
    seedsOf(climate, mostSeeds).map((seed) => ({ seed, without })),
    {
      most: 1,
      ...planted(name, without),
      onVerdict: ({ violations }) => {
        isKnown = violations.length > 0
        return !isKnown
      },
    },
  )
  return isKnown
}

// npm run -s sim:mutants: plants each bug in turn and simulates until it is found, for at most fifty seeds.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { SimulationOptions } from '../simulate.ts'
import type { Verdict } from '../verdict.ts'
import { seedsOf } from '../weather.ts'
import { simulateAll } from '../workers.ts'
import { MUTANTS, type Mutant } from './list.ts'
import { planted } from './patch.ts'

const MOST_SEEDS = 50

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, json: { type: 'boolean', default: false } },
})

interface Found {
  readonly mutant: string
  /** How many seeds it took; null where none found it. */
  readonly seeds: number | null
  readonly by: string
}

async function hunt(mutant: Mutant): Promise<Found> {
  const { name, climate, without = null } = mutant
  const tasks = seedsOf(climate, MOST_SEEDS).map((seed): SimulationOptions => ({ seed, without }))
  let tried = 0
  let killer: Verdict | null = null
  await simulateAll(tasks, {
    most: 1,
    ...planted(name, without),
    onVerdict: (verdict) => {
      tried += 1
      if (verdict.violations.length > 0) killer = verdict
      return killer === null
    },
  }).catch((error: unknown) => {
    // A mutant that ends its process is found as well, unless it could not be planted.
    throw new Error(`${name}: ${error}`)
  })
  const found = killer as Verdict | null
  return { mutant: name, seeds: found === null ? null : tried, by: found?.violations[0].what ?? 'no invariant' }
}

async function main(): Promise<number> {
  const queue = MUTANTS.filter(({ name }) => name.includes(values.only))
  const all = queue.length
  const found: Found[] = []
  const work = async () => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const result = await hunt(mutant)
      found.push(result)
      const { seeds } = result
      if (!values.json)
        console.log(
          `${found.length} of ${all}: ${seeds === null ? 'NOT FOUND' : `seed ${seeds}`} ${result.mutant}\n    ${result.by}`,
        )
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  const missed = found.filter(({ seeds }) => seeds === null)
  if (values.json) console.log(JSON.stringify({ mutants: all, killed: all - missed.length, found }))
  else console.log(`${all - missed.length} of ${all} found within ${MOST_SEEDS} seeds`)
  return missed.length === 0 ? 0 : 1
}

process.exitCode = await main()

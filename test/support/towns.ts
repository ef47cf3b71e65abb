// Towns that are closed after the test that built them.

import { afterEach } from 'vitest'
import { Town, type TownOptions } from './town.ts'

/** To be called once in a test file; what it returns builds a town that is running. */
export function townsOfThisFile(): (options?: TownOptions) => Town {
  const towns: Town[] = []
  afterEach(async () => {
    for (const town of towns.splice(0)) await town.close()
  })
  return (options) => {
    const town = new Town(options)
    towns.push(town)
    town.rig.start()
    return town
  }
}

// The version of the package, for the API's document.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The nearest package.json upwards: of this repository, or of the installed package. */
function readVersion(folder: string): string {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
  } catch {
    return readVersion(dirname(folder))
  }
}

export const VERSION = readVersion(import.meta.dirname)

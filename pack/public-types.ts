// Which declaration files a user's compiler reads: those of the entries, and what they import.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IMPORTED = /(?:from |import\()['"](\.[^'"]+)\.ts['"]/g

/** All files that are reached from these, themselves included. */
export function reachedFrom(entries: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    const folder = dirname(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORTED)) waiting.push(join(folder, `${path}.d.ts`))
  }
  return reached
}

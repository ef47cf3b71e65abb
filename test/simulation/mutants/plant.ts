// Changes the code that is simulated: loaded before everything else, it replaces single lines of files as they are read, and fails
// where a line does not stand there exactly once.

import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { MUTANTS } from './list.ts'
import { NO_AUDIT, type Patch } from './patch.ts'
import { plantedIn } from './planted-in.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const mutant = MUTANTS.find(({ name }) => name === process.env.TICKRING_MUTANT)
const patches: readonly Patch[] = [
  ...(mutant === undefined ? [] : [mutant]),
  ...(process.env.TICKRING_WITHOUT === 'audit' ? NO_AUDIT : []),
]

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    const mine = patches.filter(({ file }) => url.startsWith('file:') && fileURLToPath(url) === `${ROOT}${file}`)
    if (mine.length === 0) return loaded
    const text = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
    return { ...loaded, source: mine.reduce((source, { line, instead }) => plantedIn(source, line, instead), text) }
  },
})

// Writes a handlers file as a user of Tickring has one, in a folder of its own.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DEFINE = join(import.meta.dirname, '../../shared/core/handlers.ts')

/** `handlers` is what stands between the braces of `defineHandlers({ … })`. */
export function writeHandlers(handlers: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tickring-handlers-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'handlers.ts')
  const text = `import { defineHandlers } from ${JSON.stringify(DEFINE)}\nexport default defineHandlers({\n${handlers}\n})\n`
  writeFileSync(file, text)
  return file
}

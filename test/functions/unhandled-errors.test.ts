import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const strays = join(import.meta.dirname, '../../functions/unhandled-errors.ts')

/** A process in which handlers let errors go in three ways, and which then says that it is still there. */
const script = `
  // As runtimes of Lambda before Node 24 have done.
  for (const event of ['unhandledRejection', 'uncaughtException']) process.on(event, () => process.exit(129))
  const { tellUnhandledErrors } = await import(${JSON.stringify(strays)})
  tellUnhandledErrors({ line: (text) => console.log(text), nowMs: () => 0 })
  Promise.reject(new Error('no caller waits'))
  setTimeout(() => { throw new Error('a timer') }, 1)
  const signal = AbortSignal.timeout(2)
  signal.addEventListener('abort', () => { throw new Error('a listener') })
  setTimeout(() => console.log('still there'), 50)
`

test('errors that a handler lets go astray are told, and the process goes on with its other runs', () => {
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(status).toBe(0)
  for (const reason of ['no caller waits', 'a timer', 'a listener']) expect(stdout).toContain(reason)
  expect(stdout.trim().split('\n').at(-1)).toBe('still there')
})

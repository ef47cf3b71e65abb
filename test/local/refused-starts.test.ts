// What stands in the way of a start is said with the remedy, and ends it with exit code 1.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LocalStart } from '../support/local-start.ts'

const QUIET = ['--plain', '--port', '0', '--no-samples', '--seconds', '1']

function temporary(over: (clean: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'tickring-refused-'))
  over(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test.concurrent('another host than loopback is refused without a key from an earlier start', async ({
  onTestFinished,
}) => {
  const { code, errors } = await new LocalStart(onTestFinished, [...QUIET, '--host', '0.0.0.0']).ended
  expect(code).toBe(1)
  expect(errors).toContain('is open to others, and there is no admin key')
})

test.concurrent('a port that is taken is said, with the remedy', async ({ onTestFinished }) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { code, errors } = await new LocalStart(onTestFinished, ['--plain', '--port', String(port)]).ended
  taken.close()
  expect(code).toBe(1)
  expect(errors).toContain(`port ${port} of 127.0.0.1 cannot be used`)
  expect(errors).toContain('Use another with --port')
})

test.concurrent('a folder that cannot be written to is said, with the remedy', async ({ onTestFinished }) => {
  const folder = temporary(onTestFinished)
  writeFileSync(join(folder, 'file'), '')
  const { code, errors } = await new LocalStart(onTestFinished, QUIET, join(folder, 'file', 'data')).ended
  expect(code).toBe(1)
  expect(errors).toContain('cannot be used')
  expect(errors).toContain('Use another with --data')
})

test.concurrent('a store that is no store is said, with the remedy, and is left as it is', async ({
  onTestFinished,
}) => {
  const data = temporary(onTestFinished)
  writeFileSync(join(data, 'store.db'), 'this is no database '.repeat(500))
  const { code, errors } = await new LocalStart(onTestFinished, QUIET, data).ended
  expect(code).toBe(1)
  expect(errors).toContain(`the store in ${data} cannot be opened`)
  expect(errors).toContain('--fresh')
})

test.concurrent('handlers that do not compile are said with file, line and text', async ({ onTestFinished }) => {
  const folder = temporary(onTestFinished)
  const handlers = join(folder, 'mine.ts')
  writeFileSync(handlers, 'const ok = 1\nexport default { broken: (\n')
  const { code, errors } = await new LocalStart(onTestFinished, [...QUIET, '--handlers', handlers]).ended
  expect(code).toBe(1)
  expect(errors).toMatch(/mine\.ts:3:1: Unexpected end of file/)
  expect(errors).toContain('Mend that and start again')
})

test.concurrent('a handlers file that is not there is said', async ({ onTestFinished }) => {
  const { code, errors } = await new LocalStart(onTestFinished, [...QUIET, '--handlers', '/nowhere/mine.ts']).ended
  expect(code).toBe(1)
  expect(errors).toContain('there is no file /nowhere/mine.ts')
})

/** A disk of a few megabytes, where this machine lets a test have one. */
function smallDisk(over: (clean: () => void) => void, megabytes: number): string | null {
  const folder = temporary(over)
  mkdirSync(join(folder, 'disk'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', join(folder, 'disk')], {
      stdio: 'ignore',
    })
  } catch {
    return null
  }
  over(() => execFileSync('umount', ['-l', join(folder, 'disk')]))
  return join(folder, 'disk')
}

test.concurrent('a disk that is full is said, with the remedy', async ({ onTestFinished, skip }) => {
  const disk = smallDisk(onTestFinished, 16)
  if (disk === null) return skip('only root can mount a small disk')
  const { code, errors } = await new LocalStart(onTestFinished, QUIET, join(disk, 'data')).ended
  expect(code).toBe(1)
  expect(errors).toMatch(/the disk of .* is full: \d+ MB are free\. Free some, or use another folder with --data/)
})

test.concurrent('a disk that becomes full ends a start with the same words', async ({ onTestFinished, skip }) => {
  const disk = smallDisk(onTestFinished, 80)
  if (disk === null) return skip('only root can mount a small disk')
  const started = new LocalStart(onTestFinished, ['--plain', '--port', '0', '--no-samples'], join(disk, 'data'))
  await started.url()
  writeFileSync(join(disk, 'film'), Buffer.alloc(70 * 1024 * 1024))
  const { code, errors } = await started.ended
  expect(code).toBe(1)
  expect(errors).toMatch(/the disk of .* is full/)
})

test.concurrent('a machine without a store for it is told what to install', async ({ onTestFinished }) => {
  // As if this were another processor, on a machine without Java.
  const other = temporary(onTestFinished)
  const preload = join(other, 'other-machine.mjs')
  writeFileSync(preload, "Object.defineProperty(process, 'arch', { value: 'riscv64' })\n")
  const env = { NODE_OPTIONS: `--import=${preload}`, PATH: other }
  const { code, errors } = await new LocalStart(onTestFinished, QUIET, undefined, env).ended
  expect(code).toBe(1)
  expect(errors).toContain('there is no store for this machine')
  expect(errors).toContain('Install Java 17')
})

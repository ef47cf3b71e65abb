// `npm start` as a process: what comes out of it when nobody looks at a terminal.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const START = fileURLToPath(new URL('../../local/start.ts', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly errors: string
}

/** `onFirstOutput` is called once: a second signal could meet the process when it no longer listens. */
function start(args: readonly string[], onFirstOutput?: (child: ReturnType<typeof spawn>) => void): Promise<Ended> {
  const child = spawn(process.execPath, [START, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, errors] = ['', '']
  child.stdout.on('data', (data: Buffer) => {
    if (out === '') onFirstOutput?.(child)
    out += data
  })
  child.stderr.on('data', (data: Buffer) => {
    errors += data
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, out, errors }))
  })
}

test('the heartbeat fires, and never twice for the same second', async () => {
  const { code, out, errors } = await start(['--seconds', '9', '--plain'])
  const fires = out.match(/^\d\d:\d\d:\d\d {2}\S+/gm) ?? []
  expect(errors).toBe('')
  expect(code).toBe(0)
  expect(out).toContain('market-open    at 09:30 on Monday through Friday, America/New_York')
  expect(fires.filter((fire) => fire.endsWith('  heartbeat')).length).toBeGreaterThanOrEqual(1)
  expect(new Set(fires).size).toBe(fires.length)
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with exit code 0 and a last line', async (signal) => {
  const { code, out } = await start(['--seconds', '60'], (child) => child.kill(signal))
  expect(code).toBe(0)
  expect(out).toMatch(/(No run fired|late)\.\n$/)
})

test('a reader that goes away ends it quietly', async () => {
  const { code, errors } = await start(['--seconds', '60'], (child) => child.stdout?.destroy())
  expect(errors).toBe('')
  expect(code).toBe(0)
})

test('an unknown flag says which there are and ends with exit code 2', async () => {
  const { code, out, errors } = await start(['--colour'])
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(errors).toContain('--colour is not a flag.')
  expect(errors).toContain('--seconds N')
})

test('help is no error', async () => {
  const { code, out } = await start(['--help'])
  expect(code).toBe(0)
  expect(out).toContain('--plain')
})
